// SPDX-License-Identifier: Apache-2.0
#include "core/client/support/log_event.h"

namespace lockhouse {

std::string_view name(LogEvent::Level level) {
  switch (level) {
  case LogEvent::Level::Info: return "info";
  case LogEvent::Level::Warning: return "warning";
  case LogEvent::Level::Error: return "error";
  }
  return "";
}

std::string_view name(LogEvent::Kind kind) {
  using Kind = LogEvent::Kind;
  switch (kind) {
  case Kind::Connected: return "connected";
  case Kind::ConnectionLost: return "connection lost";
  case Kind::ConnectionBack: return "connection back";
  case Kind::MessagesInterrupted: return "messages interrupted";
  case Kind::MessagesBack: return "messages back";
  case Kind::ServerRestarted: return "server restarted";
  case Kind::ScriptsFlushed: return "scripts flushed";
  case Kind::HoldLost: return "hold lost";
  case Kind::AcquireInDoubt: return "acquire in doubt";
  case Kind::ReleaseInDoubt: return "release in doubt";
  case Kind::FallbackEntered: return "fallback entered";
  case Kind::FallbackLeft: return "fallback left";
  }
  return "";
}

} // namespace lockhouse
