// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/lock.h"
#include "core/client/api/multi_session.h"

namespace lockhouse {

/// One of the locks that a MultiLock is made of: a name at a node.
struct MultiMember {
  std::size_t node = 0; ///< its place among the nodes of the client
  LockName name;
  bool operator==(const MultiMember &) const = default;
};

/// The driver of each node of the client.
using DriverOf = std::function<NodeDriver &(std::size_t node)>;

/// The locks of `members`, each once, in the order in which all clients take them; one part if one script can take them all.
std::vector<MultiSession::Part> multiLockParts(const DriverOf &driver, const Primitive &primitive, std::vector<MultiMember> members);

/// The Lock of `members`. If they are wrong (none, too many, an empty name, a node that is not there), every acquire fails and says why.
Lock makeMultiLock(std::shared_ptr<ClientRuntime> runtime, DriverOf driver, const Primitive &primitive, std::vector<MultiMember> members, LockOptions options);

} // namespace lockhouse
