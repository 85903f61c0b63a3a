// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/mutex/mutex.h"

#include "core/base/lockhouse_names.h"
#include "core/base/random.h"
#include "core/lock/primitives/reply_readers.h"
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
constexpr std::array places{
    LockPlace{"NAME", "string", "the holder's token, 32 hex digits of 128 random bits, fresh for each hold; lives as long as the lease"},
    LockPlace{"lockhouse:listeners:{NAME}", "zset", "waiters of policy pubsub, <client uuid>:<number>, each until one lease past its last ask"},
    LockPlace{"lockhouse:inbox:<client uuid>", "channel", "\"Mutex <number> 0 NAME\" for each of them when a holder whose own policy is pubsub releases it"},
};
constexpr std::array outcomes{
    "Contended of policy try says nothing of the holder; TimedOut names its token"sv,
    "a key of another type under the name is somebody else's hold: Contended or TimedOut; a release that finds one: NotOwner"sv,
    "a second acquire through the same handle: Failed, Usage"sv,
};
constexpr std::string_view example = R"(const auto lock = client.mutex(LockName("order:7"), {.lease = 10s, .waitLimit = 1s});
if (const auto held = lock.acquire())
  work(); // renewed behind; given back where `held` ends
else
  std::puts(held.error().sentence().c_str()); // who has it, and what to do
)";
constexpr PrimitiveInfo about{
    .name = "Mutex",
    .summary = "A plain lock: one string key with the holder's random token and a lease, as redis-py, node-redlock and redsync use it.",
    .useWhen = "One owner at a time is all you need; it is the fastest lock there is.",
    .avoidWhen = "Code under the lock calls code that takes the same lock again: use ReentrantLock.",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands = "acquire: SET NX PX, 1 round trip; release: EVALSHA of GET, DEL, of several in one turn of the loop together of MGET, DEL, 1 round trip; "
                "renewal: EVALSHA of GET, PEXPIRE",
    .source = "Redis documentation, \"Distributed Locks with Redis\": correct implementation with a single instance",
    .sharedWith = "redis-py, node-redlock, redsync and most hand-written locks: whatever sets a random token by SET NX PX and compares it before it deletes.",
    .places = places,
    .waiting = "Waiters of one client stand in line inside it; the first of them asks, right behind the release before it, in the same write. Every ask but "
               "the first is an EVALSHA of SET NX PX, GETRANGE, PTTL, which tells holder and time left. Policy pubsub: one SUBSCRIBE for each client, "
               "whatever it waits for; every ask is an EVALSHA, the first one too, that adds TIME, ZADD, ZREMRANGEBYSCORE, PEXPIRE when it is refused, and a "
               "release one that adds a ZPOPMAX and a "
               "PUBLISH for each waiter of another client (at most 1024; the others ask again within half a second). It needs the right to that key and to "
               "the inbox channels; without the channels it polls. A server that has DELEX (Redis 8.4) or "
               "DELIFEQ (Valkey 9) is given that for a release instead of a script.",
    .outcomes = outcomes,
    .costs = {.commands = 2, .calls = 4, .crowdedCommands = 2, .crowdedCalls = 4},
    .example = example,
};

} // namespace

const PrimitiveInfo &Mutex::info() const { return about; }

Result<LockToken> Mutex::owner(std::string_view, std::uint64_t) const { return randomToken(); }

Command Mutex::acquire(const Ask &ask, bool again) const {
  const Digits lease(ask.lease.count());
  if (!ask.listener.empty())
    return Command::evalsha(lock_scripts::mutexListen, {ask.name.bytes(), own::listenersKey(ask.name.bytes())},
                            {ask.owner.bytes(), lease.text(), ask.listener, again ? "1" : "0"});
  if (again)
    return Command::evalsha(lock_scripts::mutexAcquire, {ask.name.bytes()}, {ask.owner.bytes(), lease.text()});
  return {"SET", ask.name.bytes(), ask.owner.bytes(), "NX", "PX", lease.text()};
}

Command Mutex::renew(const Ask &ask) const {
  return Command::evalsha(lock_scripts::mutexRenew, {ask.name.bytes()}, {ask.owner.bytes(), Digits(ask.lease.count()).text()});
}

Command Mutex::release(const Ask &ask, bool wake) const {
  if (wake)
    return Command::evalsha(lock_scripts::mutexReleaseWake, {ask.name.bytes(), own::listenersKey(ask.name.bytes())}, {ask.owner.bytes(), ask.listener});
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
  if (reply.isArray()) {
    auto answer = refusal(reply);
    answer.queued = reply.array().size() > 2 && reply.array()[2].integer() == 1;
    if (answer.holder && answer.holder->empty())
      answer.holder.reset();
    return answer;
  }
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

} // namespace lockhouse
