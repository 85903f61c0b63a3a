// SPDX-License-Identifier: Apache-2.0
#include "core/client/release/single_release.h"

#include "core/base/safe_text.h"
#include "core/client/release/audit_records.h"
#include "core/client/release/cross_slot_search.h"
#include "core/release/check/dry_run.h"
#include "core/release/method/actual_effects.h"
#include "core/release/method/holder_probe.h"
#include "core/release/plan/remove_member.h"
#include "core/release/warnings/other_keys.h"
#include "core/watch/fleet/replica_merge.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace lockhouse {

ReleaseService::Run::Run(std::shared_ptr<Core> core, ReleaseIntent intent, bool isApply, Done done)
    : m_core(std::move(core)), m_lanes(*m_core), m_intent(std::move(intent)), m_isApply(isApply), m_done(std::move(done)) {
  m_result.lock = m_intent.lock;
  m_result.holder = m_intent.holder;
}

void ReleaseService::Run::start() {
  m_core->tasks.insert(shared_from_this());
  if (m_isApply && !m_core->unlocked)
    return finish(Verdict::ReadOnly, LH_MESSAGE("PlanWords", "read-only: unlock this console before it may write"));
  if (m_isApply && isBlank(m_intent.reason))
    return finish(Verdict::NotAllowed, LH_MESSAGE("PlanWords", "a reason is needed: it is kept in the audit log"));
  m_lane = m_lanes.of(m_intent.lock);
  if (m_lane == nullptr)
    return finish(Verdict::Unreachable, LH_MESSAGE("PlanWords", "no connection leads to this node and database"));
  read();
}

void ReleaseService::Run::read() { m_core->watcher.read(m_intent.lock, step<Result<LockRecordPtr>>(&Run::onRead)); }

void ReleaseService::Run::onRead(Result<LockRecordPtr> read) {
  if (!read)
    return finish(verdictOf(read.error()), forOneRelease(read.error()).message());
  const auto &families = m_core->watcher.families();
  const auto watched = m_core->watcher.snapshot()->find(m_intent.lock);
  if (!*read && watched && isKnownByListeners(*watched, families)) // who listen at a replica
    *read = watched;
  if (!*read)
    return m_lane->read({"TYPE", m_intent.lock.key.bytes()}, step<Result<Reply>>(&Run::onType));
  m_result = planFor(withHistory(std::move(*read), watched, families), m_intent, families);
  if (auto ask = holderProbeOf(m_result))
    return m_lane->read(std::move(*ask), step<Result<Reply>>(&Run::onHolderProbe));
  goOn();
}

void ReleaseService::Run::onHolderProbe(Result<Reply> reply) {
  if (auto more = lookOn(m_look, m_result, reply))
    return m_lane->read(std::move(*more), step<Result<Reply>>(&Run::onHolderProbe));
  m_result = planFor(std::move(m_result), reply, m_look, m_intent, m_core->watcher.families());
  goOn();
}

void ReleaseService::Run::goOn() {
  compareTime(m_result, m_intent);
  m_before = m_result.now;
  if (!m_result.plan)
    return close();
  const auto watched = m_core->watcher.snapshot();
  tellOthers(m_result, watched->find(m_intent.lock));
  if (Apart::isNeeded(*m_result.plan, *watched))
    return Apart::start(m_lanes, std::move(*m_result.plan), *watched, step<ReleasePlan>(&Run::onApart));
  goOnWhole();
}

// A part that this user may not do is known only now: the script that comes first could not ask for it.
void ReleaseService::Run::onApart(ReleasePlan plan) {
  m_result.plan = std::move(plan);
  if (m_isApply && m_result.plan->refusal)
    return finish(m_result.plan->heldBack.value_or(Verdict::NotAllowed), Message::joined({*m_result.plan->refusal, nothingWasChanged}));
  if (m_result.plan->refusal && !isOfOneSlot(*m_result.plan)) { // there is no script to try
    tellOtherKeys();
    return finish(std::nullopt, LH_MESSAGE("PlanWords", "nothing has been changed"));
  }
  goOnWhole();
}

