// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/locks/health_summary.h"

#include "core/watch/record/hold_begin.h"
#include "ui/model/locks/lock_table_model.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/node_names.h"
#include "ui/model/text/node_trouble.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

void countLocks(HealthSummary &health, const LockSnapshot &snapshot, SteadyTime now, WallTime wall) {
  for (const LockRecordPtr &record : snapshot.locks) {
    if (record->isDoubtful()) {
      ++health.doubtful;
      continue;
    }
    ++health.locks;
    if (record->staleSince)
      continue; // nobody knows how it stands now
    if (record->waiters)
      health.waiters = health.waiters.value_or(0) + *record->waiters;
    health.moreMayWait |= record->areMoreToWait();
    const auto told = sinceByHolder(*record, now, wall);
    const auto hold = now - told.value_or(record->heldSince);
    if (!record->isHeld() || (health.oldestHold && *health.oldestHold >= hold))
      continue;
    health.oldestHold = hold;
    health.oldestHoldExact = record->heldSinceExact;
    health.isOldestTold = told.has_value();
  }
}

void countNodes(HealthSummary &health, const LockSnapshot &snapshot) {
  health.nodes = snapshot.nodes.size();
  for (const NodeStatus &node : snapshot.nodes) {
    health.live += node.state == NodeState::Live ? 1U : 0U;
    if (node.state == NodeState::Live)
      health.load = std::max(health.load.value_or(0), node.load);
    health.divergences += node.divergences;
  }
}

/// The oldest of one instant over all nodes; nothing if a node has none.
std::optional<SteadyTime> oldest(const LockSnapshot &snapshot, std::optional<SteadyTime> NodeStatus::*instant) {
  std::optional<SteadyTime> result;
  for (const NodeStatus &node : snapshot.nodes) {
    if (!(node.*instant))
      return {};
    result = std::min(result.value_or(*(node.*instant)), *(node.*instant));
  }
  return result;
}

bool all(const LockSnapshot &snapshot, NodeState state) {
  return std::ranges::all_of(snapshot.nodes, [state](const NodeStatus &node) { return node.state == state; });
}

QString feeds(const LockSnapshot &snapshot) {
  const auto polled = std::ranges::count(snapshot.nodes, FeedKind::Poll, &NodeStatus::feed);
  const auto fed =
      std::ranges::count_if(snapshot.nodes, [](const NodeStatus &node) { return node.feed == FeedKind::Tracking || node.feed == FeedKind::Keyspace; });
  const auto nodes = static_cast<std::ptrdiff_t>(snapshot.nodes.size());
  if (fed == nodes)
    return nodes == 1 ? QCoreApplication::translate("Truth", "change feed") : QCoreApplication::translate("Truth", "change feed on all nodes");
  if (polled == nodes)
    return QCoreApplication::translate("Truth", "polling: short holds may be missed");
  if (polled > 0)
    return QCoreApplication::translate("Truth", "change feed on %1 of %2 nodes, polling the others").arg(fed).arg(nodes);
  return QCoreApplication::translate("Truth", "change feed on %1 of %2 nodes").arg(fed).arg(nodes);
}

QString scans(const LockSnapshot &snapshot, SteadyTime now) {
  if (const auto scanned = oldest(snapshot, &NodeStatus::scannedAt))
    return QCoreApplication::translate("Truth", "full scan %1 ago").arg(seconds1(now - *scanned));
  std::uint64_t keys = 0;
  for (const NodeStatus &node : snapshot.nodes)
    keys += node.keysScanned;
  return QCoreApplication::translate("Truth", "first scan: %1 keys so far").arg(countText(keys));
}

QString refusals(const LockSnapshot &snapshot) {
  std::uint64_t keys = 0;
  Refusals why;
  for (const NodeStatus &node : snapshot.nodes) {
    keys += node.keysRefused;
    why.add(node.refusedFor);
  }
  if (keys == 0)
    return {};
  const QString words = why.clusterDown ? QCoreApplication::translate("Truth", "%1 keys cannot be read: the cluster is down")
                        : why.slotsMove ? QCoreApplication::translate("Truth", "%1 keys may not be read, or the cluster is moving their slots")
                                        : QCoreApplication::translate("Truth", "%1 keys may not be read");
  return words.arg(countText(keys));
}

