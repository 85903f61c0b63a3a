// SPDX-License-Identifier: Apache-2.0
#include "core/client/release/bulk_release.h"
#include "core/client/release/cross_slot_search.h"

#include "core/client/release/audit_records.h"
#include "core/release/check/dry_run.h"
#include "core/release/check/majority_guard.h"
#include "core/release/method/actual_effects.h"
#include "core/release/method/cross_slot.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace lockhouse {
namespace {

constexpr std::size_t leastInBatch = 64; // of the first, so that the server is soon at work; each is twice as large as the one before
constexpr std::size_t mostInBatch = 512;
constexpr std::size_t mostBatches = 5;     // under way
constexpr std::size_t mostRereading = 256; // holders of the locks that are read again
constexpr seconds longestPreview(120);

// Of a hold that was alone and is gone, nobody has it now. Of what a script refused or handed on, of a lease that was shortened, and of a hold
// among others it has to be looked for.
bool isWorthALook(const ReleaseResult &result) {
  switch (*result.verdict) {
  case Verdict::Changed:
  case Verdict::NotALock:
  case Verdict::Unreachable:
  case Verdict::Shortened:
  case Verdict::Kept: return true;
  case Verdict::Released: return result.now && (result.now->holdersAtMost() > 1 || has(result.plan->effects, Effect::Kind::HandsOn));
  default: return false;
  }
}

Verdict refusedAs(const ReleasePlan &plan) { return takesNoWrites(plan) ? Verdict::ReadOnly : isUnanswered(plan) ? Verdict::Unreachable : Verdict::NotAllowed; }

bool isFreed(Verdict verdict) { return verdict == Verdict::Released || verdict == Verdict::AlreadyFree; }

} // namespace

ReleaseService::ApplyMany::ApplyMany(std::shared_ptr<Core> core, std::vector<ReleaseResult> planned, std::string reason, std::stop_token stop,
                                     ProgressHandler progress, ManyDone done)
    : Many(std::move(core), std::move(planned), std::move(stop), std::move(progress), std::move(done)), m_reason(std::move(reason)), m_batchSize(leastInBatch) {
}

void ReleaseService::ApplyMany::start() {
  m_core->tasks.insert(shared_from_this());
  settleMajority(m_results);
  for (std::size_t i = 0; i < m_results.size(); ++i) {
    auto &result = m_results[i];
    // What the preview said would be refused is not sent, for by now it might not be.
    if (result.plan && result.plan->refusal && !result.verdict)
      settle(i, refusedAs(*result.plan), Message::joined({*result.plan->refusal, nothingWasChanged}));
    else if (result.plan && !result.verdict)
      m_order.push_back(i);
    else
      settle(i, result.verdict.value_or(Verdict::NotALock), std::move(result.detail));
  }
  noteSeveral();
  pump();
}

void ReleaseService::ApplyMany::noteSeveral() {
  const auto isElsewhere = [this](std::size_t index) { return m_results[index].lock.node != m_results[m_order.front()].lock.node; };
  if (std::ranges::none_of(m_order, isElsewhere))
    return;
  std::map<std::tuple<std::string_view, int, std::string_view>, std::vector<std::size_t>> holds;
  for (const auto index : m_order)
    holds[{m_results[index].lock.key.bytes(), m_results[index].lock.db, m_results[index].plan->expectHolder}].push_back(index);
  for (auto &[hold, indexes] : holds)
    if (indexes.size() > 1) {
      for (const auto index : indexes)
        m_severalOf.emplace(index, m_ofSeveral.size());
      m_ofSeveral.push_back(std::move(indexes));
    }
}

// Of what was not begun: what could be reached yet would go for nothing.
bool ReleaseService::ApplyMany::isLostOnMost(std::size_t index) {
  const auto several = m_severalOf.find(index);
  if (several == m_severalOf.end())
    return false;
  const auto &indexes = m_ofSeveral[several->second];
  const auto isBegun = [this](std::size_t one) { return !m_results[one].auditId.empty(); };
  const auto isLost = [this](std::size_t one) {
    const auto *lane = laneOf(m_results[one].lock);
    return lane == nullptr || lane->whyLost() != nullptr;
  };
  return std::ranges::none_of(indexes, isBegun) && static_cast<std::size_t>(std::ranges::count_if(indexes, isLost)) * 2 > indexes.size();
}

