// SPDX-License-Identifier: Apache-2.0
#include "core/client/release/bulk_release.h"

#include <utility>

namespace lockhouse {

ReleaseService::Many::Many(std::shared_ptr<Core> core, std::vector<ReleaseResult> results, std::stop_token stop, ProgressHandler progress, ManyDone done)
    : m_core(std::move(core)), m_lanes(*m_core), m_stop(std::move(stop)), m_results(std::move(results)), m_onProgress(std::move(progress)),
      m_done(std::move(done)) {
  m_progress.total = m_results.size();
}

void ReleaseService::Many::settle(std::size_t index, std::optional<Verdict> verdict, Message detail, bool inDoubt) {
  auto &result = m_results[index];
  result.verdict = verdict;
  result.detail = std::move(detail);
  result.inDoubt = inDoubt;
  if (verdict == Verdict::Stopped)
    return; // it was left alone: that is no answer
  ++m_progress.answered;
  m_progress.released += isAsAsked(verdict);
  m_progress.refused += verdict && !isAsAsked(verdict) && !inDoubt;
  m_progress.unknown += inDoubt;
}

void ReleaseService::Many::tell() {
  if (m_onProgress)
    m_onProgress(m_progress);
}

void ReleaseService::Many::finish() {
  const auto self = shared_from_this();
  m_core->tasks.erase(self);
  m_lanes.clear();
  tell();
  m_done(std::move(m_results));
}

} // namespace lockhouse
