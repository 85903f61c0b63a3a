// SPDX-License-Identifier: Apache-2.0
#include "core/release/taking_plan.h"

#include "core/base/safe_text.h"
#include "core/release/scripts.h"

#include <fmt/format.h>

namespace lockhouse {

using Kind = Effect::Kind;

Effect nobodyTold() { return {Kind::Leaves, "tells nobody: clients of this kind of lock try again by themselves"}; }

Effect deletesToken(const std::string &key, const Holder &holder) {
  return {Kind::Deletes, fmt::format("deletes {} if its value is still {}", safeText(key, 80), safeText(holder.id, 80))};
}

Effect takesOut(const Holder &holder, const std::string &key) {
  return {Kind::TakesOut, fmt::format("takes {} out of {}", safeText(holder.id, 80), safeText(key, 80))};
}

void planPush(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const std::string &list, milliseconds lasts) {
  plan.script = &release_scripts::releasePush;
  plan.keys.push_back(list);
  plan.args = {holder.id, "1", std::to_string(lasts.count())};
  plan.effects = {deletesToken(record.id.key.bytes(), holder),
                  {Kind::Pushes, fmt::format("leaves one element in {}: one waiter that is blocked there takes the lock", safeText(list, 80))}};
}

void planTaking(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const std::string &element, Taken taken) {
  plan.script = &release_scripts::releaseMember;
  if (!taken.list.empty())
    plan.keys.push_back(taken.list);
  plan.args = {std::string(name(record.type)), element, taken.expected, taken.pushed, std::to_string(taken.lasts.count()), taken.channel, taken.message};
  plan.args.insert(plan.args.end(), taken.others.begin(), taken.others.end());
  const auto others = record.holders.size() - 1 + record.unread;
  plan.effects = {takesOut(holder, plan.keys.front())};
  if (others > 0)
    plan.effects.push_back({Kind::Leaves, fmt::format("{} other hold{} stay{}", others, others == 1 ? "" : "s", others == 1 ? "s" : "")});
  if (!taken.pushed.empty())
    plan.effects.push_back({Kind::Pushes, fmt::format("pushes one element to {}: one waiter that is blocked there goes on", safeText(taken.list, 80))});
  if (!taken.channel.empty())
    plan.effects.push_back({Kind::Publishes, fmt::format("publishes {} on {} (PUBLISH and SPUBLISH)", taken.message, safeText(taken.channel, 120))});
  if (taken.pushed.empty() && taken.channel.empty())
    plan.effects.push_back(nobodyTold());
}

void planTold(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const std::vector<std::string> &channels, const std::string &message) {
  plan.script = &release_scripts::releaseTold;
  plan.args = {holder.id, message};
  plan.effects = {deletesToken(record.id.key.bytes(), holder)};
  for (const auto &channel : channels) {
    plan.args.push_back(channel);
    plan.effects.push_back({Kind::Publishes, fmt::format("publishes {} on {} (PUBLISH and SPUBLISH): who listens there tries again at once",
                                                         safeText(message, 80), safeText(channel, 120))});
  }
}

void planKeys(ReleasePlan &plan, const Holder &holder, std::size_t compared) {
  plan.script = &release_scripts::releaseKeys;
  plan.args = {holder.id, std::to_string(compared)};
  for (std::size_t i = 0; i < plan.keys.size(); ++i)
    plan.effects.push_back(i < compared ? deletesToken(plan.keys[i], holder) : Effect{Kind::Deletes, fmt::format("deletes {}", safeText(plan.keys[i], 80))});
}

} // namespace lockhouse
