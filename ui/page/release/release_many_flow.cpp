// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/release_many_flow.h"

#include "ui/model/tables/release_table_model.h"
#include "ui/page/release/one_time_unlock.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace lockhouse::ui {
namespace {

bool mayHelp(const ReleaseResult &result) {
  return result.verdict == Verdict::Stopped || result.verdict == Verdict::Unreachable || result.verdict == Verdict::ReadOnly ||
         result.verdict == Verdict::NotAllowed;
}

} // namespace

ReleaseManyFlow::ReleaseManyFlow(Engine &engine, std::vector<HoldToRelease> holds, QObject *parent, std::optional<OfHolder> of)
    : QObject(parent), m_engine(engine), m_holds(std::move(holds)), m_areOfOneHolder(of), m_of(std::move(of).value_or(OfHolder())) {
  wire();
  askForPlans();
}

void ReleaseManyFlow::wire() {
  connect(&m_engine, &Engine::manyPlanned, this, &ReleaseManyFlow::takePlans);
  connect(&m_engine, &Engine::manyApplied, this, &ReleaseManyFlow::takeResults);
  connect(&m_engine, &Engine::unlockedChanged, this, &ReleaseManyFlow::moved);
  connect(&m_engine, &Engine::unwatchedFound, this, [this](const std::vector<std::string> &masters) {
    if (std::exchange(m_unwatched, masters) != masters)
      emit moved();
  });
  connect(&m_engine, &Engine::manyProgressed, this, [this](quint64 request, const ManyProgress &progress) {
    if (request != m_request)
      return;
    m_progress = progress;
    emit progressed();
  });
  connect(&m_engine, &Engine::snapshotReady, this, [this](const LockSnapshotPtr &snapshot) {
    m_snapshot = snapshot;
    reviewSoon();
  });
  m_later.setSingleShot(true);
  connect(&m_later, &QTimer::timeout, this, &ReleaseManyFlow::reviewSoon);
  m_old.setSingleShot(true);
  m_old.setInterval(longestPreview);
  connect(&m_old, &QTimer::timeout, this, [this] {
    m_isTooOld = m_phase == Phase::Planned;
    emit moved();
  });
}

void ReleaseManyFlow::setLeftOut(std::vector<LockRecordPtr> rows) {
  m_leftOut = std::move(rows);
  emit moved();
}

Message ReleaseManyFlow::auditTrouble() const { return m_engine.auditTrouble(); }

bool ReleaseManyFlow::isUnlocked() const { return m_engine.isUnlocked(); }

bool ReleaseManyFlow::needsConsent() const { return !m_engine.isUnlocked() && !m_engine.isDemo(); }

std::size_t ReleaseManyFlow::locks() const {
  std::set<std::size_t> numbers;
  for (const HoldToRelease &hold : m_holds)
    numbers.insert(hold.lock);
  return numbers.size();
}

bool ReleaseManyFlow::isOpen(std::size_t place) const {
  const ReleaseResult &result = m_results[place];
  return m_phase == Phase::Done ? isAsAsked(result.verdict) : result.plan && !result.verdict && !result.plan->refusal;
}

std::map<std::size_t, ReleaseManyFlow::Places> ReleaseManyFlow::placesByLock() const {
  std::map<std::size_t, Places> places;
  for (std::size_t place = 0; place < m_results.size(); ++place)
    places[m_holds[place].lock].push_back(place);
  return places;
}

std::size_t ReleaseManyFlow::openLocks() const {
  const auto locks = placesByLock();
  return m_phase == Phase::Done ? wholeLocks() : static_cast<std::size_t>(std::ranges::count_if(locks, [this](const auto &lock) {
    return std::ranges::any_of(lock.second, [this](std::size_t place) { return isOpen(place); });
  }));
}

std::size_t ReleaseManyFlow::wholeLocks() const {
  const auto locks = placesByLock();
  const bool isByHolds = m_phase == Phase::Done || m_areOfOneHolder;
  const auto freed = isByHolds ? std::set<LockId>() : freedBy(m_results); // others may have come since it was seen
  const auto isWhole = [&](const Places &places) {
    return isByHolds ? isDone(places) : std::ranges::all_of(places, [&](std::size_t place) { return freed.contains(m_results[place].lock); });
  };
  return static_cast<std::size_t>(std::ranges::count_if(locks, [&](const auto &lock) { return isWhole(lock.second) || onMost(lock.second); }));
}

