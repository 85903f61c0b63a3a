// SPDX-License-Identifier: Apache-2.0
// What many plans would meet at their servers: asked for in few commands, whatever their number.
#include "core/client/release/bulk_release.h"

#include "core/release/check/dry_run.h"
#include "core/release/method/holder_probe.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

constexpr std::size_t rightsAtOnce = 64; // plans

bool isPlanned(const ReleaseResult &result) { return result.plan && !result.verdict; }

} // namespace

// One node after the other would take a round trip each: all at once.
void ReleaseService::PlanMany::dryRun() {
  if (m_stop.stop_requested())
    return end();
  std::map<ReleaseConnection *, std::vector<std::size_t>> byLane;
  for (std::size_t i = 0; i < m_results.size(); ++i) {
    auto &result = m_results[i];
    if (isPlanned(result))
      tellRole(*result.plan, *m_watched);
    else if (!isReplicasWord(result, *m_watched))
      continue;
    byLane[laneOf(result.lock)].push_back(i);
    ++m_open;
  }
  if (m_open == 0)
    return end();
  tell();
  m_missing.resize(m_results.size());
  for (auto &[lane, indexes] : byLane)
    askStanding(*lane, later<NodeHealth>([this, lane = lane, indexes = std::move(indexes)](const NodeHealth &standing) mutable {
      onStanding(*lane, std::move(indexes), standing);
    }));
}

void ReleaseService::PlanMany::onStanding(ReleaseConnection &lane, std::vector<std::size_t> indexes, const NodeHealth &standing) {
  const auto tellOne = [&](std::size_t index) {
    auto &result = m_results[index];
    if (isPlanned(result)) {
      tellStanding(*result.plan, standing);
      return false;
    }
    tellReplica(*result.verdict, result.detail, standing);
    return true;
  };
  m_open -= std::erase_if(indexes, tellOne);
  if (m_open == 0)
    return end();
  if (indexes.empty())
    return;
  askTypes(lane, indexes);
  askRights(lane, indexes);
  askScripts(lane, indexes);
  lane.read({"MULTI"}, later<Result<Reply>>([this, &lane, indexes = std::move(indexes)](const Result<Reply> &reply) mutable {
              if (reply && reply->isOk())
                lane.read(wholeDryRunOf(*m_results[indexes.front()].plan), [](const Result<Reply> &) {});
              dryRunOn(lane, std::move(indexes));
            }));
}

std::vector<const ReleasePlan *> ReleaseService::PlanMany::plansOf(std::span<const std::size_t> indexes) const {
  std::vector<const ReleasePlan *> plans;
  for (const auto index : indexes)
    plans.push_back(&*m_results[index].plan);
  return plans;
}

// Once for all plans that name it.
void ReleaseService::PlanMany::askTypes(ReleaseConnection &lane, std::span<const std::size_t> indexes) {
  std::map<std::string, std::vector<std::size_t>> ofKey;
  for (const auto index : indexes)
    for (auto &registry : registriesOf(*m_results[index].plan))
      ofKey[std::move(registry)].push_back(index);
  for (auto &[registry, plans] : ofKey)
    lane.read({"TYPE", registry}, later<Result<Reply>>([this, key = registry, some = std::move(plans)](const Result<Reply> &reply) {
                for (const auto index : some)
                  addRegistryRisk(*m_results[index].plan, key, reply);
              }));
}

// Rights go by names, so each is asked for by its own; but many in one command.
void ReleaseService::PlanMany::askRights(ReleaseConnection &lane, std::span<const std::size_t> indexes) {
  for (std::size_t from = 0; from < indexes.size(); from += rightsAtOnce) {
    const auto part = indexes.subspan(from, std::min(rightsAtOnce, indexes.size() - from));
    lane.read(rightsCheckOf(plansOf(part)), later<Result<Reply>>([this, some = std::vector(part.begin(), part.end())](const Result<Reply> &reply) {
                auto missing = missingIn(reply, plansOf(some));
                for (std::size_t i = 0; i < some.size(); ++i)
                  m_missing[some[i]] = std::move(missing[i]);
              }));
  }
}

// Once for all plans of a script.
void ReleaseService::PlanMany::askScripts(ReleaseConnection &lane, std::span<const std::size_t> indexes) {
  std::map<const Script *, std::vector<std::size_t>> ofScript;
  for (const auto index : indexes)
    ofScript[m_results[index].plan->script].push_back(index);
  for (auto &[script, plans] : ofScript) {
    auto check = knownCheckOf(*m_results[plans.front()].plan);
    lane.read(std::move(check), later<Result<Reply>>([this, some = std::move(plans)](const Result<Reply> &reply) {
                for (const auto index : some)
                  m_missing[index].isUnknown = saysUnknown(reply);
              }));
  }
}

void ReleaseService::PlanMany::dryRunOn(ReleaseConnection &lane, std::vector<std::size_t> indexes) {
  for (const auto index : indexes)
    lane.read(dryRunOf(*m_results[index].plan), later<Result<Reply>>([this, index](const Result<Reply> &reply) { onDryRun(index, reply); }));
}

// The connections end with this, and with them their transactions.
void ReleaseService::PlanMany::onDryRun(std::size_t index, const Result<Reply> &reply) {
  addMissing(*m_results[index].plan, std::move(m_missing[index]), reply);
  if (--m_open == 0)
    end();
}

} // namespace lockhouse
