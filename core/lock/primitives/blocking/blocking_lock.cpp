// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/blocking/blocking_lock.h"

#include "core/base/lockhouse_names.h"
#include "core/base/sealed_token.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view pythonPrefix = "lock:";
constexpr std::array policies{"blocking"sv, "backoff"sv, "spin"sv, "try"sv};
constexpr std::array promises{
    "one holder at a time, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "the same keys and signals as python-redis-lock: Python and C++ exclude each other and wake each other"sv,
    "one release wakes one client, the one that has blocked for longest"sv,
    "waiters of one client get in in their order; no waiter starves"sv,
};
constexpr std::array notPromised{
    "exclusion across a failover or restart that loses the key"sv,
    "order among waiters of different clients: whoever asks before the one that was woken has it"sv,
    "re-entry: a second acquire through the same handle is refused"sv,
    "few connections: each lock that a client waits for blocks one of its own"sv,
    "a fencing token"sv,
};
constexpr std::array places{
    LockPlace{"NAME", "string", "the holder's token, 24 characters of base64: 16 random bytes and two that check them; lives as long as the lease"},
    LockPlace{"lockhouse:signal:{NAME}", "list",
              "one element from each release, until a waiter takes it or for a second; of a NAME lock:<rest> it is lock-signal:<rest>"},
};
constexpr std::array outcomes{
    "Contended names the holder and the time left of its lease, TimedOut the holder"sv,
    "a key of another type under the name is somebody else's hold: Contended or TimedOut; a release that finds one: NotOwner"sv,
    "a second acquire through the same handle: Failed, Usage"sv,
};
constexpr std::string_view example =
    R"(const auto nightly = client.lock(*Primitive::find("BlockingLock"), LockName("lock:nightly"), {.lease = 60s, .waitLimit = 5s});
if (const auto held = nightly.acquire())
  work(); // Python calls it redis_lock.Lock(connection, "nightly")
)";
constexpr PrimitiveInfo about{
    .name = "BlockingLock",
    .summary = "A plain lock whose waiters block in BLPOP on a signal list, as python-redis-lock has it.",
    .useWhen = "You share locks with Python services on python-redis-lock, or pub/sub is not to be had.",
    .avoidWhen = "Many locks are waited for at once: each costs a connection. HandoffLock costs none.",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands = "acquire: EVALSHA of SET NX PX, DEL, 1 round trip; release: EVALSHA of GET, DEL, LPUSH, PEXPIRE, 1 round trip; handoff: that LPUSH answers the "
                "BLPOP of one waiter, then its EVALSHA, one round trip and a half; renewal: EVALSHA of GET, PEXPIRE",
    .source = "python-redis-lock, its data format; Redis documentation, BLPOP",
    .sharedWith = "python-redis-lock, for names that begin with lock:",
    .places = places,
    .waiting = "Waiters of one client stand in line inside it; the first of them blocks in BLPOP on a connection of its own, one for each lock that the client "
               "waits for, and asks when an element comes or after half a second: EVALSHA of SET NX PX, GETRANGE, PTTL.",
    .outcomes = outcomes,
    .costs = {.commands = 2, .calls = 8, .crowdedCommands = 2.5, .crowdedCalls = 8.5},
    .example = example,
};

} // namespace

const PrimitiveInfo &BlockingLock::info() const { return about; }

Result<LockToken> BlockingLock::owner(std::string_view, std::uint64_t) const { return sealedToken(); }

std::string BlockingLock::signalKey(const LockName &name) {
  const std::string_view bytes(name.bytes());
  if (bytes.starts_with(pythonPrefix))
    return std::string("lock-signal:").append(bytes.substr(pythonPrefix.size()));
  return own::signalKey(bytes);
}

Command BlockingLock::acquire(const Ask &ask, bool) const {
  return Command::evalsha(lock_scripts::blockingAcquire, {ask.name.bytes(), signalKey(ask.name)}, {ask.owner.bytes(), Digits(ask.lease.count()).text()});
}

Command BlockingLock::renew(const Ask &ask) const {
  return Command::evalsha(lock_scripts::mutexRenew, {ask.name.bytes()}, {ask.owner.bytes(), Digits(ask.lease.count()).text()});
}

Command BlockingLock::release(const Ask &ask, bool) const {
  return Command::evalsha(lock_scripts::blockingRelease, {ask.name.bytes(), signalKey(ask.name)}, {ask.owner.bytes()});
}

Command BlockingLock::block(const LockName &name, seconds limit) const { return {"BLPOP", signalKey(name), Digits(limit.count()).text()}; }

AcquireAnswer BlockingLock::readAcquire(const Reply &reply) const {
  if (reply.integer() == 1)
    return {AcquireAnswer::Kind::Granted};
  if (reply.isArray())
    return refusal(reply);
  return {isBusy(reply) ? AcquireAnswer::Kind::Busy : AcquireAnswer::Kind::Rejected};
}

RenewAnswer BlockingLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer BlockingLock::readRelease(const Reply &reply) const { return queueReleaseOf(reply, isBusy(reply)); }

} // namespace lockhouse
