// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/lab/stress/stress_run.h"

#include <string>
#include <vector>

namespace lockhouse {

/// What the clients of a run take, and are looked at in: each a cell, or of a MultiLock three that overlap with their neighbours', or of
/// a StripedLock its key and, as a cell of its own, that key's stripe.
class LockLayout {
public:
  /// `prefix`: of their names, a number follows.
  LockLayout(const StressOptions &options, const std::string &prefix);

  const std::vector<LockName> &names() const { return m_names; } ///< of the locks, or keys; the last of a StripedLock is its own
  std::size_t count() const { return m_count; }
  std::vector<std::size_t> of(unsigned client) const;
  /// Whether a client has left its cells when it begins to give back, not when that is confirmed: of several locks each is free by itself, and the
  /// answers of a Client come over from another thread.
  bool areLeftFirst() const { return m_leftFirst; }
  std::size_t stripesUsed() const;

private:
  unsigned m_keys;
  unsigned m_stripes; // 0: not striped
  bool m_isMulti;
  bool m_leftFirst;
  std::size_t m_count;
  std::vector<LockName> m_names;
};

} // namespace lockhouse
