// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/shared/multi_holder_locks.h"

#include "core/base/lockhouse_names.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::array readWritePolicies{"fair"sv, "writers-first"sv, "try"sv};
constexpr std::array readWritePromises{
    "one writer and nobody else, or any number of readers, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "policy fair: in the order in which they came to the server; readers that stand together enter together"sv,
    "policy writers-first: no writer waits for a reader that came later"sv,
    "a lease for each reader: one that is gone is not kept by the others' renewals"sv,
    "a writer goes on as a reader, and no other writer gets in between; the readers that stand first come in with it"sv,
    "a reader becomes the writer before all that wait, and keeps reading until then; of two who want that, the second is refused at once"sv,
    "any number of waiters whose process ended delay the others by one lease in all"sv,
};
constexpr std::array readWriteNotPromised{
    "exclusion across a failover or restart that loses the key"sv,
    "that readers get in under policy writers-first while writers keep coming"sv,
    "re-entry: a second acquire through the same handle is refused"sv,
    "a fencing token"sv,
};
constexpr std::array readWritePlaces{
    LockPlace{"NAME", "zset",
              "w/<client uuid>:<number> of the writer (w<n>/… of one who was a reader) or r/… of each reader, score: the epoch ms at which its lease ends; "
              "lives as long as the longest lease"},
    LockPlace{"lockhouse:queue:{NAME}", "zset",
              "the same of each waiter, u<n>/… first of a reader who becomes the writer, score: its place; lives one lease after the last ask"},
    LockPlace{"lockhouse:deadlines:{NAME}", "hash",
              "of each client that waits: until which epoch ms of the server its places last; lives one lease after the last ask"},
    LockPlace{"lockhouse:inbox:<client uuid>", "channel", "\"FairReadWriteLock <number> <instant in us> NAME\": this waiter of the client is in now"},
};
constexpr std::array readWriteOutcomes{
    "Contended names the holder whose lease ends first and the time left of it, TimedOut the holder"sv,
    "TimedOut and Cancelled give the place back, and a grant that is on its way"sv,
    "a second acquire through the same handle: Failed, Usage"sv,
    "becomeWriter() while another reader is becoming the writer: Failed, Deadlock, at once; release this hold and acquire as a writer"sv,
    "becomeWriter() that ends otherwise than Acquired: it is a reader as before; InDoubt is taken back by the renewals too"sv,
    "becomeWriter() of a hold that is lost meanwhile: Failed, Server, and the loss is told"sv,
    "a reader that asks as a writer through another handle waits for itself: TimedOut, or for ever without a wait limit"sv,
    "a key of another type under the name: Failed, \"choose another key\"; a release that finds one: NotOwner"sv,
};
constexpr std::string_view readWriteExample =
    R"(const auto index = client.lock(*Primitive::find("FairReadWriteLock"), LockName("index"), {.policy = AcquirePolicy::writersFirst(), .waitLimit = 5s});
if (const auto reading = index.as({.shared = true}).acquire())
  work(); // beside other readers
if (auto held = index.acquire()) {
  work(); // alone, and before all readers that waited
  held->becomeReader();
  work(); // beside other readers, and no writer came between
  if (std::holds_alternative<Acquired>(held->becomeWriter()))
    work(); // alone again, before all that wait
}
)";
constexpr PrimitiveInfo readWrite{
    .name = "FairReadWriteLock",
    .summary = "A read-write lock with a queue at the server: a lease for each reader, readers let in together, writers never starved.",
    .useWhen = "Many read and some write, and you share the lock with no Redisson.",
    .avoidWhen = "Java services share it: use ReadWriteLock. Reads are short: a plain lock costs the server less.",
    .policies = readWritePolicies,
    .promises = readWritePromises,
    .notPromised = readWriteNotPromised,
    .commands = "acquire: EVALSHA of TIME, ZRANGE, ZADD, PEXPIRE, 1 round trip; release: EVALSHA of ZREM, TIME, ZRANGE, DEL, 1 round trip; handoff: ZRANGE, "
                "HGET, ZREM, ZADD, PEXPIRE and PUBLISH in the release's script, half a round trip; renewal: EVALSHA of TIME, ZSCORE, ZADD, PTTL, PEXPIRE",
    .source = "Lockhouse; Courtois, Heymans, Parnas, \"Concurrent Control with Readers and Writers\", CACM 1971",
    .sharedWith = "Nobody: the format is Lockhouse's own.",
    .places = readWritePlaces,
    .waiting =
        "The ask that is refused gives the waiter its place. One SUBSCRIBE for each client, to its inbox, whatever the number of its locks and waiters; "
        "a waiting client asks every third of its lease, so that its places last. A reader who becomes the writer waits likewise, before all others, and "
        "asks once more when it is told.",
    .outcomes = readWriteOutcomes,
    .costs = {.commands = 2, .calls = 12, .crowdedCommands = 2, .crowdedCalls = 17},
    .example = readWriteExample,
};

