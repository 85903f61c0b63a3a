// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/watch/record/lock_snapshot.h"
#include "core/watch/scan/key_reader.h"
#include "core/watch/scan/tagged_command.h"

#include <deque>

namespace lockhouse {

/// Scans the whole keyspace of one database with SCAN COUNT 500 and probes every key; a key that may be a lock is handed on as Found, to be
/// read completely. One command a key if its name predicts the type (TypePredictor), otherwise two.
/// At full speed several pages are in flight, so that neither side waits for the other. Paced, there is one page at a time and then a rest,
/// so that the server spends at most `share` of its time on this scan, and less when it answers slowly.
/// Memory: the pages in flight. Cursors are opaque text. Not promised: keys that appear or vanish during the scan (SCAN's own terms).
class KeyspaceScan {
public:
  struct Found {
    std::string key;
    ValueType type = ValueType::Unknown; ///< Unknown: probe first (a companion key named it)
    Companion companion;
  };
  struct Tally {
    std::uint64_t keys = 0;
    RefusedKeys refused;       ///< by the user's key patterns, or because another node has their slots, or no node serves them now
    std::uint64_t tooLong = 0; ///< names that the reader does not keep
  };

  explicit KeyspaceScan(double share) : m_share(share) {}

  void start(bool paced, SteadyTime now, Asks &out);
  void stop();
  bool isRunning() const { return m_isRunning; }
  bool isPaced() const { return m_isPaced; }
  /// Sends the next page if it is due. `room`: whether more found keys can be taken up.
  void advance(bool room, SteadyTime now, Asks &out);
  void on(std::uint64_t rest, Result<Reply> answer, SteadyTime now, ReadHeuristics &heuristics, Asks &out);
  std::vector<Found> takeFound() { return std::exchange(m_found, {}); }
  std::vector<std::string> takeUnserved() { return std::exchange(m_unserved, {}); } ///< some of the keys that another master of the cluster may serve soon
  RefusedKeys takeRefused() { return std::exchange(m_tally.refused, {}); }          ///< of the tally, after the end of the scan
  /// Set if the scan stopped before its end; it has to be started again.
  const std::optional<Error> &error() const { return m_error; }
  const Tally &tally() const { return m_tally; }                   ///< of the present or last scan
  std::optional<SteadyTime> dueAt() const;                         ///< of the next page when paced; nothing if no page waits for time
  bool wasCutOff() const { return m_wasCutOff; }                   ///< its last SCAN was never answered
  void shrinkPages() { m_count = m_count > 10 ? m_count / 4 : 5; } ///< a page was more than one reply may be

private:
  struct Page {
    std::uint32_t serial = 0;
    Reply::Array keys; // empty until SCAN is answered
    std::vector<Probe> probes;
    std::size_t next = 0;    // first key not yet looked at
    std::size_t pending = 0; // answers outstanding
    std::size_t bytes = 0;   // of commands outstanding
    std::size_t asked = 0;
    SteadyTime sentAt{};
  };

  double m_share;
  bool m_isRunning = false, m_isPaced = false, m_scanPending = false, m_atEnd = false, m_hasRoom = true, m_wasCutOff = false;
  std::string m_cursor;
  unsigned m_count = 500;
  std::uint32_t m_serial = 0;
  std::deque<Page> m_pages; // one when paced
  std::vector<Found> m_found;
  std::vector<std::string> m_unserved;
  std::optional<Error> m_error;
  Tally m_tally;
  SteadyTime m_due{};
  std::chrono::nanoseconds m_best{0}; // the quickest a command was answered in a page, on average

  void scan(SteadyTime now, Asks &out);
  void onScan(Page &page, Result<Reply> answer, SteadyTime now, const ReadHeuristics &heuristics, Asks &out);
  void onProbe(Page &page, std::size_t index, const Result<Reply> &answer, ReadHeuristics &heuristics, Asks &out);
  void probeKeys(Page &page, const ReadHeuristics &heuristics, Asks &out);
  bool isCompanionKey(std::string_view key, const FamilyRegistry &families);
  void ask(Page &page, std::size_t index, std::string_view key, Asks &out);
  void finish(const Page &page, SteadyTime now);
  void abort(Error error);
};

} // namespace lockhouse
