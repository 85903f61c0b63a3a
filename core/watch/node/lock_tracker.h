// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/node/companion_memory.h"
#include "core/watch/node/lock_cache.h"
#include "core/watch/node/slot_migration.h"
#include "core/watch/node/unread_keys.h"
#include "core/watch/node/waiter_counter.h"
#include "core/watch/scan/keyspace_scan.h"
#include "core/watch/scan/read_scheduler.h"

namespace lockhouse {

/// Keeps the LockCache of one node up to date: every key that a hint, a scan, the end of a lease or a count of waiters names is read, and the reads
/// alone change the cache. Reads a single lock for a caller too. A machine without I/O; NodeWatcher says when an epoch and a scan begin and end.
class LockTracker {
public:
  /// The references live longer. `status`: of the node, kept by NodeWatcher. `share`: see ReadScheduler.
  LockTracker(const NodeStatus &status, LockCache &cache, ReadHeuristics &heuristics, WaiterCounter &waiters, std::optional<double> share)
      : m_status(status), m_cache(cache), m_heuristics(heuristics), m_waiters(waiters), m_reads(share) {}

  /// An epoch begins or ends: keys that wait are forgotten, and reads under way prove nothing any more.
  void beginEpoch();
  /// Why the epoch cannot go on: a read failed, or there are more changes than can be read. Until the next epoch nothing else is done.
  std::optional<Error> takeFailure() { return std::exchange(m_failure, std::nullopt); }

  void hint(std::string_view key, SteadyTime now);
  void hintAll(); ///< everything may have changed
  void mark(std::string_view key, const ReadQueue::Mark &mark, SteadyTime now);
  void markMoving(SteadyTime now); ///< keys whose slot moves; each beat

  void beginScan(bool isPaced);
  void markKnown(bool isHinted, SteadyTime now); ///< all known locks are part of the scan
  void takeFound(KeyspaceScan &scan, SteadyTime now);
  bool isScanOpen() const { return m_isScanOpen; }
  bool isScanRead() const { return m_reads.isScanRead(); } ///< everything that it found is read
  void endScan(RefusedKeys byScan, NodeStatus &status, Moment now);
  bool hasRoomToScan() const { return m_reads.hasRoomToScan(); }

  void request(watching::ReadWanted wanted, SteadyTime now, Asks &out);
  void onReply(std::uint64_t rest, Result<Reply> reply, Moment now, WatchActions &out);
  void takeReads(); ///< of the replies since the last call
  void startReads(SteadyTime now, Asks &out);
  std::optional<SteadyTime> dueAt() const { return m_reads.dueAt(); }

  bool closeGeneration() { return m_reads.closeGeneration(); } ///< see ReadQueue
  bool isClosedDone() const { return m_reads.isClosedDone(); }
  /// How many changes a scan found that no hint announced, though every hint up to `exact` has arrived. Each counts once.
  std::size_t takeUnannounced(SteadyTime exact);
  bool takeRefusedSince(NodeStatus &status) { return m_unread.takeChanges(status); }

  void setClockOffset(milliseconds offset) { m_clockOffset = offset; } ///< the server's wall clock minus our steady clock
  std::uint64_t changes() const { return m_changes; }                  ///< grows when a lock changes

private:
  using Done = ReadsInFlight::Done;

  const NodeStatus &m_status;
  LockCache &m_cache;
  ReadHeuristics &m_heuristics;
  WaiterCounter &m_waiters;
  ReadScheduler m_reads;
  std::vector<std::pair<Done, Moment>> m_done; // not taken yet
  CompanionMemory m_companions;
  SlotMigration m_migration;
  UnreadKeys m_unread;
  std::unordered_map<std::string, SteadyTime> m_unannounced; // changes by key
  std::uint64_t m_epoch = 0;
  std::uint64_t m_changes = 0;
  milliseconds m_clockOffset{};
  bool m_isScanOpen = false; // it runs, or what it found is not all read
  std::optional<Error> m_failure;

  const FamilyRegistry &families() const { return *m_heuristics.families; }
  bool tryMark(std::string_view key, const ReadQueue::Mark &mark, SteadyTime now); // false: the epoch has failed
  void hintCompanion(std::string_view key, std::string_view lock, Companion companion, SteadyTime now);
  bool hintOwners(std::span<const FamilyRegistry::Owner> owners, SteadyTime now);
  void hintKey(std::string_view key, SteadyTime now);
  std::pair<ReadTarget, ValueType> targetOf(ReadQueue::Item item) const;

  void onRead(Done &done, Moment now);
  bool leadsToLock(Done &done, Moment now);
  bool readHolders(const LockCache::Observation &observation, const Done &done, SteadyTime now);
  bool markMembers(Done &done, SteadyTime now);
  std::optional<LockRecord> detect(Done &done, SteadyTime now);
  std::optional<LockCache::Observation> observationOf(Done &done, SteadyTime now);
  void observe(std::optional<LockCache::Observation> observation, Done &done, Moment now);
  std::optional<ChangeKind> see(LockCache::Observation observation, const std::string &key, Moment now);
  bool isFollowed() const { return m_status.scanComplete && m_status.feed != FeedKind::Poll; } // every change is hinted

  void answer(Done &done, SteadyTime now, WatchActions &out);
  bool isDetour(Done &done, SteadyTime now, WatchActions &out);
  std::optional<Error> refusalOf(Done &done) const;
};

} // namespace lockhouse
