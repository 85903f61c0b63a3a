// SPDX-License-Identifier: Apache-2.0
#include "core/watch/change_fold.h"

#include "core/watch/hold_history.h"
#include "core/watch/masters.h"
#include "core/watch/replica_changes.h"
#include "core/watch/slot_fold.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>

namespace lockhouse {
namespace {

constexpr std::size_t mostLore = 20'000;

using Nodes = std::set<NodeId>;
using Hold = std::pair<std::string_view, HoldMode>;

bool isSpread(const LockRecordPtr &row) { return !row->members.empty(); }

void addNodes(Nodes &nodes, std::span<const LockRecordPtr> rows) {
  for (const auto &row : rows) {
    nodes.insert(row->id.node);
    for (const auto &member : row->members)
      if (!row->isOthers(member)) // what others have there says nothing of this one
        nodes.insert(member.node);
  }
}

// What tells whether two rows are the same lock by the same holders, in whichever order.
std::vector<Hold> holdsOf(const LockRecord &row) {
  std::vector<Hold> holds;
  for (const auto &holder : row.holders)
    holds.emplace_back(holder.id, holder.mode);
  std::ranges::sort(holds);
  return holds;
}

bool endsHold(ChangeKind kind) { return kind == ChangeKind::Vanished || kind == ChangeKind::Holder; }

// Those on one master who are none of the row's.
std::vector<Hold> othersOn(const LockRecord &row, const LockMember &member) {
  std::vector<Hold> others;
  if (!member.there)
    return row.isOthers(member) ? std::vector<Hold>{{member.own->id, member.own->mode}} : others;
  std::ranges::set_difference(holdsOf(*member.there), holdsOf(row), std::back_inserter(others));
  return others;
}

// Of holders who stand each by himself, those on one master.
std::vector<Hold> allOn(const LockRecord &row, const LockMember &member) {
  if (member.own)
    return {{member.own->id, member.own->mode}};
  return holdsOf(member.there ? *member.there : row);
}

bool isSameMember(const LockRecord &a, const LockMember &one, const LockRecord &b, const LockMember &two) {
  if (one.node != two.node)
    return false;
  if (a.sharedOn > 0 || b.sharedOn > 0)
    return (one.there && one.there == two.there) || allOn(a, one) == allOn(b, two);
  return othersOn(a, one) == othersOn(b, two);
}

bool haveSameMembers(const LockRecord &a, const LockRecord &b) {
  const auto isSame = [&](const LockMember &one, const LockMember &two) { return isSameMember(a, one, b, two); };
  return a.id == b.id && a.hasMajority() == b.hasMajority() && std::ranges::equal(a.members, b.members, isSame);
}

bool haveSameWaiters(const LockRecord &a, const LockRecord &b) {
  return a.waiters == b.waiters && std::ranges::equal(a.queue, b.queue, {}, &Waiter::id, &Waiter::id);
}

// Of a lock under several keys the one that names it may lie on another master: there is none here then.
bool areOfOneType(const LockRecord &a, const LockRecord &b) {
  const auto mayBeMissing = [](const LockRecord &row) { return row.type == ValueType::None || (row.type == ValueType::String && row.votes > 0); };
  return a.type == b.type || (mayBeMissing(a) && mayBeMissing(b));
}

// Whether the holders of `part` are all in `whole`: of a split vote, which is one row for a while.
bool isPartOf(const LockRecord &part, const LockRecord &whole) {
  return areOfOneType(part, whole) && part.isHeld() && std::ranges::includes(holdsOf(whole), holdsOf(part));
}

// Whether what was a row of its own is a member of `row` now, which others hold.
bool isKeptOutOf(const LockRecord &before, const LockRecord &row) {
  return before.isHeld() && std::ranges::any_of(row.members, [&](const LockMember &member) {
           return member.node == before.id.node && std::ranges::includes(othersOn(row, member), holdsOf(before));
         });
}

// Not of what lies on a master that others have.
bool isOfHolders(const LockChange &change, const LockRecord &row) {
  const auto member = std::ranges::find(row.members, change.id.node, &LockMember::node);
  return member == row.members.end() || !row.isOthers(*member);
}

std::optional<ChangeKind> kindOf(const LockRecord &before, const LockRecord &after, std::span<const LockChange> raw) {
  const bool areVotes = before.isSplit() && after.isSplit() && before.sharedOn == 0 && after.sharedOn == 0 && holdsOf(before) != holdsOf(after);
  if ((before.isSplit() != after.isSplit() || areVotes) && (isPartOf(before, after) || isPartOf(after, before)))
    return ChangeKind::Members;
  if (holdsOf(before) != holdsOf(after))
    return ChangeKind::Holder;
  if (!sameCounts(before, after))
    return ChangeKind::Count;
  if (before.staleSince.has_value() != after.staleSince.has_value())
    return after.staleSince ? ChangeKind::Stale : ChangeKind::Live;
  if (!haveSameMembers(before, after))
    return ChangeKind::Members;
  if (!haveSameWaiters(before, after))
    return ChangeKind::Waiters;
  for (const auto kind : {ChangeKind::Lease, ChangeKind::Shortened})
    if (std::ranges::any_of(raw, [&](const LockChange &change) { return change.kind == kind && isOfHolders(change, after); }))
      return kind;
  return std::nullopt;
}

std::optional<ChangeCause> causeOf(std::span<const LockChange> raw) {
  for (const auto &change : raw | std::views::reverse)
    if (change.cause)
      return change.cause;
  return std::nullopt;
}

// Takes the row out of `rows` that is `before` now; null if there is none.
template <class Fits> LockRecordPtr takeOut(std::vector<LockRecordPtr> &rows, Fits fits) {
  const auto found = std::ranges::find_if(rows, fits);
  if (found == rows.end())
    return nullptr;
  auto row = std::move(*found);
  rows.erase(found);
  return row;
}

LockRecordPtr successorOf(const LockRecord &before, std::vector<LockRecordPtr> &rows, std::span<const LockRecordPtr> told) {
  const auto isSame = [&](const LockRecordPtr &row) { return areOfOneType(*row, before) && holdsOf(*row) == holdsOf(before); };
  const auto isHere = [&](const LockRecordPtr &row) { return row->id == before.id && isSame(row); };
  if (auto row = takeOut(rows, isHere))
    return row;
  const auto isAnothers = [&](const LockRecordPtr &one) {
    return std::ranges::any_of(told, [&](const LockRecordPtr &other) { return other->id == one->id && holdsOf(*other) == holdsOf(*one); });
  };
  if (auto row = takeOut(rows, [&](const LockRecordPtr &one) { return before.isHeld() && isSame(one) && !isAnothers(one); }))
    return row;
  // By another holder: not one that another row told before goes on as.
  const auto isTaken = [&](const LockRecordPtr &row) {
    return std::ranges::any_of(told, [&](const LockRecordPtr &other) { return other.get() != &before && holdsOf(*other) == holdsOf(*row); });
  };
  return takeOut(rows, [&](const LockRecordPtr &row) { return areOfOneType(*row, before) && row->id == before.id && !isTaken(row); });
}

LockChange changeFrom(ChangeKind kind, LockRecordPtr before, LockRecordPtr after, std::span<const LockChange> raw) {
  const auto id = after ? after->id : before->id;
  const bool hasLess = !after || (before && kind != ChangeKind::Holder && after->members.size() < before->members.size());
  const auto cause = hasLess ? causeOf(raw) : std::nullopt;
  return {
      .seq = 0, .at = raw.empty() ? WallTime{} : raw.back().at, .id = id, .kind = kind, .cause = cause, .before = std::move(before), .after = std::move(after)};
}

// Every row that was told is the `before` of one change, or stays as it is.
std::vector<LockChange> changesBetween(std::span<const LockRecordPtr> told, std::span<const LockRecordPtr> rows, std::span<const LockChange> raw) {
  std::vector<LockChange> changes, ofNew;
  std::vector<LockRecordPtr> left(rows.begin(), rows.end()), gone;
  for (const auto &before : told) {
    auto after = successorOf(*before, left, told);
    if (!after)
      gone.push_back(before);
    else if (const auto kind = kindOf(*before, *after, raw))
      changes.push_back(changeFrom(*kind, before, std::move(after), raw));
  }
  for (auto &row : left) {
    const auto isPart = [&](const LockRecordPtr &one) { return isPartOf(*row, *one) || isPartOf(*one, *row); };
    const auto isKeptOut = [&](const LockRecordPtr &one) { return isKeptOutOf(*one, *row); };
    if (auto part = takeOut(gone, isPart))
      ofNew.push_back(changeFrom(ChangeKind::Members, std::move(part), std::move(row), raw));
    else if (auto other = takeOut(gone, isKeptOut))
      ofNew.push_back(changeFrom(ChangeKind::Holder, std::move(other), std::move(row), raw));
    else
      ofNew.push_back(changeFrom(ChangeKind::Appeared, nullptr, std::move(row), raw));
  }
  for (auto &before : gone) { // it may go on in another row
    const auto whole = std::ranges::find_if(rows, [&](const LockRecordPtr &row) {
      return isPartOf(*before, *row) || isKeptOutOf(*before, *row) || (before->isSplit() && isPartOf(*row, *before));
    });
    changes.push_back(whole == rows.end() ? changeFrom(ChangeKind::Vanished, std::move(before), nullptr, raw)
                                          : changeFrom(ChangeKind::Members, std::move(before), *whole, raw));
  }
  std::ranges::move(ofNew, std::back_inserter(changes));
  return changes;
}

} // namespace

class ChangeFold::Sight {
public:
  Sight(std::span<NodeWatch *const> nodes, SteadyTime now, const Families &families) : m_nodes(nodes), m_now(now), m_replicas(nodes, families) {
    std::vector<const NodeStatus *> statuses;
    for (const auto *node : nodes)
      statuses.push_back(&node->status());
    m_masters = Masters(std::move(statuses));
  }

