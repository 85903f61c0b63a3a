// SPDX-License-Identifier: Apache-2.0
#include "core/lock/pages/composition.h"

#include <array>

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

// None by pub/sub: a waiter of several nodes would have to listen to all of them, and would be woken by each for nothing.
constexpr std::array policies{"backoff"sv, "spin"sv, "try"sv};

// Of what is made of one lock of one node: its own, those of a Mutex.
constexpr std::array lockPolicies{"backoff"sv, "pubsub"sv, "spin"sv, "try"sv};

constexpr std::array quorumPromises{
    "one holder at a time, as long as more than half of the nodes keep their data and all clocks agree within 1 %"sv,
    "works while more than half of the nodes answer; one that does not answer costs at most its node timeout, once"sv,
    "a failed acquire is given back at every node that may have it, and tells each node's vote"sv,
    "a node that lost the key gets it again with the next renewal, while a quorum stands without it"sv,
    "a node that restarted a short time ago does not vote until no lease from before can live"sv,
    "waiters of one client get in in their order; no waiter starves"sv,
    "readers beside readers, and never more permits out than there are, while so many nodes as each hold needs keep their data"sv,
};
constexpr std::array quorumNotPromised{
    "exclusion when more than half of the nodes lose their data or jump in time"sv,
    "order among waiters of different clients, of fair locks too: each node would have a line of its own"sv,
    "a fencing token: the nodes count without each other"sv,
    "the loss of many nodes by semaphores: of 5 nodes a hold of 2 permits needs 4, of more than 3 all of them"sv,
    "replicas or cluster nodes as members: they are refused"sv,
};
constexpr std::array multiPromises{
    "all of the names or none: what was taken is given back on a refusal, a cancel, a timeout or a loss"sv,
    "two clients that name the same locks in different order do not wait for each other for ever"sv,
    "names within one hash slot of one node are taken, renewed and released by one script, all at once"sv,
    "the keys are those of the single locks, which exclude it and are excluded by it"sv,
    "a name that is lost ends the whole hold"sv,
};
constexpr std::array multiNotPromised{
    "names of several slots become its own at one instant: earlier ones are held while the later ones are waited for"sv,
    "freedom from deadlock with a holder of one of the names who waits for another in an order of his own"sv,
    "exclusion across a failover or restart that loses a key"sv,
    "a fencing token"sv,
};

constexpr std::array stripedPromises{
    "a key always meets the same stripe, in every process, build and version"sv,
    "two holders of one key exclude each other as holders of the lock that it is made of do"sv,
    "many keys are taken all or none, each stripe once and in one order, so that nobody waits in a circle"sv,
    "a thread that would wait without limit for a stripe of its own is refused"sv,
};
constexpr std::array stripedNotPromised{
    "that holders of different keys do not wait for each other: they may share a stripe"sv,
    "anything between processes that were given different numbers of stripes"sv,
    "that many keys are taken at one instant"sv,
};
constexpr std::array fallbackPromises{
    "a hold of this process is given only when Redis has been out of reach for the time that you say, and says so of itself"sv,
    "in this client one holder at a time, in whichever scope, first come first served, within the wait limit"sv,
    "a hold keeps its scope as long as it lives; you are told when the fallback begins and ends"sv,
};
constexpr std::array fallbackNotPromised{
    "exclusion between processes while Redis is gone: two that lost it may both hold"sv,
    "exclusion between a hold of this process and a hold that another process got after Redis came back"sv,
    "a fencing token for a hold of this process"sv,
    "re-entry, or readers together"sv,
};