std::optional<std::pair<Verdict, Message>> ReleaseService::ApplyMany::refusal() const {
  if (!m_core->unlocked)
    return std::pair<Verdict, Message>(Verdict::ReadOnly, LH_MESSAGE("PlanWords", "read-only: unlock this console before it may write"));
  if (isBlank(m_reason))
    return std::pair<Verdict, Message>(Verdict::NotAllowed, LH_MESSAGE("PlanWords", "a reason is needed: it is kept in the audit log"));
  if (m_stop.stop_requested())
    return std::pair<Verdict, Message>(Verdict::Stopped, LH_MESSAGE("PlanWords", "not tried: it was stopped before"));
  return m_refusal;
}

void ReleaseService::ApplyMany::pump() {
  while (m_open < mostBatches && m_next < m_order.size()) {
    if (const auto why = refusal()) {
      for (; m_next < m_order.size(); ++m_next)
        settle(m_order[m_next], why->first, why->second);
      break;
    }
    const auto batch = nextBatch();
    if (batch->indexes.empty())
      continue;
    ++m_open;
    m_core->record({intentOfMany(resultsOf(*batch), m_reason)}, later<Written>([this, batch](Written written) { send(batch, std::move(written)); }));
  }
  if (m_open == 0)
    readAgain();
}

std::shared_ptr<ReleaseService::ApplyMany::Batch> ReleaseService::ApplyMany::nextBatch() {
  auto batch = std::make_shared<Batch>();
  const auto now = SteadyClock::now();
  for (; m_next < m_order.size() && batch->indexes.size() < m_batchSize; ++m_next) {
    const auto index = m_order[m_next];
    auto &result = m_results[index];
    const auto *lane = laneOf(result.lock);
    if (lane == nullptr)
      settle(index, Verdict::Unreachable, LH_MESSAGE("PlanWords", "no connection leads to this node and database"));
    else if (const auto *lost = lane->whyLost()) // no record of what would not be sent
      settle(index, verdictOf(*lost), LH_MESSAGE("PlanWords", "not sent: %1")(forOneRelease(*lost).message()));
    else if (!result.now || now - result.now->seenAt > longestPreview)
      settle(index, Verdict::Changed, LH_MESSAGE("PlanWords", "what was seen of it is older than two minutes: look again"));
    else if (isLostOnMost(index))
      settle(index, Verdict::Unreleasable,
             Message::joined({LH_MESSAGE("PlanWords", "most of its masters were lost meanwhile, so its holder may keep it"), nothingWasChanged}));
    else
      batch->indexes.push_back(index);
  }
  m_batchSize = std::min(2 * m_batchSize, mostInBatch);
  return batch;
}

std::vector<const ReleaseResult *> ReleaseService::ApplyMany::resultsOf(const Batch &batch) const {
  std::vector<const ReleaseResult *> results;
  results.reserve(batch.indexes.size());
  for (const auto index : batch.indexes)
    results.push_back(&m_results[index]);
  return results;
}

void ReleaseService::ApplyMany::send(const std::shared_ptr<Batch> &batch, Written written) {
  if (!written) {
    m_refusal = std::pair<Verdict, Message>(Verdict::NotAllowed,
                                            LH_MESSAGE("PlanWords", "the audit log cannot be written, so nothing was sent: %1")(written.error().message()));
    for (const auto index : batch->indexes)
      settle(index, m_refusal->first, m_refusal->second);
    --m_open;
    return pump();
  }
  batch->audit = std::move(written->front());
  batch->open = batch->indexes.size();
  std::vector<LockId> expected;
  for (std::size_t place = 0; place < batch->indexes.size(); ++place) {
    auto &result = m_results[batch->indexes[place]];
    result.auditId = batch->audit.id;
    if (!isShortening(*result.plan))
      expected.push_back(result.lock);
    sendOne(batch, place);
  }
  m_core->watcher.expectReleases(std::move(expected));
}

void ReleaseService::ApplyMany::sendOne(const std::shared_ptr<Batch> &batch, std::size_t place, std::uint64_t cleared) {
  const auto &result = m_results[batch->indexes[place]];
  laneOf(result.lock)->write(commandOf(*result.plan), [this, batch, place, cleared](Result<Reply> reply) {
    onAnswer(batch, place, cleared, std::move(reply));
  });
}

