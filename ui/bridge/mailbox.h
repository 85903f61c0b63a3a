// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_change.h"
#include "core/watch/record/lock_snapshot.h"

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace lockhouse::ui {

/// What waits to cross from the loop to the GUI thread: of snapshots the newest, of changes all up to a bound, then a count.
/// Any thread. put() says whether the box was empty, so that one queued call is under way at a time.
class Mailbox {
public:
  struct Mail {
    LockSnapshotPtr snapshot;
    std::vector<LockChange> changes;
    std::uint64_t dropped = 0; ///< changes that found the box full
  };

  explicit Mailbox(std::size_t mostChanges = 20'000) : m_most(mostChanges) {}

  bool put(LockSnapshotPtr snapshot) {
    const std::scoped_lock guard(m_mutex);
    m_mail.snapshot = std::move(snapshot);
    return !std::exchange(m_waiting, true);
  }
  bool put(std::span<const LockChange> changes) {
    const std::scoped_lock guard(m_mutex);
    const std::size_t room = m_most - std::min(m_most, m_mail.changes.size());
    const std::size_t taken = std::min(room, changes.size());
    m_mail.changes.insert(m_mail.changes.end(), changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(taken));
    m_mail.dropped += changes.size() - taken;
    return !std::exchange(m_waiting, true);
  }
  Mail take() {
    const std::scoped_lock guard(m_mutex);
    m_waiting = false;
    return std::exchange(m_mail, {});
  }

private:
  std::mutex m_mutex;
  Mail m_mail;
  std::size_t m_most;
  bool m_waiting = false;
};

} // namespace lockhouse::ui
