// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/options/server_features.h"
#include "core/net/connection/connection.h"

#include <functional>
#include <string>

namespace lockhouse {

/// Learns after each connect which run of the server answers, and which commands it has. Loop thread only.
/// Redis: INFO server and COMMAND INFO, 1 round trip together.
class ServerProbe {
public:
  /// `restarted`: another run of the server than before.
  using Handler = std::move_only_function<void(bool restarted)>;

  explicit ServerProbe(Connection &connection) : m_connection(connection) {}

  /// Called when the server has replied.
  void onIdentified(Handler handler) { m_onIdentified = std::move(handler); }
  /// On a connection that is Ready.
  void start();
  /// None until the server has replied.
  const ServerFeatures &features() const { return m_features; }
  /// The server has a command for compare and delete, but refuses it to this user or at all: from now on scripts do it.
  void useScriptToDelete() { m_features.compareAndDelete = ServerFeatures::CompareAndDelete::Script; }

private:
  void readInfo(const Result<Reply> &reply);

  Connection &m_connection;
  Handler m_onIdentified;
  std::string m_runId;
  std::string m_info; // of this connection's server, until its features are known
  ServerFeatures m_features;
};

} // namespace lockhouse
