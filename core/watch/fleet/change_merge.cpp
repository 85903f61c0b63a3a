// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/change_merge.h"

#include "core/watch/fleet/cluster_merge.h"
#include "core/watch/fleet/master_set.h"
#include "core/watch/fleet/replica_changes.h"
#include "core/watch/fleet/row_diff.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace lockhouse {
namespace {

constexpr std::size_t mostLore = 20'000;

using Nodes = std::set<NodeId>;

bool isSpread(const LockRecordPtr &row) { return !row->members.empty(); }

void addNodes(Nodes &nodes, std::span<const LockRecordPtr> rows) {
  for (const auto &row : rows) {
    nodes.insert(row->id.node);
    for (const auto &member : row->members)
      if (!row->isOthers(member)) // what others have there says nothing of this one
        nodes.insert(member.node);
  }
}

bool endsHold(ChangeKind kind) { return kind == ChangeKind::Vanished || kind == ChangeKind::Holder; }

std::vector<const NodeStatus *> statusesOf(std::span<NodeWatcher *const> nodes) {
  std::vector<const NodeStatus *> statuses;
  for (const auto *node : nodes)
    statuses.push_back(&node->status());
  return statuses;
}

} // namespace

/// All nodes among which locks are shared, as they are now.
class ChangeMerge::Sight {
public:
  Sight(std::vector<NodeWatcher *> nodes, SteadyTime now, const FamilyRegistry &families)
      : m_nodes(std::move(nodes)), m_now(now), m_replicas(m_nodes, families) {
    m_masters = MasterSet(statusesOf(m_nodes));
  }
  Sight(const Sight &) = delete;
  Sight &operator=(const Sight &) = delete;

  LockChange asTold(LockChange change) const { return m_replicas.asTold(std::move(change)); }
  /// The rest of the changes that came in this turn: what they made is not told yet.
  void setRest(std::span<const LockChange> rest) { m_rest = rest; }
  bool hasSeveral() const { return m_masters.size() > 1; }
  bool isOnMaster(const LockId &id) const { return m_masters.contains(id); }
  bool isCluster() const { return m_masters.first()->isCluster; }
  std::size_t live() const { return m_masters.size() - m_masters.unfollowed(); }
  /// Which are followed, or looked at for the first time.
  std::size_t mayTell() const {
    const auto isNew = [this](const NodeWatcher *node) {
      const auto &status = node->status();
      return status.state == NodeState::Connecting && m_masters.contains({status.id, status.db, {}});
    };
    return live() + static_cast<std::size_t>(std::ranges::count_if(m_nodes, isNew));
  }

  /// What lies under this name on all masters; but `except`, as far as it was told.
  std::vector<LockRecordPtr> plain(std::string_view key, const NodeId *except = nullptr) const {
    std::vector<LockRecordPtr> rows;
    for (auto *node : m_nodes) {
      const auto &status = node->status();
      if (except && status.id == *except)
        continue;
      if (const auto *known = node->cache().find(key); known && m_masters.contains(known->record->id) && !(except && known->isUntold))
        rows.push_back(m_replicas.withHeard(known->record));
    }
    std::ranges::sort(rows, {}, [](const LockRecordPtr &row) -> const LockId & { return row->id; });
    return rows;
  }

  /// The same, as it was told.
  std::vector<LockRecordPtr> toldOn(std::string_view key, const NodeId &except) {
    auto rows = plain(key, &except);
    if (rows.empty() || m_rest.empty())
      return rows;
    if (m_changes.empty())
      for (const auto &change : m_rest)
        m_changes[change.id].push_back(&change);
    for (auto &row : rows)
      if (const auto *next = nextOf(row->id))
        row = next->before;
    std::erase(rows, nullptr);
    return rows;
  }

  std::vector<LockRecordPtr> merged(std::string_view key, RedlockMerge &members) {
    if (m_statuses.empty())
      for (const auto *node : m_nodes)
        m_statuses.push_back(node->status());
    auto rows = plain(key);
    mergeCluster(rows, m_statuses);
    members.merge(rows, m_statuses, m_now);
    return rows;
  }

private:
  const LockChange *nextOf(const LockId &id) const {
    const auto found = m_changes.find(id);
    if (found == m_changes.end())
      return nullptr;
    const auto next = std::ranges::lower_bound(found->second, m_rest.data());
    return next == found->second.end() ? nullptr : *next;
  }

