// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

namespace lockhouse {

/// One turn of the loop, as a connection sees it: its time, which is read only once, and who writes what the turn has queued. A batch of
/// replies is flushed at its end; everything else by a flush that is posted once a turn. Loop thread only.
class LoopTurn {
public:
  /// The time of this turn.
  SteadyTime now() {
    if (!m_isTimed)
      begin(SteadyClock::now());
    return m_now;
  }
  void begin(SteadyTime now) {
    m_now = now;
    m_isTimed = true;
  }
  /// The connection is lost: what is known of the turn ends.
  void end() { m_isTimed = false; }

  /// Around a batch of replies.
  void beginReplies() { m_isReading = true; }
  void endReplies() { m_isReading = false; }
  bool isReading() const { return m_isReading; }

  /// Something is to be written. True if the caller has to post a flush for that.
  bool needsFlush() {
    if (m_isReading || m_isFlushing || m_isFlushPosted)
      return false;
    m_isFlushPosted = true;
    return true;
  }
  void flushArrived() { m_isFlushPosted = false; }
  /// Around what is queued right before the write.
  void beginFlush() { m_isFlushing = true; }
  void endFlush() {
    m_isFlushing = false;
    m_isTimed = m_isReading; // the next turn has another time
  }

private:
  SteadyTime m_now{};
  bool m_isTimed = false;
  bool m_isReading = false;
  bool m_isFlushing = false;
  bool m_isFlushPosted = false;
};

} // namespace lockhouse