bool ReleaseManyFlow::isDone(const Places &places) const {
  return std::ranges::all_of(places, [this](std::size_t place) { return isOpen(place) && !staysInPart(m_results[place].lock); });
}

// Where less than half of its masters have it, somebody else can have most of them.
std::optional<ReleaseManyFlow::DoneOnMost> ReleaseManyFlow::onMost(const Places &places) const {
  const LockRecord &seen = *m_holds[places.front()].seen;
  if (seen.members.size() < 2 || seen.neededVotes > 0 || isDone(places))
    return {};
  std::set<NodeId> left;
  for (const std::size_t place : places)
    if (!isOpen(place) && m_results[place].verdict != Verdict::AlreadyFree)
      left.insert(m_results[place].lock.node);
  const bool isAnyDone = std::ranges::any_of(places, [this](std::size_t place) { return isOpen(place); });
  return isAnyDone && left.size() * 2 < seen.masters ? std::optional(DoneOnMost{places.front(), {left.begin(), left.end()}, seen.masters}) : std::nullopt;
}

std::vector<ReleaseManyFlow::DoneOnMost> ReleaseManyFlow::doneOnMost() const {
  std::vector<DoneOnMost> locks;
  if (m_phase == Phase::Planned || m_phase == Phase::Done)
    for (const auto &[number, places] : placesByLock())
      if (auto lock = onMost(places); lock && !lock->left.empty())
        locks.push_back(std::move(*lock));
  return locks;
}

bool ReleaseManyFlow::staysInPart(const LockId &lock) const { return std::ranges::find(m_unread, lock, &UnreadHolds::lock) != m_unread.end(); }

bool ReleaseManyFlow::hasRest() const { return m_phase == Phase::Done && std::ranges::any_of(m_results, mayHelp); }

void ReleaseManyFlow::planAgain() {
  if (m_phase == Phase::Planning || m_phase == Phase::Applying)
    return;
  if (m_phase == Phase::Done) {
    std::vector<HoldToRelease> rest;
    for (std::size_t place = 0; place < m_results.size(); ++place)
      if (mayHelp(m_results[place]))
        rest.push_back(m_holds[place]);
    m_holds = std::move(rest);
  }
  for (HoldToRelease &hold : m_holds) // what is planned now is for what is seen now
    if (auto now = m_snapshot ? m_snapshot->find(hold.intent.lock) : nullptr)
      hold.seen = std::move(now);
  askForPlans();
}

void ReleaseManyFlow::choose(std::optional<milliseconds> shortenTo) {
  if (m_phase != Phase::Planned)
    return;
  for (HoldToRelease &hold : m_holds)
    hold.intent.shortenTo = shortenTo;
  planAgain();
}

void ReleaseManyFlow::askForPlans() {
  m_phase = Phase::Planning;
  m_results.clear();
  m_dropped.clear();
  m_isStopping = false;
  m_isTooOld = false;
  std::vector<ReleaseIntent> intents;
  for (const HoldToRelease &hold : m_holds)
    intents.push_back(hold.intent);
  m_progress = {intents.size(), 0, 0, 0, 0};
  m_request = m_engine.planMany(intents);
  m_engine.findUnwatched();
  emit moved();
}

void ReleaseManyFlow::takePlans(quint64 request, const std::vector<ReleaseResult> &results) {
  if (request != m_request || m_phase != Phase::Planning)
    return;
  m_results = results;
  m_unread = m_areOfOneHolder ? std::vector<UnreadHolds>() : unreadHolds(results); // his are presumed, or hidden
  dropAbsent();
  m_phase = Phase::Planned;
  m_readAt = wallNow();
  m_renewed = 0;
  m_isStopping = false;
  m_old.start();
  if (m_snapshot)
    review();
  emit moved();
}