constexpr std::array quorumPlaces{
    LockPlace{"NAME", "string", "at each node what a Mutex has there; of another primitive what that one has"},
};
constexpr std::array quorumOutcomes{
    "each refusal lists the vote of each node: NotAcquired::detail"sv,
    "Contended, TimedOut: somebody else has it at too many nodes; Failed, Unreachable: too few nodes answer, within the wait limit or LockOptions::patience"sv,
    "the hold is lost when no quorum of nodes could renew it in time"sv,
    "a second acquire through the same handle: Failed, Usage, of locks that are not re-entrant"sv,
};
constexpr std::string_view quorumExample = R"(// quorum: Quorum::connect({"redis://a:6379", "redis://b:6379", "redis://c:6379"})
const auto lock = quorum.redLock(LockName("order:7"), {.lease = 10s, .waitLimit = 2s});
if (const auto held = lock.acquire())
  work();
else
  std::puts(held.error().sentence().c_str()); // with the vote of each node
)";
constexpr std::array multiPlaces{
    LockPlace{"NAME", "string", "of each of its names what a Mutex has there; of another primitive what that one has"},
};
constexpr std::array multiOutcomes{
    "a refusal tells the name that it stopped at: NotAcquired::detail; what was taken is given back behind it"sv,
    "no name, more than 1000, an empty one, a primitive with a line at the server: Failed, Usage"sv,
    "the loss of one name is the loss of all; the rest is given back"sv,
};
constexpr std::string_view multiExample = R"(// One hash tag, so that one script takes both.
const auto both = client.multiLock({LockName("basket:{5}:stock"), LockName("basket:{5}:paid")}, {.waitLimit = 2s});
if (const auto held = both.acquire())
  work();
)";
constexpr std::array stripedPlaces{
    LockPlace{"NAME:stripe:<number>", "string",
              "what a Mutex of that name has; made of another lock, what that one has. The number is below that of the stripes"},
};
constexpr std::array stripedOutcomes{
    "those of the lock that it is made of"sv,
    "a wait without limit for a stripe that this thread holds by this object: Failed, Usage"sv,
    "no stripes: Failed, Usage"sv,
    "acquireAll(): the refusal of the first stripe that could not be had; what was taken is given back"sv,
};
constexpr std::string_view stripedExample = R"(const StripedLock accounts(client.mutex(LockName("accounts"), {.waitLimit = 1s}), 256);
if (const auto held = accounts.acquire("account:4711"))
  work();
if (const auto both = accounts.acquireAll({"account:4711", "account:42"}))
  work(); // whoever takes the same two in another order waits in no circle
)";
constexpr std::array fallbackPlaces{
    LockPlace{"NAME", "string", "what a Mutex has; made of another lock, what that one has. Nothing of a hold of this process"},
};
constexpr std::array fallbackOutcomes{
    "Acquired says its scope: HoldScope::Redis or HoldScope::Process"sv,
    "TimedOut names nobody"sv,
    "Redis is there and refuses, is loading or answers in doubt: that is the outcome, not a fallback"sv,
    "on the client's own thread: Failed, Usage"sv,
};
constexpr std::string_view fallbackExample = R"(const FallbackLock report(client.mutex(LockName("report"), {.waitLimit = 5s}),
                          {.after = 2s, .alarm = [](const FallbackAlarm &alarm) { std::puts(alarm.entered ? "Redis is gone" : "Redis is back"); }});
