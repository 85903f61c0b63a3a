// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitive_info.h"

#include <algorithm>
#include <array>

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::array mutexPolicies{"backoff"sv, "pubsub"sv, "spin"sv, "try"sv};
constexpr std::array mutexPromises{
    "one holder at a time, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "the lease ends by itself when its holder is gone"sv,
    "a release or renewal never touches somebody else's hold"sv,
    "waiters of one client get in in their order; no waiter starves"sv,
};
constexpr std::array mutexNotPromised{
    "exclusion across a failover or restart that loses the key"sv,
    "order among waiters of different clients"sv,
    "re-entry: a second acquire through the same handle is refused"sv,
    "a fencing token"sv,
};
constexpr std::array reentrantPolicies{"pubsub"sv, "backoff"sv, "spin"sv, "try"sv};
constexpr std::array reentrantPromises{
    "one holder at a time, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "the same keys, fields, channel and messages as Redisson's RLock: Java and C++ exclude each other and wake each other"sv,
    "the holder may acquire it again; a command that is sent twice never counts twice"sv,
    "a shorter lease of an inner acquire never shortens the outer one"sv,
    "waiters of one client get in in their order; no waiter starves"sv,
};
constexpr std::array reentrantNotPromised{
    "exclusion across a failover or restart that loses the key"sv,
    "order among waiters of different clients"sv,
    "a fencing token"sv,
    "waking waiters of a Redisson in cluster mode, which listens to sharded channels"sv,
};

constexpr std::array infos{
    PrimitiveInfo{
        .name = "Mutex",
        .summary = "A plain lock: one string key with the holder's random token and a lease, as redis-py, node-redlock and redsync use it.",
        .useWhen = "One owner at a time is all you need; it is the fastest lock there is.",
        .avoidWhen = "Code under the lock calls code that takes the same lock again: use ReentrantLock.",
        .policies = mutexPolicies,
        .promises = mutexPromises,
        .notPromised = mutexNotPromised,
        .commands = "acquire: SET NX PX, 1 round trip; release: EVALSHA of GET, DEL, 1 round trip",
        .source = "Redis documentation, \"Distributed Locks with Redis\": correct implementation with a single instance",
    },
    PrimitiveInfo{
        .name = "ReentrantLock",
        .summary = "A lock that its holder may take again: one hash key with the holder's field and count, shared with Redisson's RLock.",
        .useWhen = "You share locks with Java services on Redisson, or the holder re-enters its own lock.",
        .avoidWhen = "Nobody re-enters and no Redisson is about: Mutex costs the server half.",
        .policies = reentrantPolicies,
        .promises = reentrantPromises,
        .notPromised = reentrantNotPromised,
        .commands = "acquire: EVALSHA of EXISTS, HSET, PEXPIRE, 1 round trip; release: EVALSHA of HGET, DEL, PUBLISH, 1 round trip",
        .source = "Redisson's RLock, its data format and messages",
    },
};

} // namespace

std::span<const PrimitiveInfo> primitiveInfos() { return infos; }

const PrimitiveInfo *findPrimitive(std::string_view name) {
  const auto *found = std::ranges::find(infos, name, &PrimitiveInfo::name);
  return found == infos.end() ? nullptr : found;
}

} // namespace lockhouse
