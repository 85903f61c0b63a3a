// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/reply.h"

#include <string>
#include <vector>

namespace lockhouse {

/// What one node of a cluster says of it. Ids are the cluster's own, 40 hex digits.
struct ClusterView {
  std::string self;                 ///< of the node that was asked; empty: it did not tell
  std::vector<std::string> masters; ///< that serve slots, sorted; empty: it did not tell

  bool isKnown() const { return !self.empty() && !masters.empty(); }
  /// Whether both are of one cluster; so are nodes that did not tell.
  bool isOneWith(const ClusterView &other) const;
};

/// The masters in an answer to CLUSTER SLOTS.
std::vector<std::string> mastersIn(const Reply &slots);

} // namespace lockhouse
