// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/session/session.h"

namespace lockhouse::ctl {

/// The nodes of a lock that are meant, and its rows on all: with its other members or its neighbours it may be sure where its key alone is not.
struct Home {
  std::vector<NodeStatus> nodes;
  std::vector<NodeStatus> asked; ///< all of them, as of KeyRows
  std::vector<LockRecordPtr> rows;
  double confidence() const;
};

/// Of these nodes, of which some are meant. Where none that is meant serves the key, the first of them, which says so.
Home homeOf(const std::string &key, Session &session, const std::vector<NodeStatus> &all, const std::vector<NodeStatus> &meant);

/// Of a lock that several hold, each on masters of his own, or whose majority keeps somebody out: where this one has nothing, though he has elsewhere.
bool isFreeOf(const Home &home, const LockId &id, const std::string &holder);

} // namespace lockhouse::ctl
