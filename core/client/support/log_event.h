// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lockhouse {

/// Something that happened behind the caller's back and is worth a line in his log. What an acquire or release returns is not told
/// here again, except where the server was left in doubt.
struct LogEvent {
  enum class Level : std::uint8_t { Info, Warning, Error };
  enum class Kind : std::uint8_t {
    Connected,           ///< for the first time
    ConnectionLost,      ///< or not had at all; once, until it is back
    ConnectionBack,      ///<
    MessagesInterrupted, ///< the line on which releases are told is down: waiters poll meanwhile; once, until it is back
    MessagesBack,        ///<
    ServerRestarted,     ///< the node is another run than before: what it did not save is gone
    ScriptsFlushed,      ///< a script that this run of the server had is gone; it was sent again, nothing was lost
    HoldLost,            ///< with the cause
    AcquireInDoubt,      ///< sent and unanswered; it is being given back
    ReleaseInDoubt,      ///< sent and unanswered; it is tried on behind until the lease must have ended
    FallbackEntered,     ///< a FallbackLock now gives holds that bind this process only
    FallbackLeft,        ///< and now such as bind all again
  };

  Level level = Level::Info;
  Kind kind = Kind::Connected;
  std::string text; ///< one sentence, plain and safe to print; with the lock's name and the cause
  LockName lock;    ///< bytes; empty if it is not about one lock
  NodeId node;      ///< empty if it is about several
};

std::string_view name(LogEvent::Level level); ///< "info", "warning", "error"
std::string_view name(LogEvent::Kind kind);   ///< "connection lost" …

/// Called on the client's loop thread. It must not block or throw, and not destroy the
/// client; a call to any log library that queues is fine.
using LogSink = std::function<void(const LogEvent &)>;

} // namespace lockhouse
