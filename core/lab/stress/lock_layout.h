// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/lab/stress/stress_run.h"

#include <string>
#include <vector>

namespace lockhouse {

/// Which locks a run has, and which resources each client uses under them. A client has one resource. With a MultiLock it has three, which
/// overlap with its neighbours'. With a StripedLock it has its key and that key's stripe, which is a resource too.
class LockLayout {
public:
  /// `prefix`: the start of each name, before its number.
  LockLayout(const StressOptions &options, const std::string &prefix);

  const std::vector<LockName> &names() const { return m_names; } ///< of the locks or keys; the last name with a StripedLock is that lock's own
  std::size_t count() const { return m_count; }
  std::vector<std::size_t> of(unsigned client) const;
  /// Whether a client leaves its resources before it releases, and not when the release is confirmed: each of several locks is free by itself, and
  /// the answers of a Client come from another thread.
  bool leavesBeforeRelease() const { return m_leavesBeforeRelease; }
  std::size_t stripesUsed() const;

private:
  unsigned m_keys;
  unsigned m_stripes; // 0: not striped
  bool m_isMulti;
  bool m_leavesBeforeRelease;
  std::size_t m_count;
  std::vector<LockName> m_names;
};

} // namespace lockhouse
