// SPDX-License-Identifier: Apache-2.0
#include "core/release/own_rights.h"

#include "core/base/lockhouse_names.h"

#include <algorithm>
#include <tuple>

namespace lockhouse {
namespace {

using Commands = std::vector<Command>;

// As the scripts look at it: whether anybody stands in the queue.
bool isQueued(const ReleasePlan &plan) {
  using enum Effect::Kind;
  return std::ranges::any_of(
      plan.effects, [](const Effect &effect) { return effect.kind == HandsOn || effect.kind == Publishes || effect.kind == Drops || effect.kind == KeepsOut; });
}

} // namespace

void addInboxes(const ReleasePlan &plan, Commands &commands) {
  std::vector<std::string> inboxes;
  for (const auto &waiter : plan.queued.empty() ? plan.wakes : plan.queued) {
    auto inbox = own::inboxOf(waiter);
    if (std::ranges::find(inboxes, inbox) != inboxes.end())
      continue;
    commands.push_back({"PUBLISH", inbox, ""});
    inboxes.push_back(std::move(inbox));
  }
}

Commands rightsOfHandoff(const ReleasePlan &plan) {
  const auto &keys = plan.keys;
  if (!isQueued(plan))
    return {{"STRLEN", keys[0]}, {"GET", keys[0]}, {"DEL", keys[0]}};
  Commands commands{{"STRLEN", keys[0]},
                    {"GET", keys[0]},
                    {"TIME"},
                    {"SET", keys[3], "0", "PX", "1"},
                    {"SET", keys[0], "0", "PX", "1"},
                    {"HGET", keys[2], ""},
                    {"HDEL", keys[2], ""},
                    {"ZREMRANGEBYRANK", keys[1], "0", "0"},
                    {"DEL", keys[0], keys[2]}};
  addInboxes(plan, commands);
  return commands;
}

Commands rightsOfQueueLock(const ReleasePlan &plan) {
  const auto &keys = plan.keys;
  if (!isQueued(plan))
    return {{"STRLEN", keys[0]}, {"GET", keys[0]}, {"DEL", keys[0]}};
  const bool isList = plan.family == "lockhouse-list-fair";
  Commands commands{{"STRLEN", keys[0]}, {"GET", keys[0]}, {"DEL", keys[0], keys[2]}, {"TIME"}, {"HGET", keys[2], ""}};
  if (isList)
    commands.push_back({"LINDEX", keys[1], "0"});
  commands.push_back(isList ? Command{"LPOP", keys[1]} : Command{"ZREM", keys[1], ""});
  addInboxes(plan, commands);
  return commands;
}

Commands rightsOfShared(const ReleasePlan &plan) {
  const auto &keys = plan.keys;
  Commands commands{
      {"ZSCORE", keys[0], plan.args[0]}, {"ZREM", keys[0], plan.args[0]}, {"TIME"}, {"ZREMRANGEBYSCORE", keys[0], "-inf", "0"}, {"DEL", keys[2], keys[3]}};
  if (!isQueued(plan))
    return commands;
  commands.push_back({"ZREM", keys[1], ""});
  commands.push_back({"HGET", keys[2], ""});
  commands.push_back({"GET", keys[3]});
  commands.push_back({"ZADD", keys[0], "0", ""});
  commands.push_back({"PEXPIRE", keys[0], "1"});
  addInboxes(plan, commands);
  return commands;
}

} // namespace lockhouse