constexpr std::array semaphorePolicies{"fair"sv, "try"sv};
constexpr std::array semaphorePromises{
    "never more holders than permits, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "free and held permits are as many as the capacity at every instant: the permits of a vanished holder come back with its lease"sv,
    "waiters get in in the order in which they came to the server"sv,
    "any number of waiters whose process ended delay the others by one lease in all"sv,
};
constexpr std::array semaphoreNotPromised{
    "permits kept across a failover or restart that loses the key"sv,
    "a change of the capacity while anybody holds a permit: what the first holder said counts"sv,
    "that few permits overtake many: who stands first and wants many is waited for"sv,
    "re-entry: a second acquire through the same handle is refused"sv,
};
constexpr std::array semaphorePlaces{
    LockPlace{"NAME", "zset",
              "<client uuid>:<number>/<permit> of each permit that is held, score: the epoch ms at which its lease ends; lives as long as the longest lease"},
    LockPlace{"lockhouse:queue:{NAME}", "zset", "<permits>/<client uuid>:<number> of each waiter, score: its place; lives one lease after the last ask"},
    LockPlace{"lockhouse:deadlines:{NAME}", "hash",
              "of each client that waits: until which epoch ms of the server its places last; lives one lease after the last ask"},
    LockPlace{"lockhouse:capacity:{NAME}", "string", "how many permits there are, as the first holder said; lives as long as anybody holds one"},
    LockPlace{"lockhouse:inbox:<client uuid>", "channel", "\"LeasedSemaphore <number> <instant in us> NAME\": this waiter of the client is in now"},
};
constexpr std::array semaphoreOutcomes{
    "Contended names the holder whose lease ends first and the time left of it, TimedOut the holder"sv,
    "more permits than LockMode::capacity, or than 10000: Failed, Usage"sv,
    "TimedOut and Cancelled give the place back, and a grant that is on its way"sv,
    "a second acquire through the same handle: Failed, Usage"sv,
    "a key of another type under the name: Failed, \"choose another key\"; a release that finds one: NotOwner"sv,
};
constexpr std::string_view semaphoreExample =
    R"(const auto lanes = client.lock(*Primitive::find("LeasedSemaphore"), LockName("lanes"), {.waitLimit = 5s, .mode = {.permits = 1, .capacity = 3}});
if (const auto held = lanes.acquire())
  work(); // beside at most two others
)";
constexpr PrimitiveInfo semaphore{
    .name = "LeasedSemaphore",
    .summary = "A semaphore whose permits are leases by the server's time, with a queue at the server.",
    .useWhen = "At most n at a time, and a holder that is gone must not keep its permits.",
    .avoidWhen = "Java services share it: use ExpirablePermits. One at a time: use HandoffLock.",
    .policies = semaphorePolicies,
    .promises = semaphorePromises,
    .notPromised = semaphoreNotPromised,
    .commands = "acquire: EVALSHA of TIME, ZRANGE, GET, ZCARD, SET, ZADD, PEXPIRE, 1 round trip; release: EVALSHA of ZREM, TIME, ZRANGE, DEL, 1 round trip; "
                "handoff: ZRANGE, HGET, GET, ZCARD, ZREM, PTTL, ZADD, PEXPIRE and PUBLISH in the release's script, half a round trip; renewal: EVALSHA of "
                "EXISTS, TIME, ZSCORE, ZADD, PTTL, PEXPIRE",
    .source = "Lockhouse; DistributedLock's RedisSemaphore (permits by server time)",
    .sharedWith = "Nobody: the format is Lockhouse's own.",
    .places = semaphorePlaces,
    .waiting = "The ask that is refused gives the waiter its place. One SUBSCRIBE for each client, to its inbox, whatever the number of its locks and waiters; "
               "a waiting client asks every third of its lease, so that its places last.",
    .outcomes = semaphoreOutcomes,
    .costs = {.commands = 2, .calls = 16, .crowdedCommands = 2, .crowdedCalls = 24},
    .example = semaphoreExample,
};

