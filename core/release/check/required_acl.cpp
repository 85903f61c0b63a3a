// SPDX-License-Identifier: Apache-2.0
#include "core/release/check/required_acl.h"

#include "core/base/safe_text.h"
#include "core/release/check/lockhouse_acl.h"
#include "core/release/plan/remove_member.h"
#include "core/release/scripts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <tuple>

namespace lockhouse {
namespace {

using Commands = std::vector<Command>;

Commands ofToken(const ReleasePlan &plan) { return {{"STRLEN", plan.keys[0]}, {"GET", plan.keys[0]}, {"DEL", plan.keys[0]}}; }

Commands ofTold(const ReleasePlan &plan) {
  auto commands = ofToken(plan);
  for (std::size_t i = 7; plan.args[3] == "must" && i < plan.args.size(); ++i)
    commands.push_back({"PUBLISH", plan.args[i], plan.args[2]});
  return commands;
}

Commands ofPush(const ReleasePlan &plan) {
  const auto &list = plan.keys[1];
  if (has(plan.effects, Effect::Kind::WakesNone))
    return ofToken(plan);
  return {{"STRLEN", plan.keys[0]},      {"GET", plan.keys[0]},          {"DEL", plan.keys[0]}, {"DEL", list},
          {"LPUSH", list, plan.args[2]}, {"PEXPIRE", list, plan.args[3]}};
}

Commands ofWaking(const ReleasePlan &plan) { return {{"DEL", plan.keys[0]}, {"LPUSH", plan.keys[0], plan.args[0]}, {"PEXPIRE", plan.keys[0], plan.args[1]}}; }

// Each by itself, so that what is refused is named.
Commands ofKeys(const ReleasePlan &plan) {
  Commands commands{{"STRLEN", plan.keys[0]}, {"GET", plan.keys[0]}};
  for (const auto &key : plan.keys)
    commands.push_back({"DEL", key});
  return commands;
}

Commands ofMember(const ReleasePlan &plan) {
  struct Way {
    std::string_view type, looks, takes;
  };
  constexpr std::array ways{Way{"hash", "HGET", "HDEL"}, Way{"set", "SISMEMBER", "SREM"}, Way{"zset", "ZSCORE", "ZREM"}, Way{"list", "LPOS", "LREM"}};
  const auto *way = std::ranges::find(ways, plan.args[0], &Way::type);
  Commands commands{plan.args[2] == "first" ? Command{"LINDEX", plan.keys[0], "0"} : Command{way->looks, plan.keys[0], plan.args[1]}};
  commands.push_back(plan.args[0] == "list" ? Command{way->takes, plan.keys[0], "1", plan.args[1]} : Command{way->takes, plan.keys[0], plan.args[1]});
  if (plan.keys.size() > 1) {
    commands.push_back({"LPOS", plan.keys[1], plan.args[3]});
    commands.push_back({"LPUSH", plan.keys[1], plan.args[3]});
    commands.push_back({"PEXPIRE", plan.keys[1], "1"});
  }
  for (std::size_t channel = 0; channel < std::stoul(plan.args[5]); ++channel)
    commands.push_back({"PUBLISH", plan.args[12 + channel], plan.args[6]});
  return commands;
}

Commands ofUniqueJob(const ReleasePlan &plan) {
  const auto &[keys, args] = std::tie(plan.keys, plan.args);
  Commands commands{{"HGET", keys[0], args[0]}, {"HLEN", keys[0]}, {"HDEL", keys[0], args[0]}};
  if (!args[2].empty()) {
    commands.push_back({"LPUSH", keys[1], "1"});
    commands.push_back({"PEXPIRE", keys[1], args[2]});
  }
  if (!args[2].empty() && has(plan.effects, Effect::Kind::Clears))
    commands.push_back({"DEL", keys[1]});
  for (std::size_t type = 4; has(plan.effects, Effect::Kind::Clears) && type < args.size(); ++type) {
    const auto &key = keys[keys.size() - args.size() + type];
    commands.push_back(args[type] == "zset" ? Command{"ZREM", key, args[1]} : Command{"DEL", key});
  }
  return commands;
}

Commands ofPermit(const ReleasePlan &plan) {
  const auto &keys = plan.keys;
  Commands commands{
      {"GET", keys[0]}, {"ZSCORE", keys[1], plan.args[0]}, {"ZREM", keys[1], plan.args[0]}, {"INCRBY", keys[0], "1"}, {"PUBLISH", plan.args[1], "1"}};
  if (keys.size() > 2)
    commands.insert(commands.end(), {{"GET", keys[2]}, {"DEL", keys[0], keys[2]}});
  return commands;
}

Commands ofPermits(const ReleasePlan &plan) { return {{"ZSCORE", plan.keys[0], plan.args[0]}, {"ZREM", plan.keys[0], plan.args[0]}}; }

Commands ofWeighed(const ReleasePlan &plan) {
  auto commands = ofPermits(plan);
  commands.push_back({"ZREM", plan.keys[1], plan.args[0]});
  return commands;
}

Commands ofRedissonLock(const ReleasePlan &plan) {
  Commands commands{{"HLEN", plan.keys[0]}, {"HGET", plan.keys[0], plan.args[0]}, {"DEL", plan.keys[0]}, {"PUBLISH", plan.args[2], "0"}};
  if (plan.keys.size() > 2)
    commands.push_back({"GETRANGE", plan.keys[2], "0", "31"});
  return commands;
}

Commands ofRedissonFair(const ReleasePlan &plan) {
  Commands commands{{"HLEN", plan.keys[0]}, {"HGET", plan.keys[0], plan.args[0]}, {"DEL", plan.keys[0]}};
  if (has(plan.effects, Effect::Kind::Publishes) || has(plan.effects, Effect::Kind::Drops)) {
    commands.push_back({"TIME"});
    commands.push_back({"LINDEX", plan.keys[1], "0"});
    commands.push_back({"ZSCORE", plan.keys[2], plan.next.value_or("")});
  }
  for (const auto &waiter : plan.wakes)
    commands.push_back({"PUBLISH", plan.args[2] + ":" + waiter, "0"});
  if (has(plan.effects, Effect::Kind::Drops)) {
    commands.push_back({"LPOP", plan.keys[1]});
    commands.push_back({"ZREM", plan.keys[2], plan.args[0]});
  }
  return commands;
}

Commands ofRedissonRw(const ReleasePlan &plan) {
  const auto &key = plan.keys[0];
  Commands commands{{"HGET", key, plan.args[0]}, {"HLEN", key}};
  const Command deletes{"DEL", key}, tells{"PUBLISH", plan.args[2], "1"}, takes{"HDEL", key, plan.args[0]};
  if (has(plan.effects, Effect::Kind::OpensReads)) {
    commands.insert(commands.end(), {takes, {"HSET", key, "mode", "read"}, tells});
    return commands;
  }
  if (has(plan.effects, Effect::Kind::Deletes))
    commands.insert(commands.end(), {deletes, tells});
  else
    commands.push_back(takes);
  const auto own = std::stoul(plan.args[3]); // timeout keys
  for (std::size_t i = 1; i <= own; ++i)
    commands.push_back({"DEL", plan.keys[i]});
  if (has(plan.effects, Effect::Kind::Shortens))
    commands.push_back({"PEXPIRE", key, "1"});
  const bool areNamed = plan.keys.size() > 1 + own; // whose leases decide
  for (std::size_t i = 1; areNamed && i < plan.keys.size(); ++i)
    commands.push_back({"PTTL", plan.keys[i]});
  return commands;
}

Commands ofShorter(const ReleasePlan &plan) {
  const auto &key = plan.keys[0];
  Commands commands;
  if (!plan.args[4].empty()) {
    commands = {{"TIME"}, {"ZSCORE", key, plan.args[1]}, {"ZADD", key, "XX", "1", plan.args[1]}};
    if (plan.args[2] == "last")
      commands.insert(commands.end(), {{"ZRANGE", key, "-1", "-1", "WITHSCORES"}, {"PTTL", key}, {"PEXPIRE", key, plan.args[3]}});
    return commands;
  }
  if (plan.args[0] == "string")
    commands = {{"STRLEN", key}, {"GET", key}};
  if (plan.args[0] == "string" && plan.args.size() > 5)
    commands.push_back({"TIME"});
  else if (plan.args[0] == "hash")
    commands = {{"HGET", key, plan.args[1]}};
  const bool isFenced = plan.args.size() > 8 && plan.args[0] == "hash" && !plan.args[8].empty();
  for (const auto &one : std::span(plan.keys).first(plan.keys.size() - isFenced))
    commands.push_back({"PEXPIRE", one, plan.args[3]});
  if (isFenced)
    commands.push_back({"GETRANGE", plan.keys.back(), "0", "31"});
  if (has(plan.effects, Effect::Kind::Publishes))
    commands.push_back({"PUBLISH", plan.args[6], "0"});
  return commands;
}

struct Needs {
  std::string_view script;
  Commands (*of)(const ReleasePlan &);
};
constexpr std::array needs{
    Needs{release_scripts::releaseToken.name, ofToken},
    Needs{release_scripts::releaseTold.name, ofTold},
    Needs{release_scripts::releasePush.name, ofPush},
    Needs{release_scripts::wakeList.name, ofWaking},
    Needs{release_scripts::releaseOwner.name, ofKeys},
    Needs{release_scripts::releaseKeys.name, ofKeys},
    Needs{release_scripts::releaseMember.name, ofMember},
    Needs{release_scripts::releaseUniqueJob.name, ofUniqueJob},
    Needs{release_scripts::releaseRedissonPermit.name, ofPermit},
    Needs{release_scripts::releaseNumberedPermits.name, ofPermits},
    Needs{release_scripts::releaseWeighed.name, ofWeighed},
    Needs{release_scripts::releaseRedissonLock.name, ofRedissonLock},
    Needs{release_scripts::releaseRedissonFair.name, ofRedissonFair},
    Needs{release_scripts::releaseRedissonRw.name, ofRedissonRw},
    Needs{release_scripts::releaseHandoff.name, rightsOfHandoff},
    Needs{release_scripts::releaseQueueLock.name, rightsOfQueueLock},
    Needs{release_scripts::releaseLockhouseRw.name, rightsOfShared},
    Needs{release_scripts::releaseLeasedPermits.name, rightsOfShared},
    Needs{release_scripts::shortenLease.name, ofShorter},
};

// Of those without a row, nothing would be asked before they are sent.
constexpr std::array writesNothing{&release_scripts::checkRights, &release_scripts::countLeasedPermits, &release_scripts::countPermits,
                                   &release_scripts::lookFairQueue, &release_scripts::sha1OfToken};
static_assert(std::ranges::all_of(release_scripts::all,
                                  [](const Script *script) {
                                    const bool isSent = std::ranges::find(needs, script->name, &Needs::script) != needs.end();
                                    return isSent != (std::ranges::find(writesNothing, script) != writesNothing.end());
                                  }),
              "a script that releases needs a row in `needs`");

// Where clients of 2016 wait for a lock of Redisson's, if some do.
std::string_view oldChannelOf(const ReleasePlan &plan) {
  struct Place {
    std::string_view script;
    std::size_t at;
  };
  constexpr std::array places{Place{release_scripts::releaseRedissonLock.name, 5}, Place{release_scripts::releaseRedissonRw.name, 5},
                              Place{release_scripts::shortenLease.name, 9}};
  const auto *place = plan.script ? std::ranges::find(places, plan.script->name, &Place::script) : places.end();
  const bool isOfOthers = runs(plan, release_scripts::shortenLease) && plan.args[0] != "hash"; // members stand there
  return place != places.end() && !isOfOthers && place->at < plan.args.size() ? std::string_view(plan.args[place->at]) : std::string_view{};
}

} // namespace

std::vector<Command> requiredAclOf(const ReleasePlan &plan) {
  return plan.script ? std::ranges::find(needs, plan.script->name, &Needs::script)->of(plan) : Commands();
}

std::string shortly(const Command &command) {
  return command.size() < 2 ? std::string(command.name()) : fmt::format("{} {}", command.name(), safeText(command[1], 120));
}

std::vector<Command> optionalAclOf(const ReleasePlan &plan) {
  Commands commands;
  if (runs(plan, release_scripts::releaseTold) && plan.args[3] == "may")
    for (std::size_t i = 7; i < plan.args.size(); ++i)
      commands.push_back({"PUBLISH", plan.args[i], plan.args[2]});
  const auto waiters = whoListens(plan);
  if (!waiters.empty()) {
    commands.push_back({"ZPOPMAX", waiters, "1"});
    addInboxes(plan, commands);
  }
  for (const auto &list : listsItMayHave(plan)) {
    if (list == waiters)
      continue;
    commands.push_back({"LPUSH", list, plan.args[4]});
    commands.push_back({"PEXPIRE", list, plan.args[5]});
  }
  const auto isShardedToo = [](const Effect &effect) { return effect.kind == Effect::Kind::Publishes && effect.isSharded; };
  if (plan.isOfCluster && std::ranges::any_of(plan.effects, isShardedToo))
    for (const auto &command : requiredAclOf(plan))
      if (command.name() == "PUBLISH")
        commands.push_back({"SPUBLISH", command[1], command[2]});
  if (const auto old = oldChannelOf(plan); !old.empty())
    commands.push_back({"PUBLISH", std::string(old), "0"});
  for (const auto &part : plan.parts)
    if (onlyMayWake(part) && part.lock.node == plan.lock.node)
      std::ranges::move(ofWaking(part), std::back_inserter(commands));
  return commands;
}

} // namespace lockhouse
