// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/lock/machines/acquire_machine.h"

#include <cstdint>
#include <vector>

namespace lockhouse {

/// The door of one lock inside one driver: who of this client is inside, and the line of those who wait, first come first served.
/// Who of them asks the server is the gate's kind. Pure.
class LocalWaitQueue {
public:
  enum class Kind : std::uint8_t {
    InClient,  ///< the first in line
    AtServer,  ///< each for itself; the first in line is told Turn: it sees to the server's line for all of them
    WhileFull, ///< each for itself until one is refused; then the first in line, and as many more as the server has room for
    Cohort,    ///< the first in line, unless one of this client is inside: that one hands it on, see next()
  };

  /// Somebody who wants in.
  class LocalWaiter {
  public:
    /// Where he stands in the line; the gate's own. An intrusive list, so that standing in line costs nothing.
    struct Place {
      LocalWaiter *before = nullptr;
      LocalWaiter *behind = nullptr;
      bool inLine = false;
      bool stands = false; ///< WhileFull: has not asked yet
    };
    Place place;

    virtual void tell(AcquireEvent event, SteadyTime now) = 0; ///< goes to his AcquireMachine
    virtual bool isReader() const { return false; }            ///< he gets in beside his like
    virtual void lookNow(SteadyTime now) = 0;                  ///< he is inside, but may have lost the lock

  protected:
    LocalWaiter() = default;
    ~LocalWaiter() = default;
    LocalWaiter(const LocalWaiter &) = delete;
    LocalWaiter &operator=(const LocalWaiter &) = delete;
  };

  LocalWaitQueue(Kind kind, unsigned handoffLimit) : m_kind(kind), m_handoffLimit(handoffLimit) {}

  /// A new acquire. Tells `visitor` Start, or StandInLine and perhaps his turn. `waits` false: straight to the door.
  void enter(LocalWaiter &localWaiter, bool waits, SteadyTime now);
  /// He was let in: he leaves the line, and the next one moves up.
  void letIn(LocalWaiter &localWaiter, SteadyTime now);
  /// WhileFull: the server has no room for him now; who comes after him stands in line.
  void refused(LocalWaiter &localWaiter);
  /// WhileFull: he was let in, and the server has room for so many more like him. They ask, up to the first of another kind, who would
  /// be passed for ever otherwise.
  void room(const LocalWaiter &letIn, std::int64_t places, SteadyTime now);
  /// He gave up, or failed.
  void leave(LocalWaiter &localWaiter, SteadyTime now);
  /// He has sent his last release: the next in line may ask right behind it.
  void goneOut(LocalWaiter &localWaiter, SteadyTime now);
  /// He lost the lock: it may be free. Nobody else may know of that yet.
  void lost(LocalWaiter &localWaiter, SteadyTime now);
  /// A last release is confirmed, or what was granted too late is given back. Whoever was refused before that arrived (the release
  /// was sent again, or as EVAL after NOSCRIPT) has no other way to know, since our own messages say nothing new: he asks again.
  void freed(SteadyTime now);
  /// A message on the lock's channel. As many as releases of this gate published say nothing new.
  void heard(SteadyTime now);
  /// The messages had a gap, or begin now: look.
  void lookAgain(SteadyTime now);
  /// To all who may have asked the server.
  void tellAskers(AcquireEvent event, SteadyTime now);
  /// Cohort: to whom the one inside may hand on; null if to nobody of this client, or if it is time to let others in.
  LocalWaiter *next() const { return m_kind == Kind::Cohort && m_handoffs + 1 < m_handoffLimit ? m_first : nullptr; }
  /// Cohort: he was handed the lock by the one who was inside.
  void handedOn(LocalWaiter &localWaiter, SteadyTime now);

  LocalWaiter *inside() const { return m_inside; }
  LocalWaiter *first() const { return m_first; }

  /// A release of ours was sent that publishes, and messages are heard: one of them is ours.
  void expectOwn() { m_ownMessages += m_kind == Kind::InClient ? 1U : 0U; }
  void forgetOwn() { m_ownMessages = 0; }
  bool expectsOwn() const { return m_ownMessages > 0; }

private:
  std::vector<LocalWaiter *> firstOf(std::int64_t most) const;
  void wake(LocalWaiter &localWaiter, SteadyTime now);
  void unlink(LocalWaiter &localWaiter);
  void moveUp(SteadyTime now);

  LocalWaiter *m_first = nullptr;
  LocalWaiter *m_last = nullptr;
  LocalWaiter *m_inside = nullptr;
  Kind m_kind;
  unsigned m_handoffLimit;
  unsigned m_handoffs = 0;
  unsigned m_ownMessages = 0;
  bool m_full = false; // WhileFull: somebody in line was refused
};

} // namespace lockhouse