std::string_view flag(bool on) { return on ? "1" : "0"; }

// "w/token", "r/token", "w7/token" or "token/i".
std::string_view tokenIn(std::string_view member, bool permits) { return permits ? member.substr(0, member.rfind('/')) : member.substr(member.find('/') + 1); }

Command withAllKeys(const Script &script, const LockName &lock, std::initializer_list<std::string_view> args) {
  const auto &name = lock.bytes();
  return Command::evalsha(script, {name, own::queueKey(name), own::deadlinesKey(name), own::capacityKey(name)}, args);
}

} // namespace

constexpr MultiHolderLock MultiHolderLock::fairReadWrite{
    readWrite, {lock_scripts::fairReadWriteAcquire, lock_scripts::fairReadWriteRenew, lock_scripts::fairReadWriteRelease}, false};
constexpr MultiHolderLock MultiHolderLock::leasedSemaphore{
    semaphore, {lock_scripts::leasedSemaphoreAcquire, lock_scripts::leasedSemaphoreRenew, lock_scripts::leasedSemaphoreRelease}, true};

std::string MultiHolderLock::kind(const LockMode &mode) const { return m_permits ? std::to_string(mode.permits) : mode.shared ? "r" : "w"; }

Result<LockToken> MultiHolderLock::owner(std::string_view client, std::uint64_t number) const { return numberedOwner(client, number); }

Command MultiHolderLock::acquire(const Ask &ask, bool) const {
  if (ask.upgrading && !m_permits)
    return upgrade(ask);
  const bool isAhead = ask.policy.kind == AcquirePolicy::Kind::WritersFirst && !ask.mode.shared;
  return withAllKeys(m_scripts.acquire, ask.name,
                     {ask.owner.bytes(), Digits(ask.lease.count()).text(), clientOf(ask.owner), flag(ask.waits), flag(ask.refresh), kind(ask.mode),
                      flag(isAhead), Digits(ask.mode.capacity).text()});
}

Command MultiHolderLock::upgrade(const Ask &ask) const {
  return withAllKeys(lock_scripts::fairReadWriteUpgrade, ask.name,
                     {ask.owner.bytes(), Digits(ask.lease.count()).text(), clientOf(ask.owner), flag(ask.waits), flag(ask.refresh),
                      Digits(ask.settledUpgrades).text(), Digits(ask.upgrades).text()});
}

Command MultiHolderLock::renew(const Ask &ask) const {
  if (!m_permits)
    return renewAs(ask, ask.upgrading ? "u" : ask.mode.shared ? "r" : "w");
  return Command::evalsha(m_scripts.renew, {ask.name.bytes(), own::capacityKey(ask.name.bytes())},
                          {ask.owner.bytes(), Digits(ask.lease.count()).text(), kind(ask.mode)});
}

Command MultiHolderLock::renewAs(const Ask &ask, std::string_view what) const {
  return withAllKeys(m_scripts.renew, ask.name,
                     {ask.owner.bytes(), Digits(ask.lease.count()).text(), what, Digits(ask.settledUpgrades).text(), Digits(ask.upgrades).text()});
}

Command MultiHolderLock::release(const Ask &ask, bool) const {
  if (ask.count > 0) // of one that is not re-entrant: an upgrade is taken back
    return renewAs(ask, "r");
  return withAllKeys(m_scripts.release, ask.name,
                     {ask.owner.bytes(), clientOf(ask.owner), kind(ask.mode), Digits(ask.settledUpgrades).text(), Digits(ask.upgrades).text()});
}

AcquireAnswer MultiHolderLock::readAcquire(const Reply &reply) const {
  if (reply.integer() == 0)
    return {AcquireAnswer::Kind::HoldLost};
  if (reply.isArray() && reply.array().size() == 2 && reply.array()[0].integer() == -1)
    return {.kind = AcquireAnswer::Kind::Deadlock, .holder = std::string(reply.array()[1].text().value_or(""))};
  auto answer = lineAnswer(reply, isBusy(reply));
  if (answer.holder)
    answer.holder = std::string(tokenIn(*answer.holder, m_permits));
  return answer;
}

RenewAnswer MultiHolderLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer MultiHolderLock::readRelease(const Reply &reply) const { return queueReleaseOf(reply, isBusy(reply)); }

std::vector<PassedOn> MultiHolderLock::readPassedOn(const Reply &reply) const { return passedOnIn(reply); }

} // namespace lockhouse
