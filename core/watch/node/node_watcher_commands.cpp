// SPDX-License-Identifier: Apache-2.0
// What is read of one key because somebody asks for it, and not for the mirror.
#include "core/watch/node/node_watcher.h"

#include "core/base/safe_text.h"
#include "core/watch/node/hold_history.h"
#include "core/watch/node/subscriber_counts.h"

#include <fmt/format.h>

namespace lockhouse {

// One of several keys of a lock was asked for, whose value alone tells: the lock is looked at first, and where there is none, the key itself.
bool NodeWatcher::isDetour(ReadsInFlight::Done &done, Moment now, WatchActions &out) {
  auto ticket = done.ticket;
  const auto member = done.memberOf(*m_lore.families);
  if (ticket.asked.empty() && member && member->lock != done.read.key()) {
    ticket.asked = done.read.key();
    m_reads.start(member->lock, {ValueType::Unknown, done.read.companion(), {}}, std::move(ticket), now.steady, m_lore, out.asks);
    return true;
  }
  if (ticket.asked.empty() || ticket.asked == done.read.key())
    return false;
  if (const auto observation = observationOf(done, now); observation && observation->record.votes > 0)
    return false;
  if (done.end == KeyReader::End::Refused && done.read.error()->code == ErrorCode::NotPermitted) // whether it is one of several is not known
    return false;
  auto key = ticket.asked;
  m_reads.start(std::move(key), {ValueType::Unknown, done.read.companion(), {}}, std::move(ticket), now.steady, m_lore, out.asks);
  return true;
}

void NodeWatcher::answerRead(ReadsInFlight::Done &done, Moment now, WatchActions &out) {
  if (isDetour(done, now, out))
    return;
  const bool isElsewhere = done.end == KeyReader::End::Absent && done.read.error();
  if (done.end == KeyReader::End::Failed || done.end == KeyReader::End::Refused || isElsewhere) {
    const Error closed{
        ErrorCode::NotPermitted, LH_MESSAGE("ErrorWords", "this user may not read the key"), {}, LH_MESSAGE("ErrorWords", "permit its name in the user's ACL")};
    auto why = done.read.error().value_or(closed);
    if (const auto &asked = done.ticket.asked; !asked.empty() && asked != done.read.key() && why.code == ErrorCode::NotPermitted)
      why = {closed.code,
             LH_MESSAGE("ErrorWords", "whether %1 is one of several keys of %2 is not known, for this user may not read that")(safeText(asked, 120),
                                                                                                                               safeText(done.read.key(), 120)),
             {},
             closed.next};
    why.where = m_options.address;
    return out.readsDone.push_back({done.ticket.request, std::unexpected(std::move(why))});
  }
  auto observation = observationOf(done, now);
  if (auto why =
          observation ? std::nullopt : done.read.closedHolders().or_else([&] { return done.read.unread(); }).or_else([&] { return done.read.error(); })) {
    why->where = m_options.address;
    return out.readsDone.push_back({done.ticket.request, std::unexpected(std::move(*why))});
  }
  if (!observation)
    return out.readsDone.push_back({done.ticket.request, LockRecordPtr{}});
  if (auto channel = done.read.hasChannel() ? std::nullopt : ownChannel(observation->record.family, done.read.key(), *m_lore.families)) {
    m_reads.start(done.read.key(), {observation->record.type, done.read.companion(), std::move(*channel)}, done.ticket, now.steady, m_lore, out.asks);
    return;
  }
  HoldMemory memory;
  beginHold(observation->record, memory, observation->end, false);
  out.readsDone.push_back({done.ticket.request, std::make_shared<const LockRecord>(std::move(observation->record))});
}

} // namespace lockhouse
