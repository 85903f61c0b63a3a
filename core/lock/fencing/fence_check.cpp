// SPDX-License-Identifier: Apache-2.0
#include "core/lock/fencing/fence_check.h"

namespace lockhouse {

FenceVerdict FenceCheck::check(std::string_view resource, Fence fence, SteadyTime now) {
  const std::scoped_lock guard(m_mutex);
  const auto known = m_byResource.find(resource);
  if (known == m_byResource.end()) {
    if (resource.size() > m_options.longestName || !makeRoom(now))
      return FenceVerdict::Full;
    const auto place = m_marks.insert(m_marks.end(), {std::string(resource), fence, now});
    m_byResource.emplace(place->resource, place);
    return FenceVerdict::Admitted;
  }
  auto &mark = *known->second;
  if (fence < mark.highest)
    return FenceVerdict::Stale;
  mark.highest = fence;
  mark.lastSeen = now;
  m_marks.splice(m_marks.end(), m_marks, known->second);
  return FenceVerdict::Admitted;
}

bool FenceCheck::makeRoom(SteadyTime now) {
  if (m_marks.size() < m_options.mostResources)
    return true;
  if (m_options.forgetAfter <= milliseconds::zero() || m_marks.empty() || now - m_marks.front().lastSeen < m_options.forgetAfter)
    return false;
  m_byResource.erase(m_marks.front().resource);
  m_marks.pop_front();
  return true;
}

std::optional<Fence> FenceCheck::highest(std::string_view resource) const {
  const std::scoped_lock guard(m_mutex);
  const auto known = m_byResource.find(resource);
  return known == m_byResource.end() ? std::nullopt : std::optional(known->second->highest);
}

void FenceCheck::forget(std::string_view resource) {
  const std::scoped_lock guard(m_mutex);
  const auto known = m_byResource.find(resource);
  if (known == m_byResource.end())
    return;
  const auto place = known->second;
  m_byResource.erase(known);
  m_marks.erase(place);
}

std::size_t FenceCheck::size() const {
  const std::scoped_lock guard(m_mutex);
  return m_marks.size();
}

} // namespace lockhouse