// Those who were presumed and do not hold it: that is no change.
void ReleaseManyFlow::dropAbsent() {
  std::size_t kept = 0;
  for (std::size_t place = 0; place < m_results.size(); ++place) {
    if (m_holds[place].intent.isPresumed && m_results[place].verdict == Verdict::Changed)
      continue;
    if (kept != place) {
      m_holds[kept] = std::move(m_holds[place]);
      m_results[kept] = std::move(m_results[place]);
    }
    ++kept;
  }
  m_holds.resize(kept);
  m_results.resize(kept);
}

void ReleaseManyFlow::reviewSoon() {
  if (m_phase != Phase::Planned || m_later.isActive())
    return;
  const auto rest = reviewEvery - std::chrono::floor<milliseconds>(m_snapshot->at - m_reviewed);
  if (rest > milliseconds(0) && SteadyClock::now() - m_reviewed < reviewEvery)
    m_later.start(rest);
  else if (review())
    emit moved();
}

// Whether something has changed. The script compares again; but holds that look the same and are others it cannot tell apart.
bool ReleaseManyFlow::review() {
  m_reviewed = m_snapshot->at;
  bool hasChanged = false;
  for (std::size_t place = 0; place < m_results.size(); ++place)
    if (m_results[place].plan && (!m_results[place].verdict || m_dropped.contains(place)))
      hasChanged |= reviewOne(place);
  hear();
  return hasChanged;
}

void ReleaseManyFlow::hear() {
  std::set<std::size_t> renewed;
  for (std::size_t place = 0; place < m_results.size(); ++place) {
    const LockRecordPtr now = isOpen(place) && m_results[place].now ? m_snapshot->find(m_holds[place].intent.lock) : nullptr;
    if (now && newsSince(*m_results[place].now, *now).renewed)
      renewed.insert(m_holds[place].lock);
  }
  if (std::exchange(m_renewed, renewed.size()) != renewed.size())
    emit heard();
}

bool ReleaseManyFlow::reviewOne(std::size_t place) {
  ReleaseResult &result = m_results[place];
  const auto dropped = m_dropped.find(place);
  const Dropped before = dropped == m_dropped.end() ? Dropped{result.now, false} : dropped->second;
  const auto change = changeSince(*result.plan, before.read, m_holds[place].seen, before.isOver, *m_snapshot);
  if (!change) {
    if (dropped == m_dropped.end())
      return false;
    result.verdict.reset(); // it is again what the plan is for
    result.detail = {};
    result.now = before.read;
    m_dropped.erase(dropped);
    return true;
  }
  m_dropped[place] = {before.read, change->isOver};
  const auto holders = [](const LockRecordPtr &lock) { return lock ? lock->holders : std::vector<Holder>(); };
  const bool isNew = result.verdict != change->verdict || result.detail != change->detail || holders(result.now) != holders(change->now);
  result.verdict = change->verdict;
  result.detail = change->detail;
  result.now = change->now;
  return isNew;
}

void ReleaseManyFlow::apply(const QString &reason) {
  if (m_phase != Phase::Planned || m_isTooOld || reason.trimmed().isEmpty())
    return;
  if (m_snapshot)
    review();
  m_phase = Phase::Applying;
  m_progress = {m_results.size(), 0, 0, 0};
  for (HoldToRelease &hold : m_holds)
    hold.intent.reason = reason.trimmed().toStdString();
  m_request = unlockedOnce(m_engine, [&] { return m_engine.applyMany(m_results, reason.trimmed()); }, &Engine::manyApplied);
  emit moved();
}

void ReleaseManyFlow::takeResults(quint64 request, const std::vector<ReleaseResult> &results) {
  if (request != m_request || m_phase != Phase::Applying)
    return;
  m_results = results;
  m_phase = Phase::Done;
  m_isStopping = false;
  emit moved();
}

void ReleaseManyFlow::stop() {
  if ((m_phase != Phase::Planning && m_phase != Phase::Applying) || m_isStopping)
    return;
  m_isStopping = true;
  m_engine.stopMany(m_request);
  emit moved();
}

} // namespace lockhouse::ui
