// SPDX-License-Identifier: Apache-2.0
#include "core/client/release/cross_slot_search.h"

#include "core/release/plan/remove_member.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lockhouse {
namespace {

bool isHome(const NodeStatus &node, const LockId &lock) { return node.id == lock.node && node.db == lock.db; }

// What may be left undone is asked for by optionalAclOf() where the lock lies.
bool isAskedWithPlan(const ReleasePlan &part, const ReleasePlan &plan) { return onlyMayWake(part) && part.lock.node == plan.lock.node; }

// The lock's own first.
std::vector<LockId> nodesOf(const ReleasePlan &plan, const LockSnapshot &snapshot) {
  std::vector<LockId> nodes{plan.lock};
  for (const auto &node : snapshot.nodes)
    if (node.isCluster && node.role == "master" && node.state != NodeState::Down && !isHome(node, plan.lock))
      nodes.push_back({node.id, node.db, plan.lock.key});
  return nodes;
}

bool isRefusedToUser(const Result<Reply> &answer) { return answer && answer->failureWord() == "NOPERM"; }

} // namespace

bool ReleaseService::Apart::isNeeded(const ReleasePlan &plan, const LockSnapshot &snapshot) {
  return !isOfOneSlot(plan) && std::ranges::any_of(snapshot.nodes, [&](const NodeStatus &node) { return node.isCluster && isHome(node, plan.lock); });
}

void ReleaseService::Apart::start(Lanes &lanes, ReleasePlan plan, const LockSnapshot &snapshot, Done done) {
  const auto self = std::shared_ptr<Apart>(new Apart(lanes, std::move(plan), std::move(done)));
  const auto nodes = nodesOf(self->m_plan, snapshot);
  const auto isAsked = [](const NodeStatus &node) { return node.isCluster && node.role == "master" && node.state == NodeState::Live && !node.twin; };
  const auto asked = static_cast<std::size_t>(std::ranges::count_if(snapshot.nodes, isAsked));
  self->m_areAllAsked = std::ranges::all_of(snapshot.nodes, [&](const NodeStatus &node) { return !isAsked(node) || node.clusterMasters == asked; });
  self->find(nodes);
}

void ReleaseService::Apart::find(const std::vector<LockId> &nodes) {
  const auto keys = keysToFind(m_plan);
  for (const auto &key : keys)
    m_places.push_back({key, nodes.front(), fail(ErrorCode::Unreachable, LH_MESSAGE("PlanWords", "nobody was asked"))});
  m_moved.resize(keys.size());
  m_refusing.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    for (const auto &node : nodes)
      if (auto *lane = m_lanes.of(node)) {
        ++m_open;
        lane->read({"TYPE", keys[i]}, [self = shared_from_this(), i, node](Result<Reply> type) { self->onPlace(i, node, std::move(type)); });
      }
  if (m_open == 0)
    take();
}

// Where nobody who is asked has it, the lock's own master says who does. One that refuses the key to this user says so whether it has it or not.
void ReleaseService::Apart::onPlace(std::size_t index, const LockId &at, Result<Reply> type) {
  auto &place = m_places[index];
  if (type && type->failureWord() == "MOVED")
    m_moved[index] = *type;
  if (isRefusedToUser(type))
    m_refusing[index].push_back(at.node);
  const bool isSure = isServed(type) && !isRefusedToUser(type);
  if (isSure || (isServed(type) && !isServed(place.type)) || (at == m_plan.lock && !isServed(place.type)))
    place = {std::move(place.key), at, std::move(type)};
  if (--m_open > 0)
    return;
  for (std::size_t i = 0; i < m_places.size(); ++i)
    if (auto &each = m_places[i]; isRefusedToUser(each.type) && m_moved[i] && !isOfRefusing(i))
      each = {std::move(each.key), m_plan.lock, std::move(*m_moved[i])};
  take();
}

// Whether the master that has it is one of those that refuse it. A cluster may call it otherwise than who watches it.
bool ReleaseService::Apart::isOfRefusing(std::size_t index) const {
  const auto words = m_moved[index]->failure();
  return m_areAllAsked || std::ranges::any_of(m_refusing[index], [words](const NodeId &node) { return words.ends_with(" " + std::string(node.bytes())); });
}

void ReleaseService::Apart::take() {
  takeApart(m_plan, m_places);
  m_missing.resize(m_plan.parts.size());
  for (std::size_t i = 0; i < m_plan.parts.size(); ++i)
    if (auto *lane = isAskedWithPlan(m_plan.parts[i], m_plan) ? nullptr : m_lanes.of(m_plan.parts[i].lock)) {
      ++m_open;
      const std::array parts{&std::as_const(m_plan.parts[i])};
      lane->read(rightsCheckOf(parts), [self = shared_from_this(), i](const Result<Reply> &reply) {
        const std::array one{&std::as_const(self->m_plan.parts[i])};
        self->m_missing[i] = std::move(missingIn(reply, one).front());
      });
      lane->read(knownCheckOf(m_plan.parts[i]),
                 [self = shared_from_this(), i](const Result<Reply> &reply) { self->m_missing[i].isUnknown = saysUnknown(reply); });
      lane->read(dryRunOf(m_plan.parts[i]), [self = shared_from_this(), i](const Result<Reply> &reply) { self->onDryRun(i, reply); });
    }
  if (m_open == 0)
    m_done(std::move(m_plan));
}

void ReleaseService::Apart::onDryRun(std::size_t index, const Result<Reply> &reply) {
  const auto &part = m_plan.parts[index];
  if (!onlyMayWake(part))
    addMissing(m_plan, std::move(m_missing[index]), reply);
  else if (!m_missing[index].isUnasked && !m_missing[index].words.empty())
    m_unwoken.push_back(part.keys.front());
  if (--m_open > 0)
    return;
  for (const auto &list : m_unwoken)
    leaveUnpushed(m_plan, list);
  m_done(std::move(m_plan));
}

void leaveOutForbidden(ReleaseConnection &lane, const ReleasePlan &plan, std::move_only_function<void(std::optional<ReleasePlan>)> done) {
  struct Look {
    ReleasePlan plan;
    std::move_only_function<void(std::optional<ReleasePlan>)> done;
    std::size_t open = 0;
    bool isShorter = false;
  };
  const auto listed = listsItMayHave(plan);
  const std::vector<std::string> lists(listed.begin(), listed.end());
  const auto look = std::make_shared<Look>(Look{.plan = plan, .done = std::move(done), .open = lists.size()});
  for (const auto &list : lists)
    lane.read(dryRunOf(list), [look, list](const Result<Reply> &answer) {
      if (refusalIn(answer)) {
        leaveUnpushed(look->plan, list);
        look->isShorter = true;
      }
      if (--look->open == 0)
        look->done(look->isShorter ? std::optional(std::move(look->plan)) : std::nullopt);
    });
}

} // namespace lockhouse
