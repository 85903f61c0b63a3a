// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/node/change_feed.h"
#include "core/watch/node/cluster_view.h"
#include "core/watch/node/lock_cache.h"
#include "core/watch/node/remote_subscribers.h"
#include "core/watch/node/server_info.h"
#include "core/watch/node/slot_moves.h"
#include "core/watch/node/subscriber_counts.h"
#include "core/watch/scan/keyspace_scan.h"
#include "core/watch/scan/read_rate_limiter.h"
#include "core/watch/scan/reads_in_flight.h"

#include <array>
#include <functional>
#include <unordered_set>
#include <variant>

namespace lockhouse {

/// When an event happened, by both clocks.
struct Moment {
  SteadyTime steady{};
  WallTime wall{};
};

// What happens to a NodeWatcher.
namespace watching {
struct CommandsUp {};
struct CommandsDown {
  Error why;
};
struct Answered { ///< to a TaggedCommand; exactly once each
  std::uint64_t tag = 0;
  Result<Reply> reply;
};
struct FeedUp {
  std::optional<Error> trackingRefused;
};
struct FeedSubscribed { ///< to FeedActions::subscribeAll
  Result<void> result;
};
struct FeedDown {
  Error why;
};
struct FeedPong {
  std::uint64_t number = 0;
};
struct KeysInvalidated {
  const Reply::Array *keys = nullptr; ///< valid during the call
};
struct AllInvalidated {};
struct KeyEvent {
  std::string_view event, key; ///< valid during the call
  bool elsewhere = false;      ///< in another database than ours
};
struct Tick {};
struct ReadWanted {
  LockName key;
  std::uint64_t request = 0; ///< not 0; comes back in ReadDone
};
struct ReleaseExpected {
  std::vector<LockName> keys;
};
struct ListenersWanted { ///< by another node of the cluster, at any time at which ears() are open; answered by ListenersTold
  std::uint64_t request = 0;
  std::vector<std::string> channels;
  bool areSharded = false;
};
struct HeardElsewhere { ///< to a Hearing; exactly once each
  std::uint64_t number = 0;
  std::vector<std::uint64_t> clients; ///< of each channel
  std::size_t nodes = 0;              ///< that were asked
  bool isWhole = true;                ///< no master of the cluster was left out
};
} // namespace watching

using WatchEvent = std::variant<watching::CommandsUp, watching::CommandsDown, watching::Answered, watching::FeedUp, watching::FeedSubscribed,
                                watching::FeedDown, watching::FeedPong, watching::KeysInvalidated, watching::AllInvalidated, watching::KeyEvent, watching::Tick,
                                watching::ReadWanted, watching::ReleaseExpected, watching::ListenersWanted, watching::HeardElsewhere>;

/// What it wants done.
struct WatchActions {
  struct ReadDone {
    std::uint64_t request = 0;
    Result<LockRecordPtr> record; ///< null: no lock there
  };
  struct Subscribers { ///< how many listen to these channels at the other nodes of the cluster
    std::uint64_t number = 0;
    std::vector<std::string> channels;
  };
  struct ListenersTold { ///< exactly one to each ListenersWanted
    std::uint64_t request = 0;
    std::optional<std::vector<std::uint64_t>> clients; ///< nothing: it cannot be told
  };
  Asks asks; ///< commands, in this order
  FeedActions feed;
  std::vector<ReadDone> readsDone;
  std::vector<Subscribers> subscriberSets;
  std::vector<ListenersTold> listenersTold;
};

/// Watches the locks of one database of one server: a pure machine. Every event is legal at any time; what is late is ignored.
///
/// An epoch is one unbroken feed connection to one run of one server. In it every change of a key is hinted (ChangeFeed), every hint
/// makes the key be read (ReadQueue, ReadsInFlight), and what was read is the only thing that changes the LockCache. An epoch begins
/// with a KeyspaceScan and a fresh read of everything known. Any doubt ends it: a connection lost, a PONG late, INFO naming another
/// run, more hints than memory is given to. Then every row is stale since that instant, until it is read again in the next epoch.
/// A barrier proves the mirror exact as of the instant that ChangeFeed names, once every hint delivered until then is read.
/// Besides: leases are read again when they end; a slow sweep checks everything every `reconcileEvery` and counts what no
/// hint had announced; INFO each beat shows whether it is still the same server and whether data changes in silence.
///
/// What no feed tells (SWAPDB; FLUSHALL of a keyspace feed; who listens) is found by INFO commandstats and PUBSUB NUMSUB each beat; who
/// is blocked by INFO and, where somebody is and there are no more than 500 clients, CLIENT LIST;
/// Redisson's semaphores and latches, bare numbers, by PUBSUB CHANNELS at each sweep and, unless INFO counts very many channels, each
/// beat: those that somebody listens to. At a node of a
/// cluster, by INFO, clients of sharded channels are added: PUBSUB SHARDNUMSUB and SHARDCHANNELS beside those two, until refused. Clients of
/// plain channels may listen at its other nodes: these are asked for them (RemoteSubscribers) once all locks are known, and in turn each beat.
/// Not promised: a semaphore or latch that somebody listens to at another master alone is not found by that.
///
/// Tokens under names of sessions and the like, of which a keyspace may be full, are read whole up to 2000 a sweep, for who asks for doubtful rows.
///
/// Redis, commands: INFO, CLIENT LIST (where permitted), PUBSUB NUMSUB, PUBSUB CHANNELS, PUBSUB SHARDNUMSUB and SHARDCHANNELS, CLUSTER MYID and SLOTS (nodes of a cluster), SCAN, TYPE, GETRANGE, STRLEN, PTTL, MEMORY USAGE, HSTRLEN and HKEYS (where permitted), HLEN, HGET, HSCAN, LLEN, LRANGE, SCARD, SSCAN, ZCARD, ZRANGE, and where permitted TIME and
/// CONFIG GET. Feed: CLIENT ID, CLIENT TRACKING, (P)SUBSCRIBE, PING. Nothing writes.
/// At rest: two INFOs, one PUBSUB NUMSUB (of a cluster's node one SHARDNUMSUB too, and a NUMSUB for each other master) and two PINGs a beat, where others listen to channels two PUBSUB CHANNELS, and sweeps within `share` of the server's time.
/// Where changes come faster than `followShare` can follow (some 2 500 reads a second), the keys wait, and are read once for all of them.
/// Memory: O(locks), plus bounded queues. Not promised: locks that come and go between two reads leave no trace.
class NodeWatcher {
public:
  struct Twin {
    std::optional<NodeId> id; ///< of the node that watches the same database of the same server already
    bool unsure = false;      ///< a node that goes first has not told its run id yet
  };
  struct Options {
    NodeId id;
    std::string address;
    int db = 0;
    bool background = true; ///< false: one sweep at full speed, no feed
    milliseconds barrierEvery{1000};
    milliseconds reconcileEvery{30000};
    milliseconds pollEvery{1000}; ///< rest between sweeps while polling
    double share = 0.02;          ///< of the server's time, for sweeps after the first
    double followShare = 0.006;   ///< of the server's time, for the reads that follow changes
    std::uint64_t seed = 1;
    std::shared_ptr<const FamilyRegistry> families; ///< null: the built-in ones
    std::function<Twin(std::string_view runId, const std::optional<NodeId> &before)> twin = [](std::string_view, const auto &) { return Twin{}; };
  };

