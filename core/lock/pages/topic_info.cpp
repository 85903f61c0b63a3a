// SPDX-License-Identifier: Apache-2.0
#include "core/lock/pages/topic_info.h"

#include <array>

namespace lockhouse {
namespace {

using namespace std::string_view_literals;
using Section = TopicInfo::Section;

constexpr std::array acquireLines{
    "Acquired: it is ours until validUntil(), counted from before the first send, less 1 % and 2 ms for clocks that differ; longer by renewal"sv,
    "Contended: somebody else has it and the policy was to ask once"sv,
    "TimedOut: the wait limit has passed, everything included; it names who has it, or says that the node has not answered"sv,
    "Cancelled: by the stop token, or by the end of the client; nothing of the acquire stays behind"sv,
    "InDoubt: sent and never answered; it is being given back with the same token, and is never held"sv,
    "Failed: refused, or the node could not be reached; the error says which, where, and what to do"sv,
};
constexpr std::array holdLines{
    "every third of the lease it is renewed, a little early; a renewal that failed is tried again after a tenth of the lease"sv,
    "only an answer prolongs the belief in a hold; at the end of its lease by this machine's clock it is lost, even if nothing was heard"sv,
    "lost: told once, through stopToken(), onLost() and isHeld(); the reason is lease ended, taken over, deleted or server restarted"sv,
    "a handle cannot stop its holder: work that must not overlap looks at isHeld(), or its resource checks a fence"sv,
};
constexpr std::array releaseLines{
    "Released: it was ours and is free, or the next waiter's"sv,
    "StillHeld: one count less, of what was entered several times"sv,
    "NotOwner: the key is gone or somebody else's; nothing was changed"sv,
    "InDoubt: not answered within three seconds; it is tried on behind, and renewed no more"sv,
    "Failed: the server refuses it; the lease ends by itself"sv,
};
constexpr std::array outcomeSections{Section{"What an acquire says", acquireLines}, Section{"While it is held", holdLines},
                                     Section{"What a release says", releaseLines}};
constexpr std::string_view outcomeExample = R"(const auto lock = client.mutex(LockName("order:7"), {.waitLimit = 1s});
auto held = lock.acquire();
if (!held)
  std::puts(held.error().sentence().c_str()); // busy, and who has it; or what the node is wanting in
else if (held->isHeld()) {
  work();
  std::puts(name(held->release()).data());
}
)";

constexpr std::array ownerLines{
    "each hold has a name of its own, whatever the format: its owner is the handle, not the thread, so a hold may move between threads"sv,
    "it is what the key holds, what a release compares, and what others are told as the holder"sv,
};
constexpr std::array ownerFormats{
    "by primitive: what the primitive's format says, the default; see the keys on its page"sv,
    "token: 32 hex digits of 128 random bits"sv,
    "uuid:number: the client's UUID and the number of the hold, as Redisson's uuid:threadId"sv,
    "snowflake: a 64-bit number in decimal that grows with the time, 41 bits of milliseconds since 2024, 10 bits worker, 12 bits sequence"sv,
};
constexpr std::array ownerRules{
    "a primitive that writes a random token takes any of them; one that writes uuid:number takes nothing else: every acquire is Failed, Usage"sv,
    "TimedLock and SharedTimedLock give each thread a hold of its own, so that a thread may enter again as with the standard's recursive mutex"sv,
};
constexpr std::array snowflakeLines{
    "the clients of one process that have the same worker never make a number twice, and each is greater than the one before, whatever the clock does"sv,
    "not promised: anything between two processes with the same worker, or across a restart with a clock that was set back; unlike a token it can be guessed"sv,
    "give every process a worker of its own, 0 to 1023"sv,
};
constexpr std::array ownerSections{Section{"What it is", ownerLines}, Section{"Formats", ownerFormats}, Section{"Who takes which", ownerRules},
                                   Section{"Snowflakes", snowflakeLines}};
constexpr std::string_view ownerExample = R"(ClientOptions options;
options.owners = {.format = OwnerFormat::Snowflake, .worker = 17};
const auto worker = Client::connect(url, std::move(options));
if (const auto held = worker->mutex(LockName("order:7")).acquire()) {
  std::puts(held->token().bytes().c_str()); // sortable by time, and says that worker 17 has it
  work();
}
)";

