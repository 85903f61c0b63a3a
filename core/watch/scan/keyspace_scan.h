// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/watch/record/lock_snapshot.h"
#include "core/watch/scan/key_reader.h"
#include "core/watch/scan/tagged_command.h"

#include <deque>

namespace lockhouse {

/// Walks the whole keyspace of one database with SCAN COUNT 500 and takes the first looks at every key; what may be a lock is
/// handed on as Found, to be read whole. One command a key where names foretell the type (TypePredictor), two where they do not.
/// At full speed several pages are in flight, so that neither side waits for the other; paced, one page at a time and then a rest,
/// so that the server spends at most `share` of its time on us, and less when it answers more slowly than it could.
/// Memory: the pages in flight. Cursors are opaque text. Not promised: keys that come or go during the walk (SCAN's own terms).
class KeyspaceScan {
public:
  struct Found {
    std::string key;
    ValueType type = ValueType::Unknown; ///< Unknown: look first (it was named by a key beside it)
    Companion companion;
  };
  struct Tally {
    std::uint64_t keys = 0;
    RefusedKeys refused;       ///< by the user's key patterns, or since their slots are another node's, are being moved or are not served
    std::uint64_t tooLong = 0; ///< names that the reader does not keep
  };

  explicit KeyspaceScan(double share) : m_share(share) {}

  void start(bool paced, SteadyTime now, Asks &out);
  void stop();
  bool isRunning() const { return m_isRunning; }
  bool isPaced() const { return m_isPaced; }
  /// Time went on, or room came: sends the next page if it is due. `room`: whether what was found can still be taken up.
  void advance(bool room, SteadyTime now, Asks &out);
  void on(std::uint64_t rest, Result<Reply> answer, SteadyTime now, ReadHeuristics &lore, Asks &out);
  std::vector<Found> takeFound() { return std::exchange(m_found, {}); }
  std::vector<std::string> takeUnserved() { return std::exchange(m_unserved, {}); } ///< keys that another master of the cluster may come to serve, some of them
  RefusedKeys takeRefused() { return std::exchange(m_tally.refused, {}); }          ///< of the tally, once the walk has ended
  /// Set when the walk ended before its end; it has to be started anew.
  const std::optional<Error> &error() const { return m_error; }
  const Tally &tally() const { return m_tally; }                   ///< of the walk that runs or ran last
  std::optional<SteadyTime> dueAt() const;                         ///< of the next page when paced; nothing if none waits for time
  bool wasCutOff() const { return m_wasCutOff; }                   ///< its last SCAN was never answered
  void shrinkPages() { m_count = m_count > 10 ? m_count / 4 : 5; } ///< a page was more than one reply may be

private:
  struct Page {
    std::uint32_t serial = 0;
    Reply::Array keys; // empty until SCAN is answered
    std::vector<Probe> looks;
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
  void onScan(Page &page, Result<Reply> answer, SteadyTime now, const ReadHeuristics &lore, Asks &out);
  void onLook(Page &page, std::size_t index, const Result<Reply> &answer, ReadHeuristics &lore, Asks &out);
  void lookOn(Page &page, const ReadHeuristics &lore, Asks &out);
  bool belongsCompanion(std::string_view key, const FamilyRegistry &families);
  void ask(Page &page, std::size_t index, std::string_view key, Asks &out);
  void finish(const Page &page, SteadyTime now);
  void abort(Error error);
};

} // namespace lockhouse
