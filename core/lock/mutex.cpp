// SPDX-License-Identifier: Apache-2.0
#include "core/lock/mutex.h"

#include "core/base/lockhouse_names.h"
#include "core/base/random.h"
#include "core/lock/answers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::array policies{"backoff"sv, "pubsub"sv, "spin"sv, "try"sv};
constexpr std::array promises{
    "one holder at a time, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "the lease ends by itself when its holder is gone"sv,
    "a release or renewal never touches somebody else's hold"sv,
    "waiters of one client get in in their order; no waiter starves"sv,
};
constexpr std::array notPromised{
    "exclusion across a failover or restart that loses the key"sv,
    "order among waiters of different clients"sv,
    "re-entry: a second acquire through the same handle is refused"sv,
    "a fencing token"sv,
};
constexpr PrimitiveInfo about{
    .name = "Mutex",
    .summary = "A plain lock: one string key with the holder's random token and a lease, as redis-py, node-redlock and redsync use it.",
    .useWhen = "One owner at a time is all you need; it is the fastest lock there is.",
    .avoidWhen = "Code under the lock calls code that takes the same lock again: use ReentrantLock.",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands =
        "acquire: SET NX PX, 1 round trip; release: EVALSHA of GET, DEL, many at once of MGET, DEL, or DELEX (Redis 8.4), DELIFEQ (Valkey 9), 1 round trip",
    .source = "Redis documentation, \"Distributed Locks with Redis\": correct implementation with a single instance",
};

} // namespace

const PrimitiveInfo &Mutex::info() const { return about; }

Result<LockToken> Mutex::owner(std::string_view, std::uint64_t) const { return randomToken(); }

Command Mutex::acquire(const Ask &ask, bool again) const {
  const Digits lease(ask.lease.count());
  if (again)
    return Command::evalsha(lock_scripts::mutexAcquire, {ask.name.bytes()}, {ask.owner.bytes(), lease.text()});
  return {"SET", ask.name.bytes(), ask.owner.bytes(), "NX", "PX", lease.text()};
}

Command Mutex::renew(const Ask &ask) const {
  return Command::evalsha(lock_scripts::mutexRenew, {ask.name.bytes()}, {ask.owner.bytes(), Digits(ask.lease.count()).text()});
}

Command Mutex::release(const Ask &ask, bool wake) const {
  if (wake)
    return Command::evalsha(lock_scripts::mutexReleaseWake, {ask.name.bytes()}, {ask.owner.bytes(), wakeChannel(ask.name).bytes(), publishWord(ask.server)});
  using Compare = ServerFeatures::CompareAndDelete;
  switch (ask.server.compareAndDelete) {
  case Compare::Delex: return {"DELEX", ask.name.bytes(), "IFEQ", ask.owner.bytes()};
  case Compare::Delifeq: return {"DELIFEQ", ask.name.bytes(), ask.owner.bytes()};
  case Compare::Script: break;
  }
  return Command::evalsha(lock_scripts::mutexRelease, {ask.name.bytes()}, {ask.owner.bytes()});
}

Command Mutex::releaseTogether(std::span<const Ask> asks) const {
  std::vector<std::string_view> names;
  std::vector<std::string_view> tokens;
  names.reserve(asks.size());
  tokens.reserve(asks.size());
  for (const auto &ask : asks) {
    names.push_back(ask.name.bytes());
    tokens.push_back(ask.owner.bytes());
  }
  return Command::evalsha(lock_scripts::mutexReleaseTogether, names, tokens);
}

AcquireAnswer Mutex::readAcquire(const Reply &reply) const {
  if (reply.isOk() || reply.integer() == 1)
    return {AcquireAnswer::Kind::Granted};
  if (reply.isNil())
    return {AcquireAnswer::Kind::Refused};
  if (reply.isArray())
    return refusal(reply);
  return {isBusy(reply) ? AcquireAnswer::Kind::Busy : AcquireAnswer::Kind::Rejected};
}

RenewAnswer Mutex::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer Mutex::readRelease(const Reply &reply) const {
  if (reply.integer())
    return reply.integer() == 1 ? ReleaseAnswer::Released : ReleaseAnswer::NotOwner;
  if (reply.failureWord() == "WRONGTYPE")
    return ReleaseAnswer::NotOwner;
  return isBusy(reply) ? ReleaseAnswer::Busy : ReleaseAnswer::Rejected;
}

Channel Mutex::wakeChannel(const LockName &name) const { return Channel(own::wakeChannel(name.bytes())); }

} // namespace lockhouse