constexpr std::array fenceWhy{
    "a lock cannot stop its holder: it may be stopped between looking at the lock and writing, for longer than its lease lasts"sv,
    "a fence is a number that grows with every hold; a resource that remembers the highest and refuses older ones is safe from such a holder"sv,
    "FencedLock and HandoffLock give one: LockHandle::fence(). It is the same when the hold is entered again"sv,
};
constexpr std::array fenceWhere{
    "C++: FenceCheck, in the process that owns the resource; thread-safe, its memory is bounded"sv,
    "Redis: fencedSet(), or fence_guard.lua, one command; the highest fence is kept beside the value, in its slot"sv,
    "SQL: fence_guard.sql, a column and a condition in the UPDATE; runs as it is in SQLite, PostgreSQL and MySQL"sv,
    "fence_guard.lua and fence_guard.sql are installed as examples, to be copied"sv,
};
constexpr std::array fenceRules{
    "check right at the write, in its own transaction or critical section"sv,
    "the same fence passes again: one holder may write often"sv,
    "fences of different locks are not comparable: name the resource after its lock"sv,
    "a mark that is forgotten lets any fence pass: keep it for longer than any writer can be late"sv,
    "not promised: anything about work that was admitted and still runs when a newer fence comes"sv,
};
constexpr std::array fenceSections{Section{"Why", fenceWhy}, Section{"Where", fenceWhere}, Section{"Rules", fenceRules}};
constexpr std::string_view fenceExample = R"(FenceCheck stock; // beside the resource
const auto lock = client.lock(*Primitive::find("HandoffLock"), LockName("stock:204"), {.waitLimit = 5s});
if (const auto held = lock.acquire())
  if (stock.check("stock:204", *held->fence()) == FenceVerdict::Admitted)
    work();
)";

constexpr std::array replicaWhat{
    "a lock on one node is lost when the node fails before its replica has heard of it; LockOptions::acknowledge narrows that gap"sv,
    "ReplicaAck::by(k): so many replicas; majority(): so many that most copies have it, the node's own included; all()"sv,
    "majority and all count the replicas that the node lists at that moment; a node that lists none is refused"sv,
};
constexpr std::array replicaHow{
    "after the grant WAIT on the connection of the ask, 1 round trip more; majority and all ask INFO replication before, 1 more"sv,
    "these asks have a connection to themselves, since WAIT holds up what comes behind it; renewals and releases go with all others"sv,
    "bounded by ReplicaAck::limit (1 s), nine tenths of what is left of the wait limit, and the lease; the lease counts from before the ask, so the wait is part of it"sv,
    "a waiter that is made the owner by somebody's release asks once more, so that its own write is waited for"sv,
};
constexpr std::array replicaSays{
    "held: LockHandle::acknowledged() says how many replicas had it, and how many were wanted"sv,
    "too few in time: Failed, TooFewCopies, \"acked 1 of 2 wanted replicas\"; it was never told as a hold, and is given back behind this answer"sv,
    "a server that refuses WAIT, or a connection lost meanwhile: Failed, with that reason; the hold is given back"sv,
};
constexpr std::array replicaNot{
    "exclusion across every failover: a replica that does not have the hold may be promoted, and replicas do not vote on it"sv,
    "anything of renewals and releases, which are not waited for"sv,
    "RedLock: its nodes are independent; asking for an acknowledgement there is Failed, Usage"sv,
};
constexpr std::array replicaSections{Section{"What it is", replicaWhat}, Section{"Commands and round trips", replicaHow},
                                     Section{"What an acquire says", replicaSays}, Section{"Not promised", replicaNot}};
constexpr std::string_view replicaExample =
    R"(const auto lock = client.mutex(LockName("order:7"), {.waitLimit = 1s, .acknowledge = ReplicaAck::majority(200ms)});
auto held = lock.acquire();
const auto *failed = held ? nullptr : std::get_if<Failed>(&held.error().outcome);
if (failed != nullptr && failed->error.code == ErrorCode::TooFewCopies)
  std::puts(failed->error.sentence().c_str()); // no hold: fewer copies than wanted
else if (held)
  work();
)";

constexpr std::array topics{
    TopicInfo{"outcomes", "What acquires and releases say, and what happens to a hold in between; the same for every primitive.", outcomeSections,
              outcomeExample, "Lockhouse"},
    TopicInfo{"owners", "What the owner of a hold is called in Redis.", ownerSections, ownerExample, "Redisson (uuid:threadId); Twitter's Snowflake, 2010"},
    TopicInfo{"replicas", "Holds that count only when replicas of the node have them.", replicaSections, replicaExample, "Redis documentation, \"WAIT\""},
    TopicInfo{"fences", "The resource's side of a lock: refusing whoever has lost it and does not know it yet.", fenceSections, fenceExample,
              "Kleppmann, \"How to do distributed locking\", 2016"},
};

} // namespace

std::span<const TopicInfo> topicInfos() { return topics; }

} // namespace lockhouse
