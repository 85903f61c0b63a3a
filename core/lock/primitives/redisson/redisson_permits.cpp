// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/redisson/redisson_permits.h"

#include "core/base/lockhouse_names.h"
#include "core/base/random.h"
#include "core/base/redisson_names.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::array policies{"pubsub"sv, "backoff"sv, "spin"sv, "try"sv};
constexpr std::array semaphorePromises{
    "never more permits out than there are, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "the same counter, channel and messages as Redisson's RSemaphore"sv,
    "permits of a process of ours that ended come back after their lease; a command that is sent twice never counts twice"sv,
    "waiters of one client get in in their order"sv,
};
constexpr std::array expirablePromises{
    "never more permits out than there are, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "the same keys, permit ids, channel and messages as Redisson's RPermitExpirableSemaphore"sv,
    "permits of a process that ended come back after their lease; a command that is sent twice never counts twice"sv,
    "waiters of one client get in in their order"sv,
};
constexpr std::array notPromised{
    "the bound across a failover or restart that loses the keys"sv,
    "order among waiters of different clients, and that many permits are had at all while others take few"sv,
    "who has a permit, where the counter was changed by somebody else"sv,
    "that a counter of ours stays for Redisson: it has to say how many there are (trySetPermits) before we do"sv,
};
constexpr std::array semaphorePlaces{
    LockPlace{"NAME", "string", "how many permits are free; made by us it goes with the last permit, made by Redisson (trySetPermits) it stays"},
    LockPlace{"lockhouse:permits:{NAME}", "zset", "our permits that are out, <client uuid>:<number>:<permit>, score: the epoch ms at which each lapses"},
    LockPlace{"lockhouse:capacity:{NAME}", "string", "how many there are, where we made the counter; goes with it"},
    LockPlace{"redisson_sc:{NAME}", "channel", "the new number of free permits, whenever some come back"},
};
constexpr std::array permitOutcomes{
    "Contended and TimedOut name nobody; Contended tells when the first of the permits that are out lapses"sv,
    "more permits than LockMode::capacity, or than 10000: Failed, Usage"sv,
    "a second acquire through the same handle: Failed, Usage"sv,
    "a string that is no number, or a key of another type, under the name: Failed, an error of the server"sv,
    "a counter that was deleted meanwhile: the hold is lost, a release finds NotOwner"sv,
};
constexpr std::string_view semaphoreExample =
    R"(const auto licences = client.semaphore(LockName("licences"), {.waitLimit = 5s, .mode = {.permits = 1, .capacity = 4}});
if (const auto held = licences.acquire())
  work(); // beside at most three others
)";
constexpr PrimitiveInfo semaphoreInfo{
    .name = "Semaphore",
    .summary = "So many at once: a counter of free permits, shared with Redisson's RSemaphore; ours have leases.",
    .useWhen = "You share a bound with Java services on Redisson's RSemaphore.",
    .avoidWhen = "You may choose: ExpirablePermits gives back permits of Java processes that ended, too.",
    .policies = policies,
    .promises = semaphorePromises,
    .notPromised = notPromised,
    .commands = "acquire: EVALSHA of GET, SET, DEL, TIME, ZSCORE, ZRANGEBYSCORE, DECRBY, ZADD, EXISTS, ZRANGE, PEXPIREAT, 1 round trip; release: EVALSHA of "
                "GET, ZREM, EXISTS, INCRBY, DEL, PUBLISH, 1 round trip; renewal: EVALSHA of GET, ZSCORE, TIME, ZADD, EXISTS, ZRANGE, PEXPIREAT",
    .source = "Redisson's RSemaphore, its data format and messages",
    .sharedWith = "Redisson's RSemaphore, from Java.",
    .places = semaphorePlaces,
    .waiting = "One SUBSCRIBE for each client and semaphore, however many wait. Each asks for itself until one is refused; from then on they stand in line "
               "inside the client, and as many ask as there is room for.",
    .outcomes = permitOutcomes,
    .costs = {.commands = 2, .calls = 23, .crowdedCommands = 2, .crowdedCalls = 19},
    .example = semaphoreExample,
};
constexpr std::array expirablePlaces{
    LockPlace{"NAME", "string", "how many permits are free; made by us it goes with the last permit, made by Redisson (trySetPermits) it stays"},
    LockPlace{"{NAME}:timeout", "zset", "the permits that are out, 16 bytes each, score: the epoch ms at which each lapses"},
    LockPlace{"lockhouse:capacity:{NAME}", "string", "how many there are, where we made the counter; goes with it"},
    LockPlace{"redisson_sc:{NAME}", "channel", "the new number of free permits, whenever some come back"},
};
constexpr std::string_view expirableExample =
    R"(const auto uplink = client.expirablePermits(LockName("uplink"), {.lease = 20s, .waitLimit = 5s, .mode = {.permits = 2, .capacity = 10}});