void ReleaseService::ApplyMany::onAnswer(const std::shared_ptr<Batch> &batch, std::size_t place, std::uint64_t cleared, Result<Reply> reply) {
  if (!isUnderWay())
    return;
  if (const auto places = clearedBy(reply))
    return sendOne(batch, place, cleared + *places);
  const auto index = batch->indexes[place];
  auto &result = m_results[index];
  if (isRefusedWithLists(*result.plan, reply) && batch->refused.insert(place).second)
    return leaveOutForbidden(
        *laneOf(result.lock), *result.plan,
        later<std::optional<ReleasePlan>>([this, batch, place, cleared, reply = std::move(reply)](std::optional<ReleasePlan> shorter) mutable {
          if (!shorter)
            return onAnswer(batch, place, cleared, std::move(reply));
          m_results[batch->indexes[place]].plan = std::move(*shorter);
          sendOne(batch, place, cleared);
        }));
  if (!reply)
    reply = std::unexpected(forOneRelease(reply.error()));
  auto answer = afterClearing(answerOf(reply, *result.plan, result.lock.node.bytes()), cleared);
  tellDone(*result.plan, answer);
  doParts(batch, index, 0, atReplica(std::move(answer), result.lock, *m_core->watcher.snapshot()));
}

// What comes after its script: of one whose keys lie in several slots of a cluster.
void ReleaseService::ApplyMany::doParts(const std::shared_ptr<Batch> &batch, std::size_t index, std::size_t part, ScriptResult answer) {
  const auto &parts = m_results[index].plan->parts;
  while (part < parts.size() && !isDue(parts[part], answer))
    ++part;
  if (part == parts.size()) {
    settle(index, answer.verdict, std::move(answer.detail), answer.inDoubt);
    return onSettled(batch);
  }
  const auto &next = parts[part];
  laneOf(next.lock)->write(commandOf(next), later<Result<Reply>>([this, batch, index, part, answer = std::move(answer)](Result<Reply> reply) mutable {
                             const auto &done = m_results[index].plan->parts[part];
                             if (!reply)
                               reply = std::unexpected(forOneRelease(reply.error()));
                             doParts(batch, index, part + 1, withPart(std::move(answer), done, answerOf(reply, done, done.lock.node.bytes())));
                           }));
}

void ReleaseService::ApplyMany::onSettled(const std::shared_ptr<Batch> &batch) {
  if (--batch->open > 0)
    return;
  tell();
  m_core->record({outcomeOfMany(std::move(batch->audit), resultsOf(*batch))},
                 later<Written>([this, batch](const Written &outcomes) { onOutcomes(*batch, outcomes); }));
}

void ReleaseService::ApplyMany::onOutcomes(const Batch &batch, const Written &written) {
  if (!written)
    for (const auto index : batch.indexes)
      tellUnrecorded(m_results[index], m_results[index].detail, written.error());
  --m_open;
  pump();
}

void ReleaseService::ApplyMany::readAgain() {
  std::unordered_map<LockId, std::size_t> places;
  for (const auto index : m_order) {
    if (!isWorthALook(m_results[index]) || m_results[index].auditId.empty())
      continue;
    const auto [place, isNew] = places.try_emplace(m_results[index].lock, m_rereads.size());
    if (isNew)
      m_rereads.emplace_back();
    m_rereads[place->second].push_back(index);
  }
  for (auto &result : m_results)
    if (result.verdict && isFreed(*result.verdict) && !isWorthALook(result))
      result.now = nullptr;
  m_next = 0;
  pumpRereads();
}

// Once for all that was done and refused of a lock; one with many holders is as much to read as many locks.
void ReleaseService::ApplyMany::pumpRereads() {
  while (m_open < mostRereading && m_next < m_rereads.size()) {
    const auto &indexes = m_rereads[m_next++];
    const auto &first = m_results[indexes.front()];
    const auto weight = 1 + first.now->holders.size();
    m_open += weight;
    m_core->watcher.read(first.lock, later<Result<LockRecordPtr>>([this, &indexes, weight](const Result<LockRecordPtr> &read) {
                           m_open -= weight;
                           onReread(indexes, read);
                         }));
  }
  if (m_open == 0)
    finish();
}

void ReleaseService::ApplyMany::onReread(const std::vector<std::size_t> &indexes, const Result<LockRecordPtr> &read) {
  for (const auto index : indexes) {
    auto &result = m_results[index];
    const auto before = std::exchange(result.now, read ? *read : nullptr);
    result.verdict = verdictAfter(*result.verdict, *before, result.now);
  }
  pumpRereads();
}

} // namespace lockhouse
