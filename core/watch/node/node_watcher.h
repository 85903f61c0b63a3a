// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/node/lock_tracker.h"
#include "core/watch/server/cluster_info.h"
#include "core/watch/server/feed_proof.h"
#include "core/watch/server/heartbeat.h"

#include <functional>

namespace lockhouse {

/// Watches the locks of one database of one server: a pure machine. Every event is legal at any time; late events are ignored.
///
/// An epoch is one unbroken feed connection to one run of one server. In it every change of a key is hinted (ChangeFeed), every hint
/// causes a read (LockTracker), and only reads change the LockCache. An epoch begins with a KeyspaceScan and a fresh read of all known locks. Any
/// doubt ends it: a lost connection, a late PONG, INFO of another run, more hints than can be kept. Then every row is stale since that
/// instant, until it is read again in the next epoch.
/// A barrier proves the cache exact as of the instant that ChangeFeed names, once every hint up to then is read (FeedProof).
/// Besides: leases are read again when they end; a paced scan checks everything every `reconcileEvery` and counts the changes that no
/// hint announced; INFO each beat shows whether it is still the same server and whether data changes without hints.
///
/// What no feed announces (SWAPDB; FLUSHALL with a keyspace feed; subscribers) is found by INFO commandstats and PUBSUB NUMSUB each beat. Blocked
/// clients are found by INFO and, if there are any and no more than 500 clients, CLIENT LIST.
/// Redisson's semaphores and latches are bare numbers. Those with subscribers are found by PUBSUB CHANNELS at each scan and, unless INFO counts very
/// many channels, each beat. At a node of a cluster, by INFO, clients of sharded channels are added: PUBSUB SHARDNUMSUB and SHARDCHANNELS, until
/// refused. Clients of plain channels may subscribe at other nodes of the cluster: these are asked (RemoteSubscribers) once all locks are known, and
/// in turn each beat.
/// Not promised: a semaphore or latch with subscribers at another master only is not found.
///
/// Tokens under names of sessions are read completely, up to 2000 a scan, for callers who want doubtful rows.
///
/// Redis, commands: INFO, CLIENT LIST (if permitted), PUBSUB NUMSUB, PUBSUB CHANNELS, PUBSUB SHARDNUMSUB and SHARDCHANNELS, CLUSTER MYID, SLOTS and
/// NODES (nodes of a cluster), SCAN, TYPE, GETRANGE, STRLEN, PTTL, MEMORY USAGE, HSTRLEN and HKEYS (if permitted), HLEN, HGET, HSCAN, LLEN,
/// LRANGE, SCARD, SSCAN, ZCARD, ZRANGE, and if permitted TIME and CONFIG GET. Feed: CLIENT ID, CLIENT TRACKING, (P)SUBSCRIBE, PING. Nothing writes.
/// At rest, each beat: two INFOs, one PUBSUB NUMSUB (at a cluster's node also one SHARDNUMSUB, and a NUMSUB for each other master) and two PINGs, two
/// PUBSUB CHANNELS if others subscribe to channels, and scans within `share` of the server's time.
/// If changes come faster than `followShare` allows to read (some 2 500 reads a second), the keys wait and are read once for all changes.
/// Memory: O(locks), plus bounded queues. Not promised: locks that appear and vanish between two reads leave no trace.
class NodeWatcher {
public:
  struct Twin {
    std::optional<NodeId> id; ///< of the node that watches the same database of the same server already
    bool unsure = false;      ///< a node with precedence has not reported its run id yet
  };
  struct Options {
    NodeId id;
    std::string address;
    int db = 0;
    bool background = true; ///< false: one scan at full speed, no feed
    milliseconds barrierEvery{1000};
    milliseconds reconcileEvery{30000};
    milliseconds pollEvery{1000}; ///< rest between scans while polling
    double share = 0.02;          ///< of the server's time, for scans after the first
    double followShare = 0.006;   ///< of the server's time, for the reads that follow changes
    std::uint64_t seed = 1;
    std::shared_ptr<const FamilyRegistry> families; ///< null: the built-in ones
    std::function<Twin(std::string_view runId, const std::optional<NodeId> &before)> twin = [](std::string_view, const auto &) { return Twin{}; };
  };

  NodeWatcher(Options options, ChangeLog &log);

  void on(WatchEvent event, Moment now, WatchActions &out);
  /// The same in two steps, for many answers at once: take() each of them, then goOn() once.
  void take(WatchEvent event, Moment now, WatchActions &out);
  void goOn(Moment now, WatchActions &out);
  SteadyTime wakeAt() const; ///< when Tick is due; SteadyTime::max() if never