QString moves(const LockSnapshot &snapshot) {
  return std::ranges::any_of(snapshot.nodes, &NodeStatus::slotsMoved)
             ? QCoreApplication::translate("Truth", "slots of the cluster moved: locks in them may be missing until the next scan")
             : QString();
}

QString cuts(const LockSnapshot &snapshot) {
  std::uint64_t keys = 0;
  for (const NodeStatus &node : snapshot.nodes)
    keys += node.keysCut;
  if (keys == 1)
    return QCoreApplication::translate("Truth", "1 key is too long to be read whole");
  return keys == 0 ? QString() : QCoreApplication::translate("Truth", "%1 keys are too long to be read whole").arg(countText(keys));
}

QString unseen(std::size_t masters) {
  constexpr const char *words = QT_TRANSLATE_N_NOOP("Truth", "%n masters of the cluster not watched");
  return masters == 0 ? QString() : QCoreApplication::translate("Truth", words, nullptr, static_cast<int>(masters));
}

void judge(HealthSummary &health, const LockSnapshot &snapshot, SteadyTime now, std::size_t unwatched) {
  const QString companion = health.live < health.nodes ? unseen(unwatched) : QString();
  QStringList means{companion, feeds(snapshot), scans(snapshot, now), refusals(snapshot), moves(snapshot), cuts(snapshot)};
  means.removeAll(QString());
  health.means = means.join(u" · "_s);
  if (health.live < health.nodes) {
    const bool starting =
        std::ranges::all_of(snapshot.nodes, [](const NodeStatus &node) { return node.state == NodeState::Live || node.state == NodeState::Connecting; });
    health.mood = starting ? HealthSummary::Mood::Waiting : health.live == 0 ? HealthSummary::Mood::Broken : HealthSummary::Mood::Doubtful;
    health.match = starting           ? QCoreApplication::translate("Truth", "Connecting…")
                   : health.live == 0 ? QCoreApplication::translate("Truth", "Nothing here is live")
                                      : QCoreApplication::translate("Truth", "%1 of %2 nodes not live").arg(health.nodes - health.live).arg(health.nodes);
    return;
  }
  if (unwatched > 0) { // exact is then what lies on the others alone
    health.mood = HealthSummary::Mood::Doubtful;
    health.match = unseen(unwatched);
    return;
  }
  if (const auto exact = oldest(snapshot, &NodeStatus::exactAsOf)) {
    health.mood = HealthSummary::Mood::Good;
    health.match = QCoreApplication::translate("Truth", "Exact as of %1 ago").arg(seconds1(now - *exact));
    return;
  }
  const bool complete = std::ranges::all_of(snapshot.nodes, &NodeStatus::scanComplete);
  health.mood = complete ? HealthSummary::Mood::Doubtful : HealthSummary::Mood::Waiting;
  health.match = complete ? QCoreApplication::translate("Truth", "Close, not exact") : QCoreApplication::translate("Truth", "Still looking");
}

bool isDown(const NodeStatus &node) { return node.state == NodeState::Down || node.state == NodeState::Stale; }

/// `words` for the reason of each node that is down.
QString whyDown(const LockSnapshot &snapshot, QString (*words)(const Error &) = troubleText) {
  const NodeNames names(snapshot.nodes);
  QStringList lines;
  for (const NodeStatus &node : snapshot.nodes)
    if (isDown(node))
      lines << QCoreApplication::translate("Truth", "%1 (%2): %3", "node letter, address, reason")
                   .arg(names.of(node.id), shown(node.address, 80), node.error ? words(*node.error) : nodeStateWord(node.state));
  return lines.join(u'\n');
}

