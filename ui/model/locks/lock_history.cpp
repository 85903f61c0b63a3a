// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/locks/lock_history.h"

#include <algorithm>
#include <ranges>

namespace lockhouse::ui {

void LockHistory::add(const std::vector<LockChange> &changes) {
  m_changes.insert(m_changes.end(), changes.begin(), changes.end());
  if (m_changes.size() > m_most)
    m_changes.erase(m_changes.begin(), m_changes.begin() + static_cast<std::ptrdiff_t>(m_changes.size() - m_most));
}

std::vector<LockChange> LockHistory::of(const LockId &id, std::size_t most) const {
  std::vector<LockChange> found;
  for (const LockChange &change : std::views::reverse(m_changes)) {
    if (found.size() == most)
      break;
    const bool again = !found.empty() && change.kind == ChangeKind::Lease && found.back().kind == ChangeKind::Lease;
    const bool isIts = change.id == id || (change.before && change.before->id == id); // its row may go on on another master
    if (isIts && !again)
      found.push_back(change);
  }
  return found;
}

} // namespace lockhouse::ui
