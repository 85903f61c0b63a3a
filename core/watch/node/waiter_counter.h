// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/node/remote_subscribers.h"
#include "core/watch/node/subscribed_numbers.h"
#include "core/watch/node/subscriber_counts.h"
#include "core/watch/node/watch_events.h"
#include "core/watch/server/server_info.h"

namespace lockhouse {

/// The waiters of a node's locks that no feed announces: clients that subscribe to a lock's channel at this node or at other nodes of the cluster,
/// and clients that a list's or sorted set's command blocks. Each beat it asks who waits, and names the locks that are to be read again: a row
/// changes only by a read. Answers from other nodes' watchers too (SubscribersWanted). Without I/O.
class WaiterCounter {
public:
  enum class Question : std::uint8_t { Counts, ShardCounts, Blocked, Semaphores, Latches, ShardSemaphores, ShardLatches };
  using Keys = std::vector<std::string>; ///< of locks that are to be read again

  WaiterCounter(LockCache &cache, ReadHeuristics &heuristics, int db) : m_cache(cache), m_heuristics(heuristics), m_db(db) {}

  void beginConnection();
  void firstInfo(const InfoReply &info);
  void beginEpoch(bool isCluster);
  void endEpoch() { m_numbers.drop(); }

  void beginScan(Asks &out);
  bool isListing() const { return m_numbers.isAsking(); }       ///< the scan goes on when the lists are read
  bool isAskingRemotely() const { return m_remote.isAsking(); } ///< the scan ends after the answer
  bool finishScan(WatchActions &out); ///< all locks are known. True: more is to be asked for at other nodes, and the scan ends after that
  void beat(bool isCluster, WatchActions &out);
  Keys onInfo(const InfoReply &info, bool isFirst, Asks &out);
  void listNumbers(const InfoReply &info, Asks &out); ///< each beat

  Keys onAnswer(Question question, const Result<Reply> &answer);
  std::vector<std::string> onNumbers(Question question, const Result<Reply> &answer); ///< keys that may be semaphores or latches
  static bool isOfNumbers(Question question) { return question >= Question::Semaphores; }
  Keys onRemoteCounts(const watching::RemoteCounts &counts);
  Keys subscribedLocks() const; ///< whose evidence says what is not known of their subscribers

  /// For the watcher of another node of the cluster. `isOpen`: this node can answer.
  void onSubscribersWanted(const watching::SubscribersWanted &event, bool isOpen, WatchActions &out);
  void onSubscribersCounted(std::uint64_t rest, const Result<Reply> &answer, WatchActions &out);

  /// Adds what is known of its waiters to what was read of one key; `channel`: of KeyReader.
  void addTo(KeyFacts &facts, const std::string &channel) const;
  /// Adds evidence. `areDatabasesSeveral`: the server has keys in several databases, which share their channels.
  void explain(LockRecord &record, bool areDatabasesSeveral) const;
  bool isSubscribedNumber(const std::string &key) const { return m_numbers.contains(key); }
  /// To be called for each lock that was read. Whether its waiters come and go without a hint. `askRemotely`: its subscribers at other nodes
  /// were not counted yet.
  bool addLock(const LockRecord &record, bool askRemotely);

private:
  LockCache &m_cache;
  ReadHeuristics &m_heuristics;
  int m_db;
  SubscriberCounts m_counts;
  RemoteSubscribers m_remote;
  std::uint64_t m_remoteQuestion = 0; // the last one
  SubscribedNumbers m_numbers;
  std::optional<std::uint64_t> m_blocked; // clients of this database
  bool m_hasBlocking = false;             // a lock is known whose waiters would be among them

  void askRemotely(WatchActions &out);
  Keys setBlocked(std::optional<std::uint64_t> clients);
};

} // namespace lockhouse
