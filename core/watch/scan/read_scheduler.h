// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/scan/read_queue.h"
#include "core/watch/scan/read_rate_limiter.h"
#include "core/watch/scan/reads_in_flight.h"

namespace lockhouse {

/// Decides when the keys that have to be read are read. They wait in a ReadQueue, a limited number is in flight, and while no scan runs at full speed
/// the reads are paced. There may be more known keys than the queue takes: these wait in a backlog until there is room.
class ReadScheduler {
public:
  /// `share`: of the server's time for paced reads; nothing: reads are never paced.
  explicit ReadScheduler(std::optional<double> share) {
    if (share)
      m_limiter.emplace(*share);
  }

  [[nodiscard]] bool mark(std::string_view key, const ReadQueue::Mark &mark, SteadyTime now) { return m_queue.mark(key, mark, now); } ///< false: full
  /// Known keys, as many as there are. Replaces the backlog.
  void markAll(std::vector<std::string> keys, ReadQueue::Mark mark, SteadyTime now);
  void hintAll() { m_queue.hintAll(); }
  void setFullSpeed(bool isFullSpeed) { m_isFullSpeed = isFullSpeed; }
  void clear();

  /// Starts the reads that may start now. `target(item)`: what to read, and the type if it is known.
  template <class Target> void startReads(std::uint64_t epoch, SteadyTime now, const ReadHeuristics &heuristics, Asks &out, Target target) {
    fillQueue(now);
    while (hasRoomToRead() && m_queue.isReady(now)) {
      if (isPaced() && !m_limiter->take(now))
        return;
      auto item = m_queue.next();
      const auto mark = item.mark;
      auto [wanted, type] = target(std::move(item));
      m_inFlight.start(std::move(wanted), type, {.mark = mark, .epoch = epoch}, now, heuristics, out);
    }
  }
  /// Reads at once, past the queue.
  void start(ReadTarget target, ValueType type, ReadsInFlight::Ticket ticket, SteadyTime now, const ReadHeuristics &heuristics, Asks &out) {
    m_inFlight.start(std::move(target), type, std::move(ticket), now, heuristics, out);
  }
  std::optional<ReadsInFlight::Done> on(std::uint64_t rest, Result<Reply> answer, SteadyTime now, ReadHeuristics &heuristics, Asks &out) {
    return m_inFlight.on(rest, std::move(answer), now, heuristics, out);
  }
  /// The result of a queued read was taken; see ReadQueue::finish.
  void finish(std::string_view key, bool isLock, SteadyTime now) { m_queue.finish(key, isLock, now); }

  bool isHinted(std::string_view key) const; ///< a hint came that no finished read covers
  bool isBacklogHinted() const { return m_backlogMark.hinted && !m_backlog.empty(); }
  bool hasRoomToScan() const { return m_queue.size() < mostUnread; } ///< what a scan finds has to be read too
  bool isScanRead() const { return m_queue.openScanned() == 0 && m_backlog.empty(); }
  bool closeGeneration() { return m_backlog.empty() && m_queue.closeGeneration(); }
  bool isClosedDone() const { return m_queue.isClosedDone(); }
  std::optional<SteadyTime> dueAt() const;

private:
  static constexpr std::size_t mostPaced = 8192;   // keys that wait for the pace: more would wait too long
  static constexpr std::size_t mostUnread = 4096;  // with which a scan goes on
  static constexpr std::size_t mostInFlight = 512; // reads

  ReadQueue m_queue;
  ReadsInFlight m_inFlight;
  std::optional<ReadRateLimiter> m_limiter;
  std::vector<std::string> m_backlog;
  ReadQueue::Mark m_backlogMark;
  bool m_isFullSpeed = false;

  void fillQueue(SteadyTime now);
  bool hasRoomToRead() const { return m_inFlight.inFlight() < mostInFlight; }
  bool isPaced() const { return m_limiter && !m_isFullSpeed && m_queue.waiting() + m_backlog.size() < mostPaced; }
};

} // namespace lockhouse
