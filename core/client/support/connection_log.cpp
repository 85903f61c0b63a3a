// SPDX-License-Identifier: Apache-2.0
#include "core/client/support/connection_log.h"

#include <utility>

namespace lockhouse {

using Level = LogEvent::Level;
using Kind = LogEvent::Kind;

void ConnectionLog::tell(Level level, Kind kind, std::string text, LockName lock) const {
  if (m_sink)
    m_sink({level, kind, std::move(text), std::move(lock), m_node});
}

void ConnectionLog::connection(Connection::State state, const Error *why) {
  if (state == Connection::State::Connecting)
    return;
  const bool up = state == Connection::State::Ready;
  if (m_connected == up)
    return;
  const bool first = !m_connected;
  m_connected = up;
  if (up)
    tell(Level::Info, first ? Kind::Connected : Kind::ConnectionBack, m_node.bytes() + (first ? ": connected" : ": the connection is back"));
  else
    tell(Level::Warning, Kind::ConnectionLost, why != nullptr ? why->sentence() : m_node.bytes() + ": no connection");
}

void ConnectionLog::messagesInterrupted(const Error &why) {
  if (!std::exchange(m_interrupted, true))
    tell(Level::Warning, Kind::MessagesInterrupted, "releases are not told, waiters poll: " + why.sentence());
}

void ConnectionLog::messagesBack() {
  if (std::exchange(m_interrupted, false))
    tell(Level::Info, Kind::MessagesBack, m_node.bytes() + ": releases are told again");
}

void ConnectionLog::serverRestarted() const {
  tell(Level::Warning, Kind::ServerRestarted, m_node.bytes() + ": the server was restarted; locks that it did not save are lost");
}

void ConnectionLog::scriptsFlushed() const {
  tell(Level::Info, Kind::ScriptsFlushed, m_node.bytes() + ": the server's scripts were flushed; they are sent again");
}

} // namespace lockhouse
