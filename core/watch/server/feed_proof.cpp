// SPDX-License-Identifier: Apache-2.0
#include "core/watch/server/feed_proof.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

constexpr milliseconds hintMargin(100); // a hint may arrive so much before the INFO answer that counts its change

} // namespace

void FeedProof::beginConnection() {
  m_info.reset();
  m_calls.reset();
  m_quietUntil = {};
  m_hints = m_silentBeats = 0;
  m_lastHint = {};
}

void FeedProof::beginEpoch() {
  m_barrier.reset();
  m_hints = m_silentBeats = 0;
}

ServerInfo::Verdict FeedProof::beat(InfoReply info, SteadyTime now) {
  const bool justHinted = now - m_lastHint < hintMargin;
  const auto hints = std::exchange(m_hints, justHinted ? 1 : 0);
  if (hints > 0)
    m_silentBeats = 0;
  return m_info.beat(std::move(info), hints);
}

// CONFIG RESETSTAT changes the counters too, which costs a scan.
FeedProof::SilentChanges FeedProof::takeCalls(std::string_view commandstats, bool isFollowed) {
  const auto calls = parseSilentCalls(commandstats);
  const auto before = std::exchange(m_calls, calls);
  SilentChanges changes;
  if (before && isFollowed)
    changes = {.flushes = calls.flushes != before->flushes, .swaps = calls.swaps != before->swaps, .configs = calls.configs != before->configs};
  if (!changes.any())
    m_quietUntil = m_callsAskedAt;
  return changes;
}

SteadyTime FeedProof::takeBarrier() { return *std::exchange(m_barrier, std::nullopt); }

SteadyTime FeedProof::provenBy(SteadyTime barrier) const { return m_calls ? std::min(barrier, m_quietUntil) : barrier; }

} // namespace lockhouse
