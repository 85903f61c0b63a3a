// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/node/hold_history.h"
#include "core/watch/node/lease_heap.h"
#include "core/watch/scan/key_reader.h"

#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace lockhouse {

/// Numbers the changes of all nodes in one sequence and keeps them until they are taken.
class ChangeLog {
public:
  void add(LockChange change) {
    change.seq = ++m_lastSeq;
    m_changes.push_back(std::move(change));
  }
  std::vector<LockChange> take() { return std::exchange(m_changes, {}); }
  bool empty() const { return m_changes.empty(); }
  std::uint64_t lastSeq() const { return m_lastSeq; }

private:
  std::uint64_t m_lastSeq = 0;
  std::vector<LockChange> m_changes;
};

/// The locks of one node and database as last read. Every difference becomes a LockChange. Memory is O(locks); records below
/// shownConfidence are bounded in number. Pure: times are handed in.
class LockCache {
public:
  /// What one read found.
  struct Observation {
    LockRecord record; ///< draft of a recogniser, with id, seenAt and expiresAt
    std::optional<LeaseEnd> end;
    Companion companion;
    bool watched = false; ///< every change since the record before was hinted
    bool scanned = false; ///< a sweep has led there
    bool isHalf = false;  ///< of a sweep that is under way: it may meet more of this lock yet, or a lock of which this is a part
    SteadyTime askedAt{}; ///< when the read set out
  };
  struct Known {
    LockRecordPtr record;
    HoldMemory memory;
    Companion companion;
    std::optional<ChangeCause> cause; ///< what a notification said about its end
    SteadyTime causeAt{};             ///< when: a read that set out before says nothing against it
    std::uint32_t scan = 0;           ///< the last one that met it
    LeaseHeap::Place end = LeaseHeap::nowhere;
    bool isUntold = false;   ///< of a sweep that is under way: it may have been read by half, and has not been told
    bool wasDoubted = false; ///< this hold has looked like data before, with a lease
  };

  explicit LockCache(ChangeLog &log) : m_log(&log) { m_locks.max_load_factor(0.4F); } // most that are asked for are not there: an empty bucket says so at once
  LockCache(const LockCache &) = delete;
  LockCache &operator=(const LockCache &) = delete;

  /// What of it is different now; nothing if only its age is. What has been a lock from its first sight on remains one while its holder does, whatever
  /// the length of its lease and whoever listens tell later; what is data by the length of its lease remains that until somebody waits for it.
  std::optional<ChangeKind> see(Observation observation, WallTime at);
  /// The key holds no lock any more; `replaced` if it holds something else. False if it was not known. Only a notification or the
  /// lease's end names a cause; that it is gone alone does not tell deleted from renamed, moved or evicted.
  bool lose(std::string_view key, bool replaced, SteadyTime now, WallTime at);
  /// Whether its scores were seen to be ends of leases by hand: past ones are no times at which a lock was taken, then.
  bool areEnds(const std::string &key) const;
  void markStale(SteadyTime since, WallTime at);
  /// One row is believed no more: its key may not be read any longer. False if it was not known, or stale already.
  bool doubt(std::string_view key, SteadyTime since, WallTime at);
  /// A notification named the cause of a key's end; kept only for known locks, until it is read again.
  void note(std::string_view key, ChangeCause cause, SteadyTime now);
  void noteAll(ChangeCause cause, SteadyTime now); ///< FLUSHALL
  void forgetCause(std::string_view key);          ///< what a notification said was of something else
  /// From now on no lock has been met.
  void beginScan() { ++m_scan; }
  /// The sweep is over. A lock that was met by half appears only now, as it is, and not as one that changes with each of its keys that is met.
  void endScan(WallTime at);
  bool isMet(const Known &known) const { return known.scan == m_scan; } ///< by the sweep begun last
  void expectRelease(const LockName &key, SteadyTime now);

  const Known *find(std::string_view key) const;
  std::size_t size() const { return m_locks.size(); }
  template <class Visit> void each(Visit visit) const {
    for (const auto &[key, known] : m_locks)
      visit(key, known);
  }
  /// The next lease, of one holder too, or place in a queue that ends, and the keys of which one has ended by `now` (each is told once).
  std::optional<SteadyTime> nextEnd() const;
  std::vector<std::string> endedBy(SteadyTime now);

  /// Sorted by key. Patched, not rebuilt: O(changes · log + locks moved).
  const std::vector<LockRecordPtr> &sorted();
  std::size_t uncertain() const { return m_uncertain; } ///< records below shownConfidence

private:
  struct KeyHash { // not noexcept, so that the library keeps each key's hash and need not make it anew of every key that it passes
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
  };
  using Locks = std::unordered_map<std::string, Known, KeyHash, std::equal_to<>>;

  ChangeLog *m_log;
  Locks m_locks;
  LeaseHeap m_ends;                                          // the keys and their places live in m_locks, whose nodes do not move
  std::unordered_map<std::string, SteadyTime> m_released;    // by this Lockhouse, until when that is believed
  std::unordered_set<std::string> m_lapsed;                  // sorted sets that are still there, in which all leases by hand were seen to end
  std::deque<std::pair<SteadyTime, std::string>> m_releases; // the same by time, for those of which nothing was seen
  struct Touched {
    LockRecordPtr record; // as it is, or as it was last
    bool isThere = false;
  };
  std::vector<LockRecordPtr> m_sorted, m_merged;
  std::vector<Touched> m_touched;    // since sorted(), in order; some more than once
  std::vector<std::string> m_untold; // some of which were told meanwhile, or are gone
  std::size_t m_uncertain = 0;
  std::uint32_t m_scan = 0;

  void appear(Locks::iterator lock, Observation observation, WallTime at);
  void amend(Locks::iterator lock, Observation observation, WallTime at);
  void tell(Known &known, WallTime at);
  static void keepTrust(Known &known, LockRecord &record);
  bool makeStale(Locks::iterator lock, SteadyTime since, WallTime at);
  void forgetEnd(Known &known);
  void replace(Locks::iterator lock, LockRecordPtr record);
  std::optional<ChangeCause> causeOf(std::string_view key, const Known &known, bool replaced, SteadyTime now);
  void report(ChangeKind kind, std::optional<ChangeCause> cause, LockRecordPtr before, LockRecordPtr after, WallTime at);
};

} // namespace lockhouse
