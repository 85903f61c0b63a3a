// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// Our own locks with several holders, each with a lease of its own by the server's time.
///
/// A sorted set under the lock's name: one member for each hold, score = the end of its lease in epoch ms; its expiry = the latest of
/// them. Beside it `lockhouse:queue:{name}`, waiters in their order, and `lockhouse:deadlines:{name}`, as HandoffLock has them. Whoever
/// asks or gives up drops the holds whose leases have ended, so that nothing that a vanished holder had is lost, and lets the first of
/// the queue in as long as they fit: all readers up to the next writer, or as many permits as are free, in one script. Who was let in
/// is told through its client's one inbox, or by the answer if it is of the same client.
///
/// FairReadWriteLock: members "w/token" and "r/token"; LockMode::shared asks as a reader. Policy fair: in the order of arrival;
/// writers-first: a writer stands before all readers that wait. Readers are renewed each for itself: a reader that is gone is not kept
/// by the others. Meets SharedTimedMutex through SharedTimedLock.
/// A writer goes on as a reader by a renewal, which lets those readers in that stand first in the queue. A reader becomes the writer by an
/// ask of its own: at once if it is alone; else it stands before all that queue, "un/token" for its n-th time, stays a reader, and is told
/// when it is alone. Of two readers the second is refused at once (Deadlock): neither would see the other leave. Its place ends with
/// its hold, and with its client's deadline. Once a writer it is "wn/token", so that nothing said the time before meets it this time.
/// LeasedSemaphore: members "token/1" to "token/n", one for each permit; `lockhouse:capacity:{name}` remembers how many there are while
/// anybody holds one. Free and held permits are as many as the capacity at every instant, since the free ones are not stored.
/// Redis: acquire EVALSHA, release EVALSHA, 1 round trip each, 5 to 9 calls inside; a handoff is half a round trip. To become a reader
/// EVALSHA, to become the writer EVALSHA, once more when told.
/// Sources: DistributedLock (permits by server time); Courtois, Heymans, Parnas, "Concurrent Control with Readers and Writers", 1971.
class MultiHolderLock final : public Primitive {
public:
  static const MultiHolderLock fairReadWrite;
  static const MultiHolderLock leasedSemaphore;

  const PrimitiveInfo &info() const override { return m_info; }
  bool isReentrant() const override { return false; }
  bool hasReaders() const override { return !m_permits; }
  bool canBecomeReader() const override { return !m_permits; }
  bool canBecomeWriter() const override { return !m_permits; }
  bool hasPermits() const override { return m_permits; }
  Line line() const override { return Line::AtServer; }
  Word word() const override { return Word::OnInbox; }
  Result<LockToken> owner(std::string_view client, std::uint64_t number) const override;
  Command acquire(const Ask &ask, bool again) const override;
  Command renew(const Ask &ask) const override;
  Command release(const Ask &ask, bool wake) const override;
  AcquireAnswer readAcquire(const Reply &reply) const override;
  RenewAnswer readRenew(const Reply &reply) const override;
  ReleaseAnswer readRelease(const Reply &reply) const override;
  std::vector<PassedOn> readPassedOn(const Reply &reply) const override;

private:
  struct Scripts {
    const Script &acquire, &renew, &release;
  };
  constexpr MultiHolderLock(const PrimitiveInfo &about, Scripts scripts, bool permits) : m_info(about), m_scripts(scripts), m_permits(permits) {}

  std::string kind(const LockMode &mode) const;
  Command upgrade(const Ask &ask) const;
  Command renewAs(const Ask &ask, std::string_view what) const;

  const PrimitiveInfo &m_info;
  Scripts m_scripts;
  bool m_permits; // a semaphore; else readers and writers
};

} // namespace lockhouse
