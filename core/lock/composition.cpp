// SPDX-License-Identifier: Apache-2.0
#include "core/lock/composition.h"

#include <array>

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

// None by pub/sub: a waiter of several nodes would have to listen to all of them, and would be woken by each for nothing.
constexpr std::array policies{"backoff"sv, "spin"sv, "try"sv};

constexpr std::array quorumPromises{
    "one holder at a time, as long as more than half of the nodes keep their data and all clocks agree within 1 %"sv,
    "works while more than half of the nodes answer; one that does not answer costs at most its node timeout, once"sv,
    "a failed acquire is given back at every node that may have it, and tells each node's vote"sv,
    "a node that lost the key gets it again with the next renewal, while a quorum stands without it"sv,
    "a node that restarted a short time ago does not vote until no lease from before can live"sv,
    "waiters of one client get in in their order; no waiter starves"sv,
};
constexpr std::array quorumNotPromised{
    "exclusion when more than half of the nodes lose their data or jump in time"sv,
    "order among waiters of different clients"sv,
    "a fencing token"sv,
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

constexpr std::array infos{
    PrimitiveInfo{
        .name = "RedLock",
        .summary = "One lock over several independent nodes: held while more than half of them say so. In the format of a Mutex, or of another primitive.",
        .useWhen = "A lock has to outlive the loss of a node, and replication that may lose the last writes is not enough.",
        .avoidWhen = "One node is good enough, or the work can check a fence: each lock costs every node its commands.",
        .policies = policies,
        .promises = quorumPromises,
        .notPromised = quorumNotPromised,
        .commands = "of each node at the same time: acquire: EVALSHA of SET NX PX, 1 round trip; release: EVALSHA of GET, DEL, 1 round trip",
        .source = "Redis documentation, \"Distributed Locks with Redis\": the Redlock algorithm, with delayed restarts",
    },
    PrimitiveInfo{
        .name = "MultiLock",
        .summary = "Several locks as one, all or nothing: in the format of a Mutex, or of another primitive.",
        .useWhen = "A piece of work needs several things at once, and others need some of them too.",
        .avoidWhen = "The things are always taken together: give them one name.",
        .policies = policies,
        .promises = multiPromises,
        .notPromised = multiNotPromised,
        .commands = "mutexes of one slot: acquire, release: one EVALSHA each, 1 round trip; else what each of its locks costs, one after the other",
        .source = "resource ordering (Havender, \"Avoiding deadlock in multitasking systems\", IBM Systems Journal 1968)",
    },
};

} // namespace

const PrimitiveInfo &redLockInfo() { return infos[0]; }
const PrimitiveInfo &multiLockInfo() { return infos[1]; }
std::span<const PrimitiveInfo> compositionInfos() { return infos; }

} // namespace lockhouse