if (const auto held = uplink.acquire())
  work(); // two of the ten are ours
)";
constexpr PrimitiveInfo expirableInfo{
    .name = "ExpirablePermits",
    .summary = "So many at once, each with a lease: a counter and the permits that are out, shared with Redisson's RPermitExpirableSemaphore.",
    .useWhen = "A resource bears so many users and no more, and users may end without a word.",
    .avoidWhen = "One at a time: Mutex costs the server half.",
    .policies = policies,
    .promises = expirablePromises,
    .notPromised = notPromised,
    .commands = "acquire: EVALSHA of GET, SET, DEL, TIME, ZSCORE, ZRANGEBYSCORE, DECRBY, ZADD, EXISTS, ZRANGE, PEXPIREAT, 1 round trip; release: EVALSHA of "
                "GET, ZREM, EXISTS, INCRBY, DEL, PUBLISH, 1 round trip; renewal: EVALSHA of GET, ZSCORE, TIME, ZADD, EXISTS, ZRANGE, PEXPIREAT",
    .source = "Redisson's RPermitExpirableSemaphore, its data format and messages",
    .sharedWith = "Redisson's RPermitExpirableSemaphore, from Java.",
    .places = expirablePlaces,
    .waiting = "One SUBSCRIBE for each client and semaphore, however many wait. Each asks for itself until one is refused; from then on they stand in line "
               "inside the client, and as many ask as there is room for.",
    .outcomes = permitOutcomes,
    .costs = {.commands = 2, .calls = 23, .crowdedCommands = 2, .crowdedCalls = 19},
    .example = expirableExample,
};

constexpr std::size_t countBytes = 2; // of an expirable permit's id

std::string digits(std::int64_t number) { return std::string(Digits(number).text()); }

} // namespace

Command RedissonPermits::command(const Script &script, const Ask &ask, std::vector<std::string> words) const {
  for (std::int64_t i = 0; i < ask.mode.permits; ++i)
    words.push_back(permitId(ask.owner, i));
  const auto out = outKey(ask.name.bytes());
  const auto capacity = own::capacityKey(ask.name.bytes());
  const std::array<std::string_view, 3> keys{ask.name.bytes(), out, capacity};
  const std::vector<std::string_view> args(words.begin(), words.end());
  return Command::evalsha(script, keys, args);
}

Command RedissonPermits::acquire(const Ask &ask, bool) const {
  return command(lock_scripts::permitsAcquire, ask,
                 {digits(ask.lease.count()), digits(ask.mode.capacity), wakeChannel(ask.name).bytes(), std::string(publishWord(ask.server))});
}

Command RedissonPermits::renew(const Ask &ask) const { return command(lock_scripts::permitsRenew, ask, {digits(ask.lease.count())}); }

Command RedissonPermits::release(const Ask &ask, bool) const {
  return command(lock_scripts::permitsRelease, ask, {wakeChannel(ask.name).bytes(), std::string(publishWord(ask.server))});
}

AcquireAnswer RedissonPermits::readAcquire(const Reply &reply) const { return roomyGrant(reply, isBusy(reply)); }

RenewAnswer RedissonPermits::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer RedissonPermits::readRelease(const Reply &reply) const { return countLeft(reply, isBusy(reply)); }

Channel RedissonPermits::wakeChannel(const LockName &name) const { return Channel(redisson::semaphoreChannel(name.bytes())); }

const PrimitiveInfo &Semaphore::info() const { return semaphoreInfo; }

Result<LockToken> Semaphore::owner(std::string_view client, std::uint64_t number) const { return numberedOwner(client, number); }

std::string Semaphore::outKey(std::string_view name) const { return own::companion("permits", name); }

std::string Semaphore::permitId(const LockToken &owner, std::int64_t number) const { return owner.bytes() + ":" + std::to_string(number); }

const PrimitiveInfo &ExpirablePermits::info() const { return expirableInfo; }

Result<LockToken> ExpirablePermits::owner(std::string_view, std::uint64_t) const {
  std::string id(16, '\0');
  if (auto filled = randomBytes(std::span(id).first(id.size() - countBytes)); !filled)
    return std::unexpected(std::move(filled.error()));
  return LockToken(std::move(id));
}

std::string ExpirablePermits::outKey(std::string_view name) const { return redisson::permitsKey(name); }

std::string ExpirablePermits::permitId(const LockToken &owner, std::int64_t number) const {
  auto id = owner.bytes();
  if (number > 0 && id.size() >= countBytes) {
    id[id.size() - 2] = static_cast<char>(number >> 8);
    id[id.size() - 1] = static_cast<char>(number & 0xff);
  }
  return id;
}

} // namespace lockhouse
