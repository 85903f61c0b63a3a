// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/redisson/read_write_lock.h"

#include "core/base/redisson_names.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::array policies{"pubsub"sv, "backoff"sv, "spin"sv, "try"sv};
constexpr std::array promises{
    "many readers or one writer, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "the same keys, fields, channel and messages as Redisson's RReadWriteLock: Java and C++ exclude each other and wake each other"sv,
    "each reader has its own lease: one whose process ended delays writers by one lease, whatever other readers do"sv,
    "a holder may acquire it again, and a writer may go on as a reader; a command that is sent twice never counts twice"sv,
    "waiters of one client get in in their order"sv,
};
constexpr std::array notPromised{
    "exclusion across a failover or restart that loses the key"sv,
    "order among readers and writers of different clients: a stream of readers may keep writers out"sv,
    "that a reader may become the writer"sv,
    "a fencing token"sv,
};
constexpr std::array places{
    LockPlace{"NAME", "hash",
              "mode: read or write; <client uuid>:<number>, of a writer with :write behind it: how often its owner is in; lives as long as the longest lease"},
    LockPlace{"{NAME}:<reader>:rwlock_timeout:<entry>", "string", "one for each entry of a reader, \"1\"; lives as long as that entry's lease"},
    LockPlace{"redisson_rwlock:{NAME}", "channel", "\"0\" when the last reader left, \"1\" and then \"0\" when the writer did"},
};
constexpr std::array outcomes{
    "Contended and TimedOut name the holder where there is one alone"sv,
    "a second acquire through the same handle: Acquired, one count up, 1 round trip; a release that leaves a count: StillHeld, of the same kind of hold"sv,
    "a reader that asks as a writer waits for itself: TimedOut, or for ever without a wait limit; a writer becomes a reader by LockHandle::becomeReader()"sv,
    "a re-entry of a hold that is gone from Redis: Failed, and the hold is told its loss; nothing is taken anew"sv,
    "more counts than LockOptions::countLimit: Failed, Usage"sv,
    "a key of another type under the name: Failed, \"choose another key\"; a release that finds one: NotOwner"sv,
};
constexpr std::string_view example = R"(SharedTimedLock catalogue(client.readWriteLock(LockName("catalogue")));
{
  const std::shared_lock reading(catalogue); // beside other readers
  work();
}
if (const std::unique_lock writing(catalogue, 2s); writing)
  work(); // alone
)";
constexpr PrimitiveInfo about{
    .name = "ReadWriteLock",
    .summary = "Many readers or one writer: a hash with a field for each holder, shared with Redisson's RReadWriteLock.",
    .useWhen = "Most holders only read, and they hold it long enough that it pays to let them in together; or Java services share it.",
    .avoidWhen = "Holds are short: a plain lock costs the server half.",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands = "acquire: EVALSHA of HGET, EXISTS, HSET, PEXPIRE, of a reader of PTTL, SET too, 1 round trip; release: EVALSHA of HGET, HDEL, HLEN, DEL, "
                "PUBLISH, 1 round trip; renewal: EVALSHA of HEXISTS, PTTL, PEXPIRE, of a reader of HGET, PTTL, SET",
    .source = "Redisson's RReadWriteLock, its data format and messages",
    .sharedWith = "Redisson's RReadWriteLock, from Java.",
    .places = places,
    .waiting = "One SUBSCRIBE for each client and lock, however many wait. Each asks for itself until one is refused; from then on they stand in line inside "
               "the client, and as many ask as there is room for.",
    .outcomes = outcomes,
    .costs = {.commands = 2, .calls = 12, .crowdedCommands = 2, .crowdedCalls = 12.7},
    .example = example,
};

} // namespace

const PrimitiveInfo &ReadWriteLock::info() const { return about; }

Result<LockToken> ReadWriteLock::owner(std::string_view client, std::uint64_t number) const {
  return LockToken(std::string(client) + ":" + std::to_string(number));
}

Command ReadWriteLock::acquire(const Ask &ask, bool) const {
  return Command::evalsha(ask.mode.shared ? lock_scripts::rwReadAcquire : lock_scripts::rwWriteAcquire,
                          {ask.name.bytes(), redisson::readerLeasePrefix(ask.name.bytes())},
                          {Digits(ask.lease.count()).text(), ask.owner.bytes(), Digits(ask.count).text()});
}

Command ReadWriteLock::renew(const Ask &ask) const {
  return Command::evalsha(ask.mode.shared ? lock_scripts::rwReadRenew : lock_scripts::rwWriteRenew,
                          {ask.name.bytes(), redisson::readerLeasePrefix(ask.name.bytes())},
                          {Digits(ask.lease.count()).text(), ask.owner.bytes(), wakeChannel(ask.name).bytes(), publishWord(ask.server)});
}

Command ReadWriteLock::release(const Ask &ask, bool) const {
  return Command::evalsha(
      ask.mode.shared ? lock_scripts::rwReadRelease : lock_scripts::rwWriteRelease, {ask.name.bytes(), redisson::readerLeasePrefix(ask.name.bytes())},
      {Digits(ask.lease.count()).text(), ask.owner.bytes(), Digits(ask.count).text(), wakeChannel(ask.name).bytes(), publishWord(ask.server)});
}

AcquireAnswer ReadWriteLock::readAcquire(const Reply &reply) const { return roomyGrant(reply, isBusy(reply)); }

RenewAnswer ReadWriteLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer ReadWriteLock::readRelease(const Reply &reply) const { return countLeft(reply, isBusy(reply)); }

Channel ReadWriteLock::wakeChannel(const LockName &name) const { return Channel(redisson::rwChannel(name.bytes())); }

} // namespace lockhouse