void ReleaseService::Run::goOnWhole() {
  tellOtherKeys();
  if (m_isApply) {
    tellPlace(*m_result.plan, *m_core->watcher.snapshot());
    m_core->record({intentRecord(*m_result.plan, *m_before, m_intent.reason)}, step<Written>(&Run::onIntent));
  } else if (m_result.plan->keys.size() > 1 && listsItMayHave(*m_result.plan).empty())
    m_lane->read({"TYPE", m_result.plan->keys[1]}, step<Result<Reply>>(&Run::onCompanion));
  else
    dryRun();
}

void ReleaseService::Run::tellOtherKeys() { OtherKeys(m_core->watcher.snapshot(), {&m_intent, 1}).tell(*m_result.plan, *m_before, m_core->watcher.families()); }

void ReleaseService::Run::onType(Result<Reply> reply) {
  auto [verdict, detail] = noLockThere(reply);
  if (verdict == Verdict::NotALock && reply && m_rereads++ < mostRereads) // it may have been free for an instant, when it was read
    return read();
  m_result.verdict = verdict;
  m_result.detail = std::move(detail);
  close();
}

// There is nothing to plan. A replica's word on that is not its master's.
void ReleaseService::Run::close() {
  if (isReplicasWord(m_result, *m_core->watcher.snapshot()))
    return askStanding(*m_lane, step<NodeHealth>(&Run::onReplica));
  finish(m_result.verdict, std::move(m_result.detail));
}

void ReleaseService::Run::onReplica(NodeHealth standing) {
  tellReplica(*m_result.verdict, m_result.detail, standing);
  finish(m_result.verdict, std::move(m_result.detail));
}

// What the script would look at besides the lock. Where that is closed to this user, nothing of it is known, and it would be refused.
void ReleaseService::Run::onCompanion(Result<Reply> reply) {
  if (reply && !reply->isFailure())
    return dryRun();
  auto error = reply ? errorOf(*reply, m_intent.lock.node.bytes()) : forOneRelease(reply.error());
  if (error.code == ErrorCode::NotPermitted)
    error.what = LH_MESSAGE("ErrorWords", "this user may not read %1, which a release has to look at")(safeText(m_result.plan->keys[1], 120));
  m_result.plan.reset();
  finish(verdictOf(error), error.message());
}

void ReleaseService::Run::dryRun() {
  tellRole(*m_result.plan, *m_core->watcher.snapshot());
  if (!listsItMayHave(*m_result.plan).empty())
    return leaveOutForbidden(*m_lane, *m_result.plan, step<std::optional<ReleasePlan>>(&Run::onPushable));
  onPushable(std::nullopt);
}

void ReleaseService::Run::onPushable(std::optional<ReleasePlan> shorter) {
  if (shorter)
    m_result.plan = std::move(*shorter);
  askStanding(*m_lane, step<NodeHealth>(&Run::onStanding));
}

void ReleaseService::Run::onStanding(NodeHealth standing) {
  tellStanding(*m_result.plan, standing);
  m_registries = registriesOf(*m_result.plan);
  for (const auto &registry : m_registries)
    m_lane->read({"TYPE", registry}, step<Result<Reply>>(&Run::onRegistry));
  const std::array plans{&*std::as_const(m_result).plan};
  m_lane->read(rightsCheckOf(plans), step<Result<Reply>>(&Run::onRights));
  m_lane->read(knownCheckOf(*m_result.plan), step<Result<Reply>>(&Run::onKnown));
  m_lane->read({"MULTI"}, step<Result<Reply>>(&Run::onTransaction));
}

void ReleaseService::Run::onRegistry(Result<Reply> reply) {
  addRegistryRisk(*m_result.plan, m_registries.front(), reply);
  m_registries.erase(m_registries.begin());
}

void ReleaseService::Run::onRights(Result<Reply> reply) {
  const std::array plans{&*std::as_const(m_result).plan};
  m_missing = std::move(missingIn(reply, plans).front());
}

void ReleaseService::Run::onKnown(Result<Reply> reply) { m_missing.isUnknown = saysUnknown(reply); }