  NodeWatcher(Options options, ChangeLog &log);

  void on(WatchEvent event, Moment now, WatchActions &out);
  /// The same in two steps, for many answers that come at once: each is taken, and what follows from all of them is done once.
  void take(WatchEvent event, Moment now, WatchActions &out);
  void goOn(Moment now, WatchActions &out);
  SteadyTime wakeAt() const; ///< when Tick is due; SteadyTime::max() if never

  /// Whether it can tell other nodes of the cluster who listens here.
  enum class WakeupSubscriptions {
    Coming, ///< not yet: it is being connected for the first time
    Open,
    Away
  };
  WakeupSubscriptions wakeups() const;
  const ClusterView &cluster() const { return m_cluster; } ///< as it said last; empty: it is no node of one, or did not say

  const NodeStatus &status() const { return m_status; }
  std::uint64_t statusRevision() const { return m_revision; } ///< grows when status() changes
  LockCache &cache() { return m_cache; }

private:
  enum class Phase {
    Offline,  // no command connection
    Greeting, // INFO asked
    Feeding,  // waiting for the feed
    Epoch,    // watching
    Broken,   // the epoch ended, or the server reads its data, while the connection lives; soon begun again
  };
  struct Beat {
    bool pending = false;
    SteadyTime due{};
    std::uint64_t hints = 0; // since the last beat
    SteadyTime lastHint{};
    std::chrono::nanoseconds cost{0}; // of our commands since then, estimated
    SteadyTime since{};
    unsigned silentMoves = 0;
  };
  enum class Haste {
    None,  // paced
    Known, // paced, but what is known is read at once
    Full,  // at full speed, and what is known is read at once
    Flush, // the same, and that was the announcement of a change for every key
  };
  enum class Question : std::uint64_t {
    Info,
    Time,
    Calls,
    SubscriberCounts,
    ShardListeners,
    Blocked,
    SemaphoreChannels,
    LatchChannels,
    ShardSemaphoreChannels,
    ShardLatchChannels,
    ClusterName,
    ClusterSlots,
    OwnSlots
  };

