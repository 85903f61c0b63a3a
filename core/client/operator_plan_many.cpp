// SPDX-License-Identifier: Apache-2.0
#include "core/client/operator_many.h"

#include "core/release/rehearsal.h"
#include "core/release/release_answer.h"

#include <utility>

namespace lockhouse {
namespace {

constexpr std::size_t mostReads = 512; // under way
constexpr std::size_t tellEvery = 256; // plans

std::vector<ReleaseResult> unanswered(const std::vector<ReleaseIntent> &intents) {
  std::vector<ReleaseResult> results(intents.size());
  for (std::size_t i = 0; i < intents.size(); ++i)
    results[i].lock = intents[i].lock;
  return results;
}

} // namespace

Operator::PlanMany::PlanMany(std::shared_ptr<Core> core, std::vector<ReleaseIntent> intents, std::stop_token stop, ProgressHandler progress, ManyDone done)
    : Many(std::move(core), unanswered(intents), std::move(stop), std::move(progress), std::move(done)), m_intents(std::move(intents)),
      m_rereads(m_intents.size()) {}

void Operator::PlanMany::start() {
  m_core->tasks.insert(shared_from_this());
  m_watched = m_core->watcher.snapshot();
  pump();
}

void Operator::PlanMany::pump() {
  while (m_open < mostReads && m_next < m_intents.size()) {
    const auto index = m_next++;
    ++m_open;
    if (m_stop.stop_requested())
      close(index, Verdict::Stopped, "not planned: it was stopped before");
    else if (laneOf(m_intents[index].lock) == nullptr)
      close(index, Verdict::Unreachable, "no connection leads to this node and database");
    else
      read(index);
  }
  if (m_open == 0)
    rehearse();
}

void Operator::PlanMany::read(std::size_t index) {
  m_core->watcher.read(m_intents[index].lock, later<Result<LockRecordPtr>>([this, index](Result<LockRecordPtr> read) {
                         onRead(index, std::move(read));
                         pump();
                       }));
}

void Operator::PlanMany::onRead(std::size_t index, Result<LockRecordPtr> read) {
  const auto &intent = m_intents[index];
  if (!read)
    return close(index, verdictOf(read.error()), forOneRelease(read.error()).sentence());
  if (!*read)
    return laneOf(intent.lock)->read({"TYPE", intent.lock.key.bytes()}, later<Result<Reply>>([this, index](const Result<Reply> &reply) {
                                       onType(index, reply);
                                       pump();
                                     }));
  m_results[index] = planFor(std::move(*read), m_watched->find(intent.lock), intent, m_core->watcher.families());
  close(index, m_results[index].verdict, std::move(m_results[index].detail));
}

void Operator::PlanMany::onType(std::size_t index, const Result<Reply> &reply) {
  auto [verdict, detail] = noLockThere(reply);
  if (verdict == Verdict::NotALock && reply && m_rereads[index]++ < mostRereads)
    return this->read(index);
  close(index, verdict, std::move(detail));
}

void Operator::PlanMany::close(std::size_t index, std::optional<Verdict> verdict, std::string detail) {
  --m_open;
  settle(index, verdict, std::move(detail));
  if (m_progress.answered % tellEvery == 0)
    tell();
}

// One node after the other would take a round trip each: all at once.
void Operator::PlanMany::rehearse() {
  std::map<OperatorLane *, std::vector<std::size_t>> byLane;
  for (std::size_t i = 0; i < m_results.size(); ++i) {
    auto &result = m_results[i];
    if (!result.plan || result.verdict)
      continue;
    if (auto risk = roleRisk(*m_watched, result.lock))
      result.plan->risks.insert(result.plan->risks.begin(), std::move(*risk));
    byLane[laneOf(result.lock)].push_back(i);
    ++m_open;
  }
  if (m_open == 0)
    return finish();
  m_missing.resize(m_results.size());
  for (auto &[lane, indexes] : byLane) {
    for (const auto index : indexes)
      lane->read(rightsCheckOf(*m_results[index].plan),
                 later<Result<Reply>>([this, index](const Result<Reply> &reply) { m_missing[index] = missingIn(reply, *m_results[index].plan); }));
    lane->read({"MULTI"}, later<Result<Reply>>([this, lane = lane, indexes = std::move(indexes)](const Result<Reply> &reply) mutable {
                 if (reply && reply->isOk())
                   lane->read(wholeRehearsalOf(*m_results[indexes.front()].plan), [](const Result<Reply> &) {});
                 rehearseOn(*lane, std::move(indexes));
               }));
  }
}

void Operator::PlanMany::rehearseOn(OperatorLane &lane, std::vector<std::size_t> indexes) {
  for (const auto index : indexes)
    lane.read(rehearsalOf(*m_results[index].plan), later<Result<Reply>>([this, index](const Result<Reply> &reply) { onRehearsed(index, reply); }));
}

// The connections end with this, and with them their transactions.
void Operator::PlanMany::onRehearsed(std::size_t index, const Result<Reply> &reply) {
  addMissing(*m_results[index].plan, std::move(m_missing[index]), reply);
  if (--m_open == 0)
    finish();
}

} // namespace lockhouse
