// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/setnx/setnx_lock.h"

#include "core/base/lockhouse_names.h"
#include "core/base/random.h"
#include "core/lock/primitives/reply_readers.h"

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::array policies{"backoff"sv, "spin"sv, "try"sv};
constexpr std::array promises{
    "one holder at a time, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "a lock whose taker ended between its two commands ends one lease after somebody wanted it"sv,
    "a release or renewal never touches somebody else's hold"sv,
    "waiters of one client get in in their order; no waiter starves"sv,
};
constexpr std::array notPromised{
    "a lease at once: between SETNX and PEXPIRE the lock has none"sv,
    "exclusion across a failover or restart that loses the key"sv,
    "order among waiters of different clients"sv,
    "one round trip: each step of it is one"sv,
    "re-entry: a second acquire through the same handle is refused"sv,
    "a fencing token"sv,
};
constexpr std::array places{
    LockPlace{"NAME", "string", "the holder's token, 32 hex digits; lives as long as the lease, from the second command on"},
};
constexpr std::array outcomes{
    "Contended and TimedOut name the holder's token"sv,
    "a key of another type under the name is somebody else's hold: Contended or TimedOut; a release that finds one: NotOwner"sv,
    "a second acquire through the same handle: Failed, Usage"sv,
};
constexpr std::string_view example = R"(const auto old = client.lock(*Primitive::find("SetnxLock"), LockName("export"), {.waitLimit = 5s});
if (const auto held = old.acquire())
  work();
)";
constexpr PrimitiveInfo about{
    .name = "SetnxLock",
    .summary = "The historic form: SETNX, then PEXPIRE; released by WATCH, GET, MULTI, DEL. Kept to be watched, shared and broken.",
    .useWhen = "An old fleet still locks this way, or you show in the lab why nobody should.",
    .avoidWhen = "Anything else: use Mutex. A process that ends between the two commands leaves a lock that never ends by itself.",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands = "acquire: SETNX, PEXPIRE, 2 round trips; release: WATCH and GET, then MULTI, DEL and EXEC, 2 round trips; renewal: WATCH and GET, then MULTI, "
                "PEXPIRE and EXEC",
    .source = "Redis documentation of SETNX, \"Design pattern: locking with SETNX\"",
    .sharedWith = "Fleets that still lock by SETNX and EXPIRE with a random value.",
    .places = places,
    .waiting = "Waiters of one client stand in line inside it; the first of them asks. A refusal is three commands, SETNX, PTTL, GET, one after the other, and "
               "TYPE and EXPIRE where there was no expiry.",
    .outcomes = outcomes,
    .costs = {.commands = 7, .calls = 7, .crowdedCommands = 7, .crowdedCalls = 7},
    .example = example,
};

} // namespace

const PrimitiveInfo &SetnxLock::info() const { return about; }

Result<LockToken> SetnxLock::owner(std::string_view, std::uint64_t) const { return randomToken(); }

Command SetnxLock::acquire(const Ask &ask, bool) const { return {"SETNX", ask.name.bytes(), ask.owner.bytes()}; }

// PEXPIRE is the second step of our own hold, EXPIRE the repair of another's.
std::optional<Command> SetnxLock::acquireNext(const Ask &ask, std::string_view sent, const Reply &reply) const {
  const auto lease = ask.lease.count();
  if (sent == "SETNX" && reply.integer() == 1)
    return Command{"PEXPIRE", ask.name.bytes(), Digits(lease).text()};
  if (sent == "SETNX" && reply.integer() == 0)
    return Command{"PTTL", ask.name.bytes()};
  if (sent == "PTTL" && reply.integer() == -1) // only what a lock can be is ever made to end
    return Command{"TYPE", ask.name.bytes()};
  if (sent == "TYPE" && reply.text() == "string")
    return Command{"EXPIRE", ask.name.bytes(), Digits((lease + 999) / 1000).text()};
  if (sent == "PTTL" || sent == "TYPE" || sent == "EXPIRE")
    return Command{"GET", ask.name.bytes()};
  return std::nullopt;
}

AcquireAnswer SetnxLock::readAcquireStep(std::string_view sent, const Reply &reply) const {
  using Kind = AcquireAnswer::Kind;
  if (sent == "GET" && (!reply.isFailure() || reply.failureWord() == "WRONGTYPE")) // of another type: somebody else's
    return {.kind = Kind::Refused, .holder = reply.text() ? std::optional(std::string(reply.text()->substr(0, 256))) : std::nullopt};
  if (!reply.integer())
    return {isBusy(reply) ? Kind::Busy : Kind::Rejected};
  if (sent == "PEXPIRE" && reply.integer() == 1)
    return {Kind::Granted};
  return {Kind::Refused}; // of PEXPIRE: somebody deleted it between our two commands
}

AcquireAnswer SetnxLock::readAcquire(const Reply &reply) const { return readAcquireStep("SETNX", reply); }

Command SetnxLock::renew(const Ask &ask) const { return {"PEXPIRE", ask.name.bytes(), Digits(ask.lease.count()).text()}; }

Command SetnxLock::release(const Ask &ask, bool) const { return {"DEL", ask.name.bytes()}; }

RenewAnswer SetnxLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer SetnxLock::readRelease(const Reply &reply) const { return queueReleaseOf(reply, isBusy(reply)); }

} // namespace lockhouse
