// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/unread_keys.h"

namespace lockhouse {

void UnreadKeys::beginScan() {
  m_tooLong = 0;
  m_refused = {};
  m_refusedSince.beginScan();
}

Refusals UnreadKeys::refusalOf(ReadsInFlight::Done &done, const LockRecord *lock) {
  const auto &error = done.read.error();
  Refusals why;
  if (done.end == KeyReader::End::Refused && !done.read.isElsewhere())
    why = {.rights = error->code == ErrorCode::NotPermitted, .slotsMove = error->code != ErrorCode::NotPermitted};
  else if (done.end == KeyReader::End::Absent) // a companion key led there, and none may be read
    why.rights = error && error->code == ErrorCode::NotPermitted;
  else if (!lock && done.read.areReadersRefused())
    why.rights = true;
  else if (lock && lock->votes > 0 && lock->unfollowed > 0)
    for (const auto &[key, problem] : done.read.facts().problems)
      why.add({.rights = problem == KeyFacts::Odd::Refused, .slotsMove = problem == KeyFacts::Odd::Unserved});
  return why;
}

void UnreadKeys::note(ReadsInFlight::Done &done, const LockRecord *lock) {
  const auto &mark = done.ticket.mark;
  if (!lock && mark.scanned && done.read.isUnread())
    ++m_tooLong;
  const auto why = refusalOf(done, lock);
  if (why == Refusals())
    return;
  if (mark.scanned && (mark.type != ValueType::Unknown || done.end != KeyReader::End::Refused)) // the scan counts what its first probe is refused
    m_refused.add(done.read.key(), why);
  if (mark.hinted && why.rights)
    m_refusedSince.add(done.read.key());
}

void UnreadKeys::endScan(RefusedKeys byScan, NodeStatus &status) {
  m_refusedSince.endScan();
  auto refused = std::make_shared<RefusedKeys>(std::move(byScan));
  refused->add(m_refused);
  refused->sort();
  status.keysRefused = refused->count();
  status.refusedFor = refused->why();
  status.refused = std::move(refused);
  status.keysCut = m_tooLong;
}

bool UnreadKeys::takeChanges(NodeStatus &status) {
  if (!m_refusedSince.hasChanged())
    return false;
  status.refusedSince = m_refusedSince.told();
  return true;
}

} // namespace lockhouse