  LockChange asTold(LockChange change) const { return m_replicas.asTold(std::move(change)); }
  /// The rest of the changes that came in this turn: what they made is not told yet.
  void setRest(std::span<const LockChange> rest) { m_rest = rest; }
  bool hasSeveral() const { return m_masters.size() > 1; }
  bool isOnMaster(const LockId &id) const { return m_masters.contains(id); }
  bool isCluster() const { return m_masters.first()->isCluster; }
  std::size_t live() const { return m_masters.size() - m_masters.unfollowed(); }
  /// Which are followed, or looked at for the first time.
  std::size_t mayTell() const {
    const auto isNew = [this](const NodeWatch *node) {
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
      if (const auto *known = node->mirror().find(key); known && m_masters.contains(known->record->id) && !(except && known->isUntold))
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

  std::vector<LockRecordPtr> folded(std::string_view key, MemberFold &members) {
    if (m_statuses.empty())
      for (const auto *node : m_nodes)
        m_statuses.push_back(node->status());
    auto rows = plain(key);
    foldVotes(rows, m_statuses);
    members.fold(rows, m_statuses, m_now);
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

  std::span<NodeWatch *const> m_nodes;
  SteadyTime m_now;
  ReplicaChanges m_replicas;
  Masters m_masters;
  std::span<const LockChange> m_rest;
  std::unordered_map<LockId, std::vector<const LockChange *>> m_changes; // of the rest when it was first asked for
  std::vector<NodeStatus> m_statuses;                                    // copied once, where anything is folded at all
};

std::vector<LockChange> ChangeFold::fold(std::vector<LockChange> raw, std::span<NodeWatch *const> nodes, SteadyTime now, const Families &families) {
  if (nodes.size() < 2 && m_waiting.empty()) {
    for (auto &change : raw)
      change.seq = ++m_lastSeq;
    return raw;
  }
  std::ranges::stable_sort(raw, {}, &LockChange::at); // each node's are in order
  Sight sight(nodes, now, families);
  for (auto &change : raw)
    change = sight.asTold(std::move(change));
  for (std::size_t i = 0; i < raw.size(); ++i) {
    sight.setRest(std::span<const LockChange>(raw).subspan(i + 1));
    take(std::move(raw[i]), sight, now);
  }
  while (!m_waiting.empty() && (m_waiting.front().due <= now || !sight.hasSeveral())) {
    const auto place = std::move(m_waiting.front());
    m_waiting.pop_front();
    if (const auto name = m_names.find(place.name); name != m_names.end() && name->second.number == place.number)
      settle(name, sight.folded(place.name, name->second.members));
  }
  return std::exchange(m_out, {});
}

std::optional<SteadyTime> ChangeFold::dueAt() const { return m_waiting.empty() ? std::nullopt : std::optional(m_waiting.front().due); }

void ChangeFold::take(LockChange change, Sight &sight, SteadyTime now) {
  if (!sight.hasSeveral() || !sight.isOnMaster(change.id))
    return tell(std::move(change));
  const auto &key = change.id.key.bytes();
  auto name = m_names.find(key);
  if (name != m_names.end() && name->second.told.empty() && !name->second.raw.empty() && endsHold(change.kind)) {
    settle(name, std::vector(name->second.rows)); // what goes before it was told has come all the same
    name = m_names.find(key);
  }
  if (name == m_names.end()) {
    auto told = sight.toldOn(key, change.id.node);
    if (told.empty() && (change.kind != ChangeKind::Appeared || !mayWait({}, {&change.after, 1}, key, sight)))
      return tell(std::move(change));
    if (change.before)
      told.insert(std::ranges::upper_bound(told, change.before->id, {}, [](const LockRecordPtr &row) -> const LockId & { return row->id; }), change.before);
    name = m_names.try_emplace(key).first;
    name->second.told = std::move(told);
  }
  auto &known = name->second;
  known.raw.push_back(std::move(change));
  auto rows = sight.folded(name->first, known.members);
  if (!mayWait(known, rows, name->first, sight))
    return settle(name, std::move(rows));
  known.rows = std::move(rows);
  if (known.raw.size() > 1)
    return;
  known.number = ++m_lastNumber;
  m_waiting.push_back({now + patience, known.number, name->first});
}

// Whether another master may have something to say to it.
bool ChangeFold::mayWait(const Name &name, std::span<const LockRecordPtr> rows, std::string_view key, const Sight &sight) const {
  if (name.told.empty()) {
    const auto known = m_lore.find(key);
    const auto maySpread = [&](const LockRecordPtr &row) {
      return sight.isCluster() ? row->votes > 0 : known != m_lore.end() ? known->second : row->votes > 0 || mayBeRedlock(*row);
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

void ChangeFold::settle(ByName<Name>::iterator name, std::vector<LockRecordPtr> rows) {
  auto &known = name->second;
  const auto raw = std::exchange(known.raw, {});
  const auto told = std::exchange(known.told, rows);
  const bool stays = rows.size() > 1 || std::ranges::any_of(rows, isSpread);
  remember(name->first, std::ranges::any_of(told, isSpread) || std::ranges::any_of(rows, isSpread));
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
    m_names.erase(name);
}

void ChangeFold::remember(std::string_view key, bool isSpread) {
  if (m_lore.size() >= mostLore)
    m_lore.clear(); // then their next ones wait once more
  m_lore.insert_or_assign(std::string(key), isSpread);
}

// What waited for other masters is told after what came meanwhile, and no sooner by the clock; one that is set back is followed.
void ChangeFold::tell(LockChange change) {
  if (change.at < m_lastAt && m_lastAt - change.at < seconds(1))
    change.at = m_lastAt;
  m_lastAt = change.at;
  change.seq = ++m_lastSeq;
  m_out.push_back(std::move(change));
}

} // namespace lockhouse