  static constexpr std::size_t mostWaiting = 8192; ///< keys that are read at the pace of followShare: more would wait too long

  Options m_options;
  LockCache m_cache;
  NodeStatus m_status;
  std::uint64_t m_revision = 1;
  Phase m_phase = Phase::Offline;
  std::uint64_t m_epoch = 0;
  SteadyTime m_retryAt = SteadyTime::max();
  Backoff m_backoff;
  ChangeFeed m_feed;
  ServerInfo m_vitals;
  std::optional<SilentCalls> m_calls; // as last told
  SteadyTime m_callsAskedAt{};        // of the ask under way
  SteadyTime m_quietUntil{};          // when the last ask set out whose answer showed no silent call
  SubscriberCounts m_listeners;
  RemoteSubscribers m_elsewhere;
  std::uint64_t m_subscribers = 0; // the last one
  ClusterView m_cluster;
  bool m_mayAskCluster = true;            // for its names
  std::optional<std::uint64_t> m_blocked; // clients of this database, by blocking commands
  bool m_hasBlocking = false;             // a lock is known whose waiters would be among them
  Beat m_beat;
  ReadHeuristics m_lore;
  KeyspaceScan m_scan;
  ReadQueue m_readQueue;
  std::vector<std::string> m_unread; // known, and to be read like those in m_dirty, which has no room for them yet
  ReadQueue::Mark m_unreadMark;      // of each of them
  ReadsInFlight m_reads;
  std::vector<std::pair<ReadsInFlight::Done, Moment>> m_done; // and when; not taken yet
  ReadRateLimiter m_budget;
  bool m_pollIsForced = false; // no better feed could be had; one that comes later is taken
  bool m_isCutOff = false;     // a replica whose link to its master is down
  unsigned m_twinWaits = 0;
  unsigned m_channelsPending = 0; // questions after them
  bool m_mayListSharded = false;  // it is a node of a cluster, and PUBSUB SHARDCHANNELS is not refused
  bool m_scanOpen = false;        // a sweep runs, or what it found is not all read
  SteadyTime m_nextScan = SteadyTime::max();
  std::optional<SteadyTime> m_barrier; // proven as soon as the closed generation of hints is read
  milliseconds m_wallOffset{};         // server's wall clock less our steady clock
  std::unordered_map<std::string, SteadyTime> m_unexplained;
  bool m_hasMembers = false;                                 // a key was met that may be one of several of a lock, by its value
  bool m_hasRowsCompanion = false;                           // a row is known whose key may belong to a lock
  bool m_hasNotes = false;                                   // a row is known whose key says that it lies beside a lock by hand
  std::unordered_set<std::string> m_queued;                  // names beside which a queue lies or may lie
  std::unordered_map<std::string, std::uint64_t> m_left;     // names of no lock beside which some may wait: bits as Beside::others
  std::array<std::unordered_set<std::string>, 4> m_listened; // names of semaphores and latches that somebody listens to, by question
  std::uint64_t m_keysCut = 0;                               // of the sweep under way
  RefusedKeys m_keysUnread;                                  // of the same, refused only when they were read
  RefusedSince m_refusedSince;                               // of which a hint has told
  SlotMoves m_slotMoves;
  struct Moving {
    unsigned looks = 0;
    Companion companion;
  };
  std::unordered_map<std::string, Moving> m_moving; // keys that another master of the cluster may come to serve
  std::uint64_t m_channels = 0;                     // that somebody listens to, at the last beat
  std::uint64_t m_channelRests = 0;                 // beats since the channels were last asked for

