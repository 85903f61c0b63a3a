// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lockhouse {

/// Something that happened in the background and belongs in the caller's log. What an acquire or release returns is not logged, unless the
/// state at the server is in doubt.
struct LogEvent {
  enum class Level : std::uint8_t { Info, Warning, Error };
  enum class Kind : std::uint8_t {
    Connected,           ///< for the first time
    ConnectionLost,      ///< or never established; once, until it is back
    ConnectionBack,      ///<
    MessagesInterrupted, ///< the connection on which releases are published is lost: waiters poll meanwhile; once, until it is back
    MessagesBack,        ///<
    ServerRestarted,     ///< the server is another run than before: what it did not save is lost
    ScriptsFlushed,      ///< this run of the server lost a script; it was sent again, nothing was lost
    HoldLost,            ///< with the cause
    AcquireInDoubt,      ///< sent, without a reply; it is being released
    ReleaseInDoubt,      ///< sent, without a reply; it is repeated in the background until the lease must have ended
    FallbackEntered,     ///< the holds of a FallbackLock bind this process only, from now on
    FallbackLeft,        ///< and all clients again
  };

  Level level = Level::Info;
  Kind kind = Kind::Connected;
  std::string text; ///< one sentence, safe to print, with the lock's name and the cause
  LockName lock;    ///< bytes; empty if it is not about one lock
  NodeId node;      ///< empty if it is about several
};

std::string_view name(LogEvent::Level level); ///< "info", "warning", "error"
std::string_view name(LogEvent::Kind kind);   ///< "connection lost" …

/// Called on the client's loop thread. It must not block or throw, and not destroy the
/// client; a call to any log library that queues is fine.
using LogSink = std::function<void(const LogEvent &)>;

} // namespace lockhouse