  std::vector<NodeWatcher *> m_nodes;
  SteadyTime m_now;
  ReplicaChanges m_replicas; // of m_nodes
  MasterSet m_masters;
  std::span<const LockChange> m_rest;
  std::unordered_map<LockId, std::vector<const LockChange *>> m_changes; // of the rest when it was first asked for
  std::vector<NodeStatus> m_statuses;                                    // copied once, where anything is folded at all
};

/// The nodes that are watched: together, or by the database (see mastersByDatabase).
class ChangeMerge::Sights {
public:
  Sights(std::span<NodeWatcher *const> nodes, SteadyTime now, const FamilyRegistry &families) : m_areSeveral(haveSeveralDatabases(statusesOf(nodes))) {
    std::map<std::optional<int>, std::vector<NodeWatcher *>> byDatabase;
    for (auto *node : nodes)
      byDatabase[placeOf(node->status().db)].push_back(node);
    for (auto &[db, ofDatabase] : byDatabase)
      m_sights.try_emplace(db, std::move(ofDatabase), now, families);
  }
  std::optional<int> placeOf(int db) const { return m_areSeveral ? std::optional(db) : std::nullopt; }
  /// Null: none of its nodes is watched.
  Sight *find(std::optional<int> db) {
    const auto found = m_sights.find(db);
    return found == m_sights.end() ? nullptr : &found->second;
  }

private:
  bool m_areSeveral;
  std::map<std::optional<int>, Sight> m_sights;
};

std::vector<LockChange> ChangeMerge::merge(std::vector<LockChange> raw, std::span<NodeWatcher *const> nodes, SteadyTime now, const FamilyRegistry &families) {
  if (nodes.size() < 2 && m_waiting.empty()) {
    for (auto &change : raw)
      change.seq = ++m_lastSeq;
    return raw;
  }
  std::ranges::stable_sort(raw, {}, &LockChange::at); // each node's are in order
  Sights sights(nodes, now, families);
  for (auto &change : raw)
    if (const auto *sight = sights.find(sights.placeOf(change.id.db)))
      change = sight->asTold(std::move(change));
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const auto db = sights.placeOf(raw[i].id.db);
    auto *sight = sights.find(db);
    if (!sight) {
      tell(std::move(raw[i]));
      continue;
    }
    sight->setRest(std::span<const LockChange>(raw).subspan(i + 1));
    take(std::move(raw[i]), m_names[db], *sight, db, now);
  }
  settleWaiting(sights, now);
  return std::exchange(m_out, {});
}

// Those that have waited enough, or for masters that are watched no more.
void ChangeMerge::settleWaiting(Sights &sights, SteadyTime now) {
  const auto isDue = [&](const Place &place) {
    const auto *sight = sights.find(place.db);
    return place.due <= now || !sight || !sight->hasSeveral();
  };
  while (!m_waiting.empty() && isDue(m_waiting.front())) {
    const auto place = std::move(m_waiting.front());
    m_waiting.pop_front();
    auto &names = m_names[place.db];
    const auto name = names.known.find(place.name);
    if (name == names.known.end() || name->second.number != place.number)
      continue;
    auto *sight = sights.find(place.db);
    settle(names, name, sight ? sight->merged(place.name, name->second.members) : std::vector(name->second.rows));
  }
}

std::optional<SteadyTime> ChangeMerge::dueAt() const { return m_waiting.empty() ? std::nullopt : std::optional(m_waiting.front().due); }