if (const auto held = report.acquire()) {
  if (held->scope() == HoldScope::Process)
    std::puts("only this process is kept out");
  work();
}
)";
constexpr std::array infos{
    PrimitiveInfo{
        .name = "RedLock",
        .summary = "One lock over several independent nodes: held while more than half of them say so. In the format of a Mutex, or of any other "
                   "primitive.",
        .useWhen = "A lock has to outlive the loss of a node, and replication that may lose the last writes is not enough.",
        .avoidWhen = "One node is good enough, or the work can check a fence: each lock costs every node its commands.",
        .policies = policies,
        .promises = quorumPromises,
        .notPromised = quorumNotPromised,
        .commands = "of each node at the same time: acquire: EVALSHA of SET NX PX, 1 round trip; release: EVALSHA of GET, DEL, 1 round trip; renewal: EVALSHA "
                    "of GET, PEXPIRE, and of SET where the node has forgotten it",
        .source = "Redis documentation, \"Distributed Locks with Redis\": the Redlock algorithm, with delayed restarts",
        .sharedWith = "node-redlock, redsync and the Redlocks of other languages over the same nodes.",
        .places = quorumPlaces,
        .waiting = "Waiters of one client stand in line inside it; the first of them asks all nodes, and gives back what a round won without a quorum.",
        .outcomes = quorumOutcomes,
        .example = quorumExample,
    },
    PrimitiveInfo{
        .name = "MultiLock",
        .summary = "Several locks as one, all or nothing: in the format of a Mutex, or of another primitive without a line at the server.",
        .useWhen = "A piece of work needs several things at once, and others need some of them too.",
        .avoidWhen = "The things are always taken together: give them one name.",
        .policies = policies,
        .promises = multiPromises,
        .notPromised = multiNotPromised,
        .commands = "mutexes of one slot: acquire: EVALSHA of GETRANGE, EXISTS, SET, 1 round trip; release: EVALSHA of MGET, DEL, 1 round trip; renewal: "
                    "EVALSHA of GET, PEXPIRE; else what each of its locks costs, one after the other",
        .source = "resource ordering (Havender, \"Avoiding deadlock in multitasking systems\", IBM Systems Journal 1968)",
        .sharedWith = "Whoever shares its single locks: it has the same keys.",
        .places = multiPlaces,
        .waiting =
            "It waits for one name at a time, in one order for all clients, as a waiter of that single lock does; what it has already is renewed meanwhile.",
        .outcomes = multiOutcomes,
        .example = multiExample,
    },
    PrimitiveInfo{
        .name = "StripedLock",
        .summary = "A fixed number of locks for any number of keys: a key always meets the same stripe.",
        .useWhen = "There are more keys than locks should be kept in Redis, and two keys may now and then wait for each other.",
        .avoidWhen = "A holder must never wait for a stranger's key, or takes one key while it holds another: use a lock a key, or acquireAll().",
        .policies = lockPolicies,
        .promises = stripedPromises,
        .notPromised = stripedNotPromised,
        .commands = "as the lock that it is made of; many keys: one round trip a stripe",
        .source = "Guava's Striped; FNV-1a (Fowler, Noll, Vo) with the last mixing of MurmurHash3 (Appleby)",
        .sharedWith = "Whoever shares the lock that it is made of, under the stripe's name.",
        .places = stripedPlaces,
        .waiting = "As the lock that it is made of.",
        .outcomes = stripedOutcomes,
        .example = stripedExample,
    },
    PrimitiveInfo{
        .name = "FallbackLock",
        .summary = "A lock in Redis that becomes one of this process while Redis is gone, and says which it is.",
        .useWhen = "Going on with less is better than standing still, and the work can look at the scope of its hold.",
        .avoidWhen = "Two holders at a time would do harm: then an acquire that fails is the right answer.",
        .policies = lockPolicies,
        .promises = fallbackPromises,
        .notPromised = fallbackNotPromised,
        .commands = "as the lock that it is made of; none for a hold of this process but the acquire that finds Redis gone",
        .source = "Redisson's and DistributedLock's users, who build it by hand",
        .sharedWith = "Whoever shares the lock that it is made of, as long as Redis is there.",
        .places = fallbackPlaces,
        .waiting = "Acquires of one name of one client stand in line in it, first come first served; the one inside waits as the lock that it is made of.",
        .outcomes = fallbackOutcomes,
        .example = fallbackExample,
    },
};

} // namespace

const PrimitiveInfo &redLockInfo() { return infos[0]; }
const PrimitiveInfo &multiLockInfo() { return infos[1]; }
const PrimitiveInfo &stripedLockInfo() { return infos[2]; }
const PrimitiveInfo &fallbackLockInfo() { return infos[3]; }
std::span<const PrimitiveInfo> compositionInfos() { return infos; }

} // namespace lockhouse
