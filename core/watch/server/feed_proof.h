// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/server/server_info.h"

namespace lockhouse {

/// Up to which instant the cache is exact. A barrier of the change feed proves it, once every hint up to the barrier is read (ChangeFeed).
/// Some commands change keys and the feed announces nothing: SWAPDB, and for a keyspace feed FLUSHALL and CONFIG SET. INFO commandstats counts
/// them each beat; INFO itself shows whether data changes without hints. Pure: times are handed in.
class FeedProof {
public:
  void beginConnection();
  void beginEpoch();
  void endEpoch() { m_barrier.reset(); }

  void addHint(SteadyTime now) {
    ++m_hints;
    m_lastHint = now;
  }
  /// The verdict on the INFO of this beat, with the hints since the last one.
  ServerInfo::Verdict beat(InfoReply info, SteadyTime now);
  void firstInfo(InfoReply info) { m_info.beat(std::move(info), 0); }
  bool isSilentAgain() { return ++m_silentBeats >= 2; } ///< data changed without a hint in two beats in a row

  struct SilentChanges {
    bool flushes = false, swaps = false, configs = false;
    bool any() const { return flushes || swaps || configs; }
  };
  void askedCalls(SteadyTime now) { m_callsAskedAt = now; }
  /// Which silent commands ran since the last answer. `isFollowed`: a feed is followed; otherwise nothing is reported.
  SilentChanges takeCalls(std::string_view commandstats, bool isFollowed);
  bool hasCalls() const { return m_calls.has_value(); }

  void setBarrier(SteadyTime exact) { m_barrier = exact; }
  bool hasBarrier() const { return m_barrier.has_value(); }
  SteadyTime takeBarrier();
  SteadyTime provenBy(SteadyTime barrier) const; ///< up to then no silent command ran either

private:
  ServerInfo m_info;
  std::uint64_t m_hints = 0; // since the last beat
  SteadyTime m_lastHint{};
  unsigned m_silentBeats = 0;
  std::optional<SilentCalls> m_calls;  // by the last answer
  SteadyTime m_callsAskedAt{};         // when the question under way was sent
  SteadyTime m_quietUntil{};           // when the last question was sent whose answer showed no silent command
  std::optional<SteadyTime> m_barrier; // proven as soon as the closed generation of hints is read
};

} // namespace lockhouse
