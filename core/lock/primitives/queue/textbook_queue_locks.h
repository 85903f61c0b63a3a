// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// The two textbook queues: a string key, value = the holder's token `<client uuid>:<number>`, expiry = the lease; beside it a line of
/// waiting tokens, `lockhouse:line:{name}`, and `lockhouse:deadlines:{name}`, until when each waiting client counts as alive.
///
/// ListFairLock: the line is a list. Whoever asks looks at its head, pops it when it is itself, and stands at the end if not.
/// ZsetFairLock: the line is a sorted set by a sequence that the server counts; whoever has rank 0 may enter. Leaving from the middle
/// costs O(log n) there, O(n) in the list.
/// The release deletes the key and tells the next in line, through its client's inbox, that its turn has come; who is told asks. So a
/// handoff takes a round trip and a half, against HandoffLock's half; between the two nobody holds the lock. Of the line's clients that
/// did not renew their places for a lease, whoever asks or releases drops all places at once.
/// Redis: acquire EVALSHA, once more when told, release EVALSHA; 1 round trip each. Needs LPOS (6.0.6) for the list.
/// Sources: the Redis documentation on lists and sorted sets as queues; ticket locks (Mellor-Crummey, Scott, TOCS 1991).
class TextbookQueueLock final : public Primitive {
public:
  static const TextbookQueueLock listFair;
  static const TextbookQueueLock zsetFair;

  const PrimitiveInfo &info() const override { return m_info; }
  bool isReentrant() const override { return false; }
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
  constexpr TextbookQueueLock(const PrimitiveInfo &about, const Script &acquire, const Script &release)
      : m_info(about), m_acquire(acquire), m_release(release) {}

  const PrimitiveInfo &m_info;
  const Script &m_acquire;
  const Script &m_release;
};

} // namespace lockhouse
