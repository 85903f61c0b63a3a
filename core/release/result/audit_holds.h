// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockhouse {

/// One of the holds that were sent together, as the audit log lists them. Bytes from Redis are as they were; show them with safeText().
struct AuditHold {
  std::string key;
  std::string node;
  std::string holder;
  int db = 0;
  std::string verdict; ///< of an outcome; empty: none is told
};

/// AuditRecord::before of an action "…-many". Empty for what is no such list.
std::vector<AuditHold> auditHolds(std::string_view json);

/// Fills in the verdicts of what an intent lists: `verdict` and `before` of its outcome, which lists those to which something else came than to most.
void tellVerdicts(std::vector<AuditHold> &holds, std::string_view verdict, std::string_view before);

/// Which holds are of one lock: the same name, by the same holder on several masters, or on one node. In order of their first.
std::vector<std::vector<std::size_t>> locksAmong(std::span<const AuditHold> holds);

} // namespace lockhouse
