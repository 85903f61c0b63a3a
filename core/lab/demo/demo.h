// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/client/support/metrics.h"
#include "core/net/address/uri.h"

#include <memory>
#include <vector>

namespace lockhouse {

/// Private redis-server processes and the traffic on them that tells a story: what a newcomer looks at, and what tests watch. Every
/// primitive of ours is at work there, wanted by several, and so are locks as other libraries write them, and data that is no lock. The
/// third node has a replica, which some holds wait for; one service loses its way to that node now and then, and falls back.
class Demo {
public:
  /// Starts the servers (their own temporary folder, Unix sockets, no persistence) and waits until they answer. The third also listens on a
  /// port of this machine until its replica has come, from Redis 7.0 on; before, as long as it runs. Error Unreachable
  /// in one sentence when redis-server is not installed or does not start. Blocking, at most ten seconds.
  static Result<std::unique_ptr<Demo>> start();
  ~Demo(); ///< ends the traffic, then the servers by pid, and removes their folder

  const std::vector<Uri> &nodes() const; ///< Unix-socket URIs, to be watched like any other node
  /// What each service on our own locks has seen, at each node and over all of them, but for that of the FallbackLock. Any thread; waits
  /// for the demo's loop.
  std::vector<Metrics> metrics() const;

private:
  class Core;
  explicit Demo(std::unique_ptr<Core> core);
  std::unique_ptr<Core> m_core;
};

} // namespace lockhouse
