// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/lock/machines/acquire_machine.h"

#include <cstdint>
#include <vector>

namespace lockhouse {

/// The waiters of one driver for one lock, first come first served, and the one of them that holds it. Its kind says which of them ask the
/// server. Pure.
class LocalWaitQueue {
public:
  enum class Kind : std::uint8_t {
    InClient,  ///< the first waiter
    AtServer,  ///< each for itself; the first one gets Turn: it keeps the server's queue going for all of them
    WhileFull, ///< each for itself until one is refused; then the first one, and as many more as the server has places for
    Cohort,    ///< the first waiter, unless one of this client holds the lock: that one hands it over, see successor()
  };

  class Waiter {
  public:
    /// Its place in the queue; the queue's own. An intrusive list, so that waiting costs no memory.
    struct Place {
      Waiter *previous = nullptr;
      Waiter *next = nullptr;
      bool isQueued = false;
      bool hasNotAsked = false; ///< WhileFull
    };
    Place place;

    virtual void onEvent(AcquireEvent event, SteadyTime now) = 0; ///< for its AcquireMachine
    virtual bool isReader() const { return false; }               ///< other readers may hold the lock too
    virtual void verifyHold(SteadyTime now) = 0;                  ///< it holds the lock, but may have lost it

  protected:
    Waiter() = default;
    ~Waiter() = default;
    Waiter(const Waiter &) = delete;
    Waiter &operator=(const Waiter &) = delete;
  };

  LocalWaitQueue(Kind kind, unsigned handoffLimit) : m_kind(kind), m_handoffLimit(handoffLimit) {}

  /// A new acquire. Sends `waiter` Start, or StandInLine and perhaps its turn. `waits` false: Start, without a place.
  void enter(Waiter &waiter, bool waits, SteadyTime now);
  /// It got the lock: it leaves the queue, and the next one moves up.
  void acquired(Waiter &waiter, SteadyTime now);
  /// WhileFull: the server has no place for it now; later waiters do not ask.
  void refused(Waiter &waiter);
  /// WhileFull: `holder` got a place, and the server has so many more for its like. The first waiters ask, up to the first one of another
  /// kind, which would be overtaken for ever otherwise.
  void wakeForPlaces(const Waiter &holder, std::int64_t places, SteadyTime now);
  /// It gave up, or failed.
  void leave(Waiter &waiter, SteadyTime now);
  /// It has sent its last release: the next one may ask right behind it.
  void released(Waiter &waiter, SteadyTime now);
  /// It lost the lock, which may be free. Nobody else may know of that yet.
  void lost(Waiter &waiter, SteadyTime now);
  /// A last release is confirmed, or what was granted too late is given back. A waiter that was refused before that release ran (it was
  /// sent again, or as EVAL after NOSCRIPT) has no other way to know, because our own messages are ignored: it asks again.
  void releaseConfirmed(SteadyTime now);
  /// A message on the lock's channel. As many as this client published itself are ignored.
  void messageReceived(SteadyTime now);
  /// Messages may have been missed, or arrive from now on: ask again.
  void recheck(SteadyTime now);
  /// For all who may have asked the server.
  void notifyAskers(AcquireEvent event, SteadyTime now);
  /// Cohort: to whom the holder may hand over; null if to nobody of this client, or if it is time that others get in.
  Waiter *successor() const { return m_kind == Kind::Cohort && m_handoffs + 1 < m_handoffLimit ? m_first : nullptr; }
  /// Cohort: the holder handed the lock to it.
  void handedOver(Waiter &waiter, SteadyTime now);

  Waiter *holder() const { return m_holder; }
  Waiter *first() const { return m_first; }

  /// A release of ours was sent that publishes, and messages arrive: one of them is ours.
  void expectOwnMessage() { m_ownMessages += m_kind == Kind::InClient ? 1U : 0U; }
  void forgetOwnMessages() { m_ownMessages = 0; }
  bool expectsOwnMessage() const { return m_ownMessages > 0; }

private:
  std::vector<Waiter *> firstWaiters(std::int64_t most) const;
  void wake(Waiter &waiter, SteadyTime now);
  void unlink(Waiter &waiter);
  void notifyFirst(SteadyTime now);

  Waiter *m_first = nullptr;
  Waiter *m_last = nullptr;
  Waiter *m_holder = nullptr;
  Kind m_kind;
  unsigned m_handoffLimit;
  unsigned m_handoffs = 0;
  unsigned m_ownMessages = 0;
  bool m_isFull = false; // WhileFull: a waiter was refused
};

} // namespace lockhouse