void ChangeMerge::take(LockChange change, Names &names, Sight &sight, std::optional<int> db, SteadyTime now) {
  if (!sight.hasSeveral() || !sight.isOnMaster(change.id))
    return tell(std::move(change));
  const auto &key = change.id.key.bytes();
  auto name = names.known.find(key);
  if (name != names.known.end() && name->second.told.empty() && !name->second.raw.empty() && endsHold(change.kind)) {
    settle(names, name, std::vector(name->second.rows)); // what goes before it was told has come all the same
    name = names.known.find(key);
  }
  if (name == names.known.end()) {
    auto told = sight.toldOn(key, change.id.node);
    if (told.empty() && (change.kind != ChangeKind::Appeared || !mayWait({}, {&change.after, 1}, names.loreOf(key), sight)))
      return tell(std::move(change));
    if (change.before)
      told.insert(std::ranges::upper_bound(told, change.before->id, {}, [](const LockRecordPtr &row) -> const LockId & { return row->id; }), change.before);
    name = names.known.try_emplace(key).first;
    name->second.told = std::move(told);
  }
  auto &known = name->second;
  known.raw.push_back(std::move(change));
  auto rows = sight.merged(name->first, known.members);
  if (!mayWait(known, rows, names.loreOf(name->first), sight))
    return settle(names, name, std::move(rows));
  known.rows = std::move(rows);
  if (known.raw.size() > 1)
    return;
  known.number = ++m_lastNumber;
  m_waiting.push_back({now + patience, known.number, db, name->first});
}

// Whether another master may have something to say to it.
bool ChangeMerge::mayWait(const Name &name, std::span<const LockRecordPtr> rows, std::optional<bool> wasSpread, const Sight &sight) const {
  if (name.told.empty()) {
    const auto maySpread = [&](const LockRecordPtr &row) {
      return sight.isCluster() ? row->votes > 0 : wasSpread.value_or(row->votes > 0 || mayBeRedlock(*row));
    };
    Nodes met;
    addNodes(met, rows);
    return !rows.empty() && std::ranges::all_of(rows, maySpread) && met.size() < sight.mayTell();
  }
  if (std::ranges::none_of(name.told, isSpread) && std::ranges::none_of(rows, isSpread))
    return false;
  if (rows.size() == 1 && name.told.size() == 1 && name.told.front()->members.size() < rows.front()->members.size() &&
      rows.front()->members.size() >= sight.live())
    return false; // it is complete
  Nodes concerned, heard;
  addNodes(concerned, name.told);
  addNodes(concerned, rows);
  for (const auto &change : name.raw)
    heard.insert(change.id.node);
  return !std::ranges::includes(heard, concerned);
}

void ChangeMerge::settle(Names &names, ByName<Name>::iterator name, std::vector<LockRecordPtr> rows) {
  auto &known = name->second;
  const auto raw = std::exchange(known.raw, {});
  const auto told = std::exchange(known.told, rows);
  const bool stays = rows.size() > 1 || std::ranges::any_of(rows, isSpread);
  names.remember(name->first, std::ranges::any_of(told, isSpread) || std::ranges::any_of(rows, isSpread));
  known.number = 0;
  for (auto &change : changesBetween(told, rows, raw)) {
    if (change.kind == ChangeKind::Vanished && !change.cause)
      change.cause = known.cause;
    if (endsHold(change.kind) || change.kind == ChangeKind::Appeared)
      known.cause.reset();
    else if (change.cause)
      known.cause = change.cause;
    tell(std::move(change));
  }
  if (!stays)
    names.known.erase(name);
}

void ChangeMerge::Names::remember(std::string_view key, bool isSpread) {
  if (lore.size() >= mostLore)
    lore.clear(); // then their next ones wait once more
  lore.insert_or_assign(std::string(key), isSpread);
}

std::optional<bool> ChangeMerge::Names::loreOf(std::string_view key) const {
  const auto found = lore.find(key);
  return found == lore.end() ? std::nullopt : std::optional(found->second);
}

// What waited for other masters is told after what came meanwhile, and no sooner by the clock; one that is set back is followed.
void ChangeMerge::tell(LockChange change) {
  if (change.at < m_lastAt && m_lastAt - change.at < seconds(1))
    change.at = m_lastAt;
  m_lastAt = change.at;
  change.seq = ++m_lastSeq;
  m_out.push_back(std::move(change));
}

} // namespace lockhouse