  /// Whether it can count subscribers for the watchers of other nodes of the cluster.
  enum class SubscriberCounting {
    Coming, ///< not yet: it connects for the first time
    Open,
    Away
  };
  SubscriberCounting subscriberCounting() const;
  const ClusterView &cluster() const { return m_cluster.view(); } ///< by the node's last answer; empty: no cluster, or no answer

  const NodeStatus &status() const { return m_status; }
  std::uint64_t statusRevision() const { return m_revision + m_tracker.changes(); } ///< grows when status() or a lock changes
  LockCache &cache() { return m_cache; }

private:
  enum class Phase {
    Offline,  // no command connection
    Greeting, // INFO asked
    Feeding,  // waiting for the feed
    Epoch,    // watching
    Broken,   // the epoch ended, or the server loads its data, while the connection lives; it begins again soon
  };
  enum class Haste {
    None,  // paced
    Known, // paced, but the known locks are read at once
    Full,  // at full speed, and the known locks are read at once
    Flush, // the same, and a change of every key was announced
  };
  enum class Question : std::uint64_t { Info, Time, Calls };

  Options m_options;
  LockCache m_cache;
  ReadHeuristics m_heuristics;
  NodeStatus m_status;
  std::uint64_t m_revision = 1;
  Phase m_phase = Phase::Offline;
  SteadyTime m_retryAt = SteadyTime::max();
  Backoff m_backoff;
  unsigned m_twinWaits = 0;
  ChangeFeed m_feed;
  bool m_isPollForced = false; // no better feed could be had; one that comes later is taken
  bool m_isCutOff = false;     // a replica whose link to its master is down
  FeedProof m_proof;
  Heartbeat m_heartbeat;
  ClusterInfo m_cluster;
  WaiterCounter m_waiters;
  LockTracker m_tracker;
  KeyspaceScan m_scan;
  SteadyTime m_nextScan = SteadyTime::max();

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
  void handle(const watching::SubscribersWanted &event, Moment now, WatchActions &out);
  void handle(const watching::RemoteCounts &event, Moment now, WatchActions &out);

  // The server: which one it is, and whether it is still the same.
  void greet(Moment now, WatchActions &out);
  void ask(Question question, Command command, WatchActions &out);
  void askCalls(Moment now, WatchActions &out);
  void onServer(Question question, const Result<Reply> &answer, Moment now, WatchActions &out);
  void onInfo(const Result<Reply> &answer, Moment now, WatchActions &out);
  void noteInfo(const InfoReply &info, Moment now, WatchActions &out);
  void onFirstInfo(const InfoReply &info, Moment now, WatchActions &out);
  void onTime(const Result<Reply> &answer, Moment now);
  void onCalls(const Result<Reply> &answer, Moment now, WatchActions &out);
  void standBack(const NodeId &twin, Moment now, WatchActions &out);
  void beat(Moment now, WatchActions &out);
  void onBeat(InfoReply info, Moment now, WatchActions &out);
  void onSilence(Moment now, WatchActions &out);
  void onWaiters(WaiterCounter::Question question, const Result<Reply> &answer, Moment now, WatchActions &out);
  void askCluster(ClusterInfo::Question question, std::string_view subcommand, WatchActions &out);
  void askMasters(WatchActions &out);
  void onCluster(ClusterInfo::Question question, const Result<Reply> &answer);
  void setClockOffset(milliseconds serverWall, Moment now);

  // The feed, and the epochs that it carries.
  void onFlags(const Result<Reply> &answer, Moment now, WatchActions &out);
  void onFlush(Moment now, WatchActions &out);
  void onFeedReady(Moment now, WatchActions &out);
  void beginEpoch(Moment now, WatchActions &out);
  void breakEpoch(Error why, Moment now, WatchActions &out);
  void degrade(Error why, Moment now, WatchActions &out);
  std::optional<Error> trouble() const;
  void checkBarrier(Moment now, WatchActions &out);
  /// Ends the epoch if the tracker cannot go on. True: there is none now.
  bool hasEnded(Moment now, WatchActions &out);
  void readAgain(const std::vector<std::string> &keys, const ReadQueue::Mark &mark, Moment now, WatchActions &out);

  void startScan(Haste haste, Moment now, WatchActions &out);
  void checkScan(Moment now, WatchActions &out);
  void endScan(Moment now);

  bool isFollowing(FeedKind feed) const { return m_phase == Phase::Epoch && m_status.feed == feed; }
  Error errorHere(ErrorCode code, Message what, Message next = {}) const { return {code, std::move(what), m_options.address, std::move(next)}; }
  void changed() { ++m_revision; }
};

} // namespace lockhouse