  void handle(watching::CommandsUp, Moment now, WatchActions &out);
  void handle(const watching::CommandsDown &event, Moment now, WatchActions &out);
  void handle(watching::Answered &event, Moment now, WatchActions &out);
  void handle(const watching::FeedUp &event, Moment now, WatchActions &out);
  void handle(const watching::FeedSubscribed &event, Moment now, WatchActions &out);
  void handle(const watching::FeedDown &event, Moment now, WatchActions &out);
  void handle(const watching::FeedPong &event, Moment now, WatchActions &out);
  void handle(const watching::KeysInvalidated &event, Moment now, WatchActions &out);
  void handle(watching::AllInvalidated, Moment now, WatchActions &out);
  void handle(const watching::KeyEvent &event, Moment now, WatchActions &out);
  void handle(watching::Tick, Moment now, WatchActions &out);
  void handle(watching::ReadWanted &event, Moment now, WatchActions &out);
  void handle(const watching::ReleaseExpected &event, Moment now, WatchActions &out);
  void handle(watching::ListenersWanted &event, Moment now, WatchActions &out);
  void handle(const watching::HeardElsewhere &event, Moment now, WatchActions &out);

  // node_watch_epoch.cpp: the life of an epoch
  void greet(Moment now, WatchActions &out);
  void onInfo(const Result<Reply> &answer, Moment now, WatchActions &out);
  void onFirstInfo(const InfoReply &info, Moment now, WatchActions &out);
  void onBeat(InfoReply info, Moment now, WatchActions &out);
  void onTime(const Result<Reply> &answer, Moment now);
  void askCalls(Moment now, WatchActions &out);
  void onCalls(const Result<Reply> &answer, Moment now, WatchActions &out);
  void onListeners(bool areSharded, const Result<Reply> &answer, Moment now, WatchActions &out);
  void askCluster(WatchActions &out);
  void onCluster(Question question, const Result<Reply> &answer);
  void askElsewhere(WatchActions &out);
  void onOthersListeners(std::uint64_t rest, const Result<Reply> &answer, WatchActions &out);
  void markBounded(Moment now, WatchActions &out);
  void askBlocked(const InfoReply &info, Moment now, WatchActions &out);
  void onBlocked(const Result<Reply> &answer, Moment now, WatchActions &out);
  void setBlocked(std::optional<std::uint64_t> clients, Moment now, WatchActions &out);
  void askChannels(WatchActions &out);
  void askNewChannels(const InfoReply &info, WatchActions &out);
  void onChannels(Question question, const Result<Reply> &answer, Moment now, WatchActions &out);
  void onFlags(const Result<Reply> &answer, Moment now, WatchActions &out);
  void onFlush(Moment now, WatchActions &out);
  void onFeedReady(Moment now, WatchActions &out);
  void beginEpoch(Moment now, WatchActions &out);
  void standBack(const NodeId &twin, Moment now, WatchActions &out);
  void breakEpoch(Error why, Moment now, WatchActions &out);
  void onSilence(Moment now, WatchActions &out);
  void beat(Moment now, WatchActions &out);
  void degrade(Error why, Moment now, WatchActions &out);
  std::optional<Error> trouble() const;
  void judgeUnexplained(SteadyTime exact, Moment now, WatchActions &out);

