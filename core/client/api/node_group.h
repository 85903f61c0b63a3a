// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/client.h"

#include <span>
#include <string>
#include <vector>

namespace lockhouse {

class NodeRuntime;

/// Several nodes behind one loop, for MultiLocks whose names live at different ones. Any thread. Owns a loop with its thread and,
/// for each node, what a Client owns. ClientOptions mean at each node what they mean there: its own lines in the log, under its own
/// name, and owners in the format that is asked for.
///
/// Redis: see multiLockInfo(). Promised and not: see there, and MultiSession.
class NodeGroup {
public:
  /// A name at one of the nodes.
  struct Place {
    std::size_t node; ///< its place among the nodes of connect()
    LockName name;
  };

  /// Connects to all, blocking, at most ConnectionOptions::connectTimeout; the first error of a node is the error of all. Usage also
  /// for no node, and for an address named twice.
  static Result<NodeGroup> connect(std::vector<Uri> nodes, ClientOptions options = {});
  static Result<NodeGroup> connect(std::span<const std::string> uris, ClientOptions options = {});
  ~NodeGroup(); ///< as ~Client()
  NodeGroup(NodeGroup &&) noexcept;
  NodeGroup &operator=(NodeGroup &&) noexcept;

  /// All of `places` or none, in the format of Mutex or of `primitive`. A node that is not there: every acquire fails with Usage.
  Lock multiLock(const std::vector<Place> &places, LockOptions options = {}) const;
  Lock multiLock(const Primitive &primitive, const std::vector<Place> &places, LockOptions options = {}) const;

  std::size_t size() const; ///< nodes
  /// What was seen at each node so far, labelled {"node", its address}: prometheusText() takes them as they are. The locks are those that
  /// the MultiLocks are made of, each counted at its node under its own primitive. As of Client::metrics() otherwise.
  std::vector<LabelledMetrics> metrics() const;
  std::uint64_t commandsSent() const;

private:
  explicit NodeGroup(std::shared_ptr<NodeRuntime> runtime);

  std::shared_ptr<NodeRuntime> m_runtime; // shared with locks and handles, which may outlive the group
};

} // namespace lockhouse