void ReleaseService::Run::onTransaction(Result<Reply> reply) {
  if (!reply || !reply->isOk())
    return m_lane->read(dryRunOf(*m_result.plan), step<Result<Reply>>(&Run::onDryRun));
  m_lane->read(wholeDryRunOf(*m_result.plan), [](const Result<Reply> &) {});
  m_lane->read(dryRunOf(*m_result.plan), step<Result<Reply>>(&Run::onDryRun));
}

// The connection ends with this run, and with it the transaction.
void ReleaseService::Run::onDryRun(Result<Reply> reply) {
  addMissing(*m_result.plan, std::move(m_missing), reply);
  finish(std::nullopt, LH_MESSAGE("PlanWords", "nothing has been changed"));
}

void ReleaseService::Run::onIntent(Written written) {
  if (!written)
    return finish(Verdict::NotAllowed, LH_MESSAGE("PlanWords", "the audit log cannot be written, so nothing was sent: %1")(written.error().message()));
  m_audit = std::move(*written);
  m_result.auditId = m_audit.front().id;
  if (!m_intent.shortenTo)
    m_core->watcher.expectRelease(m_intent.lock);
  m_lane->write(commandOf(*m_result.plan), step<Result<Reply>>(&Run::onAnswer));
}

void ReleaseService::Run::onAnswer(Result<Reply> reply) {
  if (const auto places = clearedBy(reply)) {
    m_cleared += *places;
    return m_lane->write(commandOf(*m_result.plan), step<Result<Reply>>(&Run::onAnswer));
  }
  if (isRefusedWithLists(*m_result.plan, reply) && !std::exchange(m_isRefusedWithLists, true)) {
    m_refused = std::move(reply);
    return leaveOutForbidden(*m_lane, *m_result.plan, step<std::optional<ReleasePlan>>(&Run::onReachable));
  }
  if (!reply)
    reply = std::unexpected(forOneRelease(reply.error()));
  m_answer = afterClearing(answerOf(reply, *m_result.plan, m_intent.lock.node.bytes()), m_cleared);
  tellDone(*m_result.plan, m_answer);
  m_answer = atReplica(std::move(m_answer), m_intent.lock, *m_core->watcher.snapshot());
  nextPart();
}

// Refused with nothing done: without the lists that this user may not reach it can be tried again.
void ReleaseService::Run::onReachable(std::optional<ReleasePlan> shorter) {
  if (!shorter)
    return onAnswer(std::move(m_refused));
  m_result.plan = std::move(*shorter);
  m_lane->write(commandOf(*m_result.plan), step<Result<Reply>>(&Run::onAnswer));
}

// One after the other: who is woken is to find the lock free.
void ReleaseService::Run::nextPart() {
  const auto &parts = m_result.plan->parts;
  while (m_part < parts.size() && !isDue(parts[m_part], m_answer))
    ++m_part;
  if (m_part < parts.size())
    return m_lanes.of(parts[m_part].lock)->write(commandOf(parts[m_part]), step<Result<Reply>>(&Run::onPart));
  m_core->record({outcomeRecord(m_audit.front(), m_answer)}, step<Written>(&Run::onOutcome));
}

void ReleaseService::Run::onPart(Result<Reply> reply) {
  const auto &part = m_result.plan->parts[m_part++];
  if (!reply)
    reply = std::unexpected(forOneRelease(reply.error()));
  m_answer = withPart(std::move(m_answer), part, answerOf(reply, part, part.lock.node.bytes()));
  nextPart();
}

void ReleaseService::Run::onOutcome(Written written) {
  if (!written)
    tellUnrecorded(m_result, m_answer.detail, written.error());
  m_core->watcher.read(m_intent.lock, step<Result<LockRecordPtr>>(&Run::onReread));
}

void ReleaseService::Run::onReread(Result<LockRecordPtr> read) {
  m_result.now = read ? std::move(*read) : nullptr;
  m_result.inDoubt = m_answer.inDoubt;
  finish(verdictAfter(m_answer.verdict, *m_before, m_result.now), std::move(m_answer.detail));
}

void ReleaseService::Run::finish(std::optional<Verdict> verdict, Message detail) {
  const auto self = shared_from_this();
  m_core->tasks.erase(self);
  m_lanes.clear();
  m_result.verdict = verdict;
  m_result.detail = std::move(detail);
  m_done(std::move(m_result));
}

} // namespace lockhouse