  // node_watch_reads.cpp: from hints to the mirror
  void hint(std::string_view key, Moment now, WatchActions &out);
  void hintPlain(std::string_view key, Moment now, WatchActions &out);
  bool leadsToLock(ReadsInFlight::Done &done, Moment now, WatchActions &out);
  void countClosed(ReadsInFlight::Done &done, const LockRecord *lock); ///< null: it was read as none
  bool markMembers(ReadsInFlight::Done &done, Moment now, WatchActions &out);
  bool mark(std::string_view key, ReadQueue::Mark mark, Moment now, WatchActions &out);
  void pump(Moment now, WatchActions &out);
  void takeDone(WatchActions &out);
  void onRead(ReadsInFlight::Done &done, Moment now, WatchActions &out);
  std::optional<LockRecord> recognised(ReadsInFlight::Done &done, Moment now);
  std::optional<LockCache::Observation> observationOf(ReadsInFlight::Done &done, Moment now);
  bool queueFound(const std::string &key);
  bool isListenedTo(const std::string &key) const;
  bool waitsUnseen(const LockRecord &record);
  void rememberQueue(ReadsInFlight::Done &done);
  void rememberLeft(const ReadsInFlight::Done &done, bool isLock);
  bool wasHinted(const ReadsInFlight::Done &done) const;
  static bool isAbsent(const ReadsInFlight::Done &done);
  static bool isReplaced(const LockCache::Known *before, ReadsInFlight::Done &done);
  void onObservation(std::optional<LockCache::Observation> observation, ReadsInFlight::Done &done, Moment now);
  bool noteMoving(const ReadsInFlight::Done &done, bool isKnown, bool isSeen);
  void answerRead(ReadsInFlight::Done &done, Moment now, WatchActions &out);
  bool isDetour(ReadsInFlight::Done &done, Moment now, WatchActions &out);
  void checkBarrier(Moment now, WatchActions &out);

  // node_watch_sweep.cpp: from one sweep to the next
  void startScan(Haste haste, Moment now, WatchActions &out);
  void readSoon(std::vector<std::string> keys, const ReadQueue::Mark &mark, Moment now);
  void markUnread(Moment now);
  void takeFound(Moment now, WatchActions &out);
  void lookAtMoving(Moment now, WatchActions &out);
  void checkScan(Moment now, WatchActions &out);
  void noteRefused();
  void askSlots(WatchActions &out);
  void addCost(std::span<const TaggedCommand> asks);

  bool isWatched() const { return m_phase == Phase::Epoch && m_status.scanComplete && m_status.feed != FeedKind::Poll; }
  bool hasRoomToRead() const { return m_reads.inFlight() < 512; }
  bool isPaced() const { return m_options.background && (m_scan.isPaced() || !m_scanOpen) && m_readQueue.waiting() + m_unread.size() < mostWaiting; }
  bool hasRoomToScan() const { return m_readQueue.size() < 4096; } ///< what it finds has to be read too
  void changed() { ++m_revision; }
};

} // namespace lockhouse
