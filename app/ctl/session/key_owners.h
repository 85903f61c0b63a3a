// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/session/session.h"

#include <span>

namespace lockhouse::ctl {

/// The rows of one key, folded, and what went wrong where there are none.
struct KeyRows {
  std::vector<LockRecordPtr> locks;
  std::optional<Error> error;
  /// Those that may have the key: of a cluster the masters that serve it, and no replica of what its master has.
  std::vector<NodeStatus> nodes;
  std::vector<NodeStatus> asked; ///< all of them: one that has answered is live, whatever of its sweep
};
KeyRows rowsOf(const std::string &key, Session &session, std::vector<NodeStatus> nodes);

/// The key that KEY means: its very bytes, or where no lock is under them the bytes that are shown as it.
std::string meantKey(const Arguments &arguments, Session &session, const std::vector<NodeStatus> &nodes);
/// Of a lock of several keys that of its row, whichever of them `key` is; else `key`.
std::string keyOfWhole(const std::string &key, Session &session, const std::vector<NodeStatus> &nodes);

/// Adds to `locks` those beside which the key lies; what it is to them, empty: to none.
std::string findOwners(const std::string &key, Session &session, const std::vector<NodeStatus> &nodes, std::vector<LockRecordPtr> &locks);

/// The lock beside which a key lies that looks like one of another family by itself (`found`), and what it is to it; nothing: it is its own.
struct OwnerRows {
  std::vector<LockRecordPtr> locks;
  std::string role;
};
std::optional<OwnerRows> lockOfCompanion(const std::string &key, Session &session, const std::vector<NodeStatus> &nodes, std::span<const LockRecordPtr> found);
/// Whether its name may be that of such a key.
bool mayBeCompanion(const std::string &key, const FamilyRegistry &families);

/// What a key is to the lock that a read of it was answered with.
std::string roleOf(const std::string &key, const LockRecord &lock, const FamilyRegistry &families);

} // namespace lockhouse::ctl
