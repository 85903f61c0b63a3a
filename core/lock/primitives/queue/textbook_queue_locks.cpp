// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/queue/textbook_queue_locks.h"

#include "core/base/lockhouse_names.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::array policies{"fair"sv, "try"sv};
constexpr std::array promises{
    "one holder at a time, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "waiters get in in the order in which they came to the server, whatever their clients"sv,
    "any number of waiters whose process ended delay the others by one lease in all"sv,
};
constexpr std::array notPromised{
    "exclusion across a failover or restart that loses the key"sv,
    "a lock without gaps: between a release and the next holder's ask it is free"sv,
    "re-entry: a second acquire through the same handle is refused"sv,
    "a fencing token"sv,
};
constexpr std::array listPlaces{
    LockPlace{"NAME", "string", "<client uuid>:<number> of the holder; lives as long as the lease"},
    LockPlace{"lockhouse:line:{NAME}", "list", "<client uuid>:<number> of each waiter, the next one first; lives one lease after the last ask"},
    LockPlace{"lockhouse:deadlines:{NAME}", "hash",
              "of each client that waits: until which epoch ms of the server its places last; lives one lease after the last ask"},
    LockPlace{"lockhouse:inbox:<client uuid>", "channel", "\"ListFairLock <number> 0 NAME\": this waiter of the client may ask now"},
};
constexpr std::array outcomes{
    "Contended names the holder and the time left of its lease, TimedOut the holder"sv,
    "TimedOut and Cancelled give the place back"sv,
    "a second acquire through the same handle: Failed, Usage"sv,
    "a key of another type under the name: Failed, \"choose another key\"; a release that finds one: NotOwner"sv,
};
constexpr std::string_view listExample = R"(const auto desk = client.lock(*Primitive::find("ListFairLock"), LockName("desk:1"), {.waitLimit = 5s});
if (const auto held = desk.acquire())
  work();
)";
constexpr PrimitiveInfo list{
    .name = "ListFairLock",
    .summary = "The textbook queue on a list: look at the head, pop it when it is you, tell the next.",
    .useWhen = "You teach or study queues in Redis, or watch one at work.",
    .avoidWhen = "You want a fair lock: HandoffLock hands over in half a round trip, and leaving its queue costs O(log n).",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands = "acquire: EVALSHA of GET, LINDEX, SET, 1 round trip; release: EVALSHA of GET, DEL, LINDEX, 1 round trip; handoff: LINDEX, HGET, TIME, EXISTS "
                "and PUBLISH in the release's script, then an EVALSHA of GET, LINDEX, LPOP, SET of the one who was told, one round trip and a half; renewal: "
                "EVALSHA of GET, PEXPIRE",
    .source = "Redis documentation, lists as queues; ticket locks, TOCS 1991",
    .sharedWith = "Nobody: the format is Lockhouse's own.",
    .places = listPlaces,
    .waiting = "The ask that is refused gives the waiter its place. One SUBSCRIBE for each client, to its inbox, whatever the number of its locks and waiters; "
               "a waiting client asks every third of its lease, so that its places last.",
    .outcomes = outcomes,
    .costs = {.commands = 2, .calls = 9, .crowdedCommands = 3, .crowdedCalls = 24},
    .example = listExample,
};
constexpr std::array zsetPlaces{
    LockPlace{"NAME", "string", "<client uuid>:<number> of the holder; lives as long as the lease"},
    LockPlace{"lockhouse:line:{NAME}", "zset", "<client uuid>:<number> of each waiter, score: its place; lives one lease after the last ask"},
    LockPlace{"lockhouse:deadlines:{NAME}", "hash",
              "of each client that waits: until which epoch ms of the server its places last; lives one lease after the last ask"},
    LockPlace{"lockhouse:inbox:<client uuid>", "channel", "\"ZsetFairLock <number> 0 NAME\": this waiter of the client may ask now"},
};
constexpr std::string_view zsetExample = R"(const auto desk = client.lock(*Primitive::find("ZsetFairLock"), LockName("desk:2"), {.waitLimit = 5s});
if (const auto held = desk.acquire())
  work();
)";
constexpr PrimitiveInfo zset{
    .name = "ZsetFairLock",
    .summary = "The textbook queue on a sorted set: the server counts the places, whoever has rank 0 may enter.",
    .useWhen = "You teach or study queues in Redis, or watch one at work.",
    .avoidWhen = "You want a fair lock: HandoffLock hands over in half a round trip.",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands = "acquire: EVALSHA of GET, ZRANGE, ZREM, SET, 1 round trip; release: EVALSHA of GET, DEL, ZRANGE, 1 round trip; handoff: ZRANGE, HGET, TIME, "
                "EXISTS and PUBLISH in the release's script, then an EVALSHA of GET, ZRANGE, ZRANK, ZREM, SET of the one who was told, one round trip and a "
                "half; renewal: EVALSHA of GET, PEXPIRE",
    .source = "Redis documentation, sorted sets as queues; ticket locks, TOCS 1991",
    .sharedWith = "Nobody: the format is Lockhouse's own.",
    .places = zsetPlaces,
    .waiting = "The ask that is refused gives the waiter its place. One SUBSCRIBE for each client, to its inbox, whatever the number of its locks and waiters; "
               "a waiting client asks every third of its lease, so that its places last.",
    .outcomes = outcomes,
    .costs = {.commands = 2, .calls = 10, .crowdedCommands = 3, .crowdedCalls = 26},
    .example = zsetExample,
};

} // namespace

constexpr TextbookQueueLock TextbookQueueLock::listFair{list, lock_scripts::listFairAcquire, lock_scripts::listFairRelease};
constexpr TextbookQueueLock TextbookQueueLock::zsetFair{zset, lock_scripts::zsetFairAcquire, lock_scripts::zsetFairRelease};

Result<LockToken> TextbookQueueLock::owner(std::string_view client, std::uint64_t number) const { return numberedOwner(client, number); }

Command TextbookQueueLock::acquire(const Ask &ask, bool) const {
  return Command::evalsha(m_acquire, {ask.name.bytes(), own::lineKey(ask.name.bytes()), own::deadlinesKey(ask.name.bytes())},
                          {ask.owner.bytes(), Digits(ask.lease.count()).text(), clientOf(ask.owner), ask.waits ? "1" : "0"});
}

Command TextbookQueueLock::renew(const Ask &ask) const {
  return Command::evalsha(lock_scripts::mutexRenew, {ask.name.bytes()}, {ask.owner.bytes(), Digits(ask.lease.count()).text()});
}

Command TextbookQueueLock::release(const Ask &ask, bool) const {
  return Command::evalsha(m_release, {ask.name.bytes(), own::lineKey(ask.name.bytes()), own::deadlinesKey(ask.name.bytes())},
                          {ask.owner.bytes(), clientOf(ask.owner)});
}

AcquireAnswer TextbookQueueLock::readAcquire(const Reply &reply) const { return lineAnswer(reply, isBusy(reply)); }

RenewAnswer TextbookQueueLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer TextbookQueueLock::readRelease(const Reply &reply) const { return queueReleaseOf(reply, isBusy(reply)); }

std::vector<PassedOn> TextbookQueueLock::readPassedOn(const Reply &reply) const { return passedOnIn(reply); }

} // namespace lockhouse
