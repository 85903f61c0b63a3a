// SPDX-License-Identifier: Apache-2.0
#include "core/release/check/lockhouse_acl.h"

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
  if (!isQueued(plan)) // as far as this user may see
    return {{"STRLEN", keys[0]}, {"GET", keys[0]}, {"DEL", keys[0]}, {"ZRANGE", keys[1], "0", "0"}};
  Commands commands{{"STRLEN", keys[0]},
                    {"GET", keys[0]},
                    {"TIME"},
                    {"SET", keys[3], "0", "PX", "1"},
                    {"SET", keys[0], "0", "PX", "1"},
                    {"HGET", keys[2], ""},
                    {"HDEL", keys[2], ""},
                    {"ZRANGE", keys[1], "0", "0"},
                    {"ZREMRANGEBYRANK", keys[1], "0", "0"},
                    {"DEL", keys[0], keys[2]}};
  addInboxes(plan, commands);
  return commands;
}

Commands rightsOfQueueLock(const ReleasePlan &plan) {
  const auto &keys = plan.keys;
  if (!isQueued(plan)) // as far as this user may see: without a line it may be either lock
    return {{"STRLEN", keys[0]}, {"GET", keys[0]}, {"DEL", keys[0]}, {"LRANGE", keys[1], "0", "0"}, {"ZRANGE", keys[1], "0", "0"}};
  Commands commands{{"STRLEN", keys[0]}, {"GET", keys[0]}, {"DEL", keys[0], keys[2]}, {"TIME"}, {"HGET", keys[2], ""}};
  if (plan.family == "lockhouse-list-fair")
    commands.insert(commands.end(), {{"LRANGE", keys[1], "0", "0"}, {"LINDEX", keys[1], "0"}, {"LPOP", keys[1]}});
  else
    commands.insert(commands.end(), {{"ZRANGE", keys[1], "0", "0"}, {"ZREM", keys[1], ""}});
  addInboxes(plan, commands);
  return commands;
}

Commands rightsOfShared(const ReleasePlan &plan) {
  const auto &keys = plan.keys;
  Commands commands{{"ZSCORE", keys[0], plan.args[0]},          {"ZREM", keys[0], plan.args[0]}, {"TIME"}, {"ZRANGE", keys[0], "0", "0"},
                    {"ZREMRANGEBYSCORE", keys[0], "-inf", "0"}, {"DEL", keys[2], keys[3]}};
  commands.push_back({"ZRANGE", keys[1], "0", "0"});
  if (!isQueued(plan)) // as far as this user may see
    return commands;
  commands.insert(commands.end(), {{"ZCARD", keys[0]},
                                   {"PTTL", keys[0]},
                                   {"ZREM", keys[1], ""},
                                   {"HGET", keys[2], ""},
                                   {"GET", keys[3]},
                                   {"ZADD", keys[0], "0", ""},
                                   {"PEXPIRE", keys[0], "1"}});
  addInboxes(plan, commands);
  return commands;
}

} // namespace lockhouse