EmptyState allDown(const LockSnapshot &snapshot) {
  const auto code = [](const NodeStatus &node) { return node.error ? node.error->code : ErrorCode::Unreachable; };
  const ErrorCode first = code(snapshot.nodes.front());
  if (!std::ranges::all_of(snapshot.nodes, [&](const NodeStatus &node) { return code(node) == first; }))
    return {troubleTitle(ErrorCode::Unreachable), whyDown(snapshot), troubleStep(ErrorCode::Unreachable), EmptyState::Step::ShowNodes};
  // One step for all of them, said once; only what a server itself said may add to it.
  const bool adds = first == ErrorCode::NotPermitted || first == ErrorCode::Server || first == ErrorCode::ReadOnly;
  return {troubleTitle(first), whyDown(snapshot, adds ? troubleText : troubleWhat), troubleStep(first), EmptyState::Step::ShowNodes};
}

EmptyState noLocks(const LockSnapshot &snapshot, const HealthSummary &health, std::uint64_t keys) {
  QString looked = QCoreApplication::translate("Truth", "%1 keys were looked at on %2 of %3 nodes, and none of them is a lock that Lockhouse knows.")
                       .arg(countText(keys), countText(health.live), countText(health.nodes));
  if (!snapshot.locks.empty()) // all of them doubtful
    looked +=
        u'\n' +
        QCoreApplication::translate("Truth", "Keys that look a little like locks: %1. View › Doubtful rows shows them.").arg(countText(snapshot.locks.size()));
  if (std::ranges::any_of(snapshot.nodes, isDown))
    return {QCoreApplication::translate("Truth", "No locks where Lockhouse can look"), looked + u'\n' + whyDown(snapshot),
            QCoreApplication::translate("Truth", "There may be locks on the rest: they appear as soon as every node is live."), EmptyState::Step::ShowNodes};
  return {QCoreApplication::translate("Truth", "No locks now"), looked,
          QCoreApplication::translate("Truth", "A lock appears here as soon as somebody takes it. The lab can take some."), EmptyState::Step::OpenLab};
}

// One server by two addresses is one node.
LockSnapshot withoutTwins(const LockSnapshot &snapshot) {
  auto seen = snapshot;
  std::erase_if(seen.nodes, [](const NodeStatus &node) { return node.twin.has_value(); });
  return seen;
}

bool hasTwins(const LockSnapshot &snapshot) {
  return std::ranges::any_of(snapshot.nodes, [](const NodeStatus &node) { return node.twin.has_value(); });
}

} // namespace

HealthSummary HealthSummary::of(const LockSnapshot &snapshot, SteadyTime now, std::size_t unwatched, WallTime wall) {
  if (hasTwins(snapshot))
    return of(withoutTwins(snapshot), now, unwatched, wall);
  HealthSummary health;
  countNodes(health, snapshot);
  countLocks(health, snapshot, now, wall);
  if (health.locks == 0 && health.live > 0)
    health.waiters = 0;
  if (snapshot.nodes.empty())
    health.match = QCoreApplication::translate("Truth", "Connecting…");
  else
    judge(health, snapshot, now, unwatched);
  return health;
}

EmptyState EmptyState::of(const LockSnapshot *snapshot, SteadyTime now) {
  if (snapshot == nullptr || snapshot->nodes.empty() || all(*snapshot, NodeState::Connecting))
    return {QCoreApplication::translate("Truth", "Connecting…"),
            QCoreApplication::translate("Truth", "The first locks appear as soon as a node has answered.")};
  if (hasTwins(*snapshot)) {
    const auto seen = withoutTwins(*snapshot);
    return of(&seen, now);
  }
  const HealthSummary health = HealthSummary::of(*snapshot, now);
  if (health.locks > 0)
    return {};
  if (std::ranges::all_of(snapshot->nodes, isDown))
    return allDown(*snapshot);
  std::uint64_t keys = 0;
  for (const NodeStatus &node : snapshot->nodes)
    keys += node.keysScanned;
  if (!std::ranges::all_of(snapshot->nodes, [](const NodeStatus &node) { return node.scanComplete || node.state == NodeState::Down; }))
    return {QCoreApplication::translate("Truth", "Looking for locks"), QCoreApplication::translate("Truth", "%1 keys looked at so far.").arg(countText(keys))};
  return noLocks(*snapshot, health, keys);
}

} // namespace lockhouse::ui
