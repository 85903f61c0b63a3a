// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/support/log_event.h"
#include "core/net/connection/connection.h"

#include <optional>

namespace lockhouse {

/// What a driver logs about its two connections and its server: each change once, however often it reconnects. Loop thread only.
class ConnectionLog {
public:
  ConnectionLog(LogSink sink, std::string node) : m_sink(std::move(sink)), m_node(std::move(node)) {}

  void connection(Connection::State state, const Error *why);
  void messagesInterrupted(const Error &why);
  void messagesBack();
  void serverRestarted() const;
  void scriptsFlushed() const;

  bool hasSink() const { return static_cast<bool>(m_sink); }
  void tell(LogEvent::Level level, LogEvent::Kind kind, std::string text, LockName lock = {}) const;

private:
  LogSink m_sink;
  NodeId m_node;
  std::optional<bool> m_connected;
  bool m_interrupted = false;
};

} // namespace lockhouse
