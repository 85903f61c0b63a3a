// SPDX-License-Identifier: Apache-2.0
#include "core/release/check/dry_run.h"

#include "core/base/lockhouse_names.h"
#include "core/base/safe_text.h"
#include "core/release/check/required_acl.h"
#include "core/release/plan/remove_member.h"
#include "core/release/scripts.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace lockhouse {
namespace {

constexpr auto noAnswer =
    LH_MESSAGE("PlanWords", "the node did not answer in time whether it would do this: it may take no writes now, as in a failover; plan again when it does");
constexpr auto unsharded =
    LH_MESSAGE("PlanWords",
               "this user may not SPUBLISH: whoever waits as a client of the cluster would not be told, and goes on no sooner than the lease would have ended");
constexpr std::string_view noScript = "0000000000000000000000000000000000000000";

bool isUnservedNow(const Reply &answer) {
  const auto word = answer.failureWord();
  return word == "ASK" || word == "TRYAGAIN" || word == "MOVED";
}

// Without those that it does not need.
Command onKeysOf(const ReleasePlan &plan, std::string_view name, std::string_view script) {
  Command command{name, script};
  const auto needed = std::span(plan.keys).first(plan.keys.size() - listsItMayHave(plan).size());
  command.arg(static_cast<std::int64_t>(needed.size()));
  for (const auto &key : needed)
    command.arg(key);
  return command;
}

// Of the inbox of one who waits for a word: nobody is told then, and those who wait stay written down.
void leaveUnpublished(ReleasePlan &plan, const std::string &channel) {
  const auto waiters = whoListens(plan);
  const auto isOf = [&channel](const std::string &waiter) { return own::inboxOf(waiter) == channel; };
  if (!waiters.empty() && std::ranges::any_of(plan.wakes, isOf))
    return leaveUnpushed(plan, waiters);
  const bool isTold = runs(plan, release_scripts::releaseTold);
  const auto shown = safeText(channel, 120);
  for (auto &effect : plan.effects)
    if (const auto arguments = effect.text.arguments();
        effect.kind == Effect::Kind::Publishes && std::ranges::find(arguments, Argument(shown)) != arguments.end())
      effect = {Effect::Kind::Leaves,
                isTold
                    ? LH_MESSAGE("PlanWords", "publishes nothing on %1: this user may not, and it only may be that somebody listens there")(shown)
                    : LH_MESSAGE("PlanWords",
                                 "publishes nothing on %1: this user may not, and who listens there goes on no sooner than the lease would have ended")(shown)};
}

} // namespace

Command dryRunOf(const ReleasePlan &plan) { return onKeysOf(plan, "EVALSHA", noScript); }

Command wholeDryRunOf(const ReleasePlan &plan) { return onKeysOf(plan, "EVAL", "return 0"); }

std::optional<Message> refusalIn(const Result<Reply> &answer) {
  if (!answer || !answer->isFailure())
    return std::nullopt;
  if (isUnservedNow(*answer))
    return LH_MESSAGE(
        "PlanWords", "the cluster is moving the slot of these keys, so this would be refused: plan it again when it has moved, on the master that has it then");
  if (answer->failureWord() != "NOPERM")
    return std::nullopt;
  return LH_MESSAGE("PlanWords", "this user may not run scripts (EVAL and EVALSHA) on these keys, so this would be refused");
}

// By EVAL: an EVALSHA that the server does not know is followed by one only after what was sent behind it, a transaction.
Command rightsCheckOf(std::span<const ReleasePlan *const> plans) {
  Command check{"EVAL", release_scripts::checkRights.body, "0"};
  const auto askFor = [&check](const std::vector<Command> &commands) {
    for (const auto &command : commands) {
      check.arg(static_cast<std::int64_t>(command.size()));
      for (std::size_t word = 0; word < command.size(); ++word)
        check.arg(command[word]);
    }
  };
  for (const auto *plan : plans) {
    askFor(requiredAclOf(*plan));
    askFor(optionalAclOf(*plan));
  }
  return check;
}

Command knownCheckOf(const ReleasePlan &plan) { return {"SCRIPT", "EXISTS", plan.script->sha1}; }

bool saysUnknown(const Result<Reply> &answer) { return answer && answer->array().size() == 1 && answer->array().front().integer() == 0; }

std::vector<MissingRights> missingIn(const Result<Reply> &answer, std::span<const ReleasePlan *const> plans) {
  const auto refusal = refusalIn(answer);
  std::set<std::int64_t> refused;
  for (const auto &number : answer ? answer->array() : Reply::Array())
    refused.insert(number.integer().value_or(0));
  std::vector<MissingRights> missing;
  std::int64_t number = 0;
  for (const auto *plan : plans) {
    std::vector<std::string> commands;
    for (const auto &command : requiredAclOf(*plan))
      if (refused.contains(++number) || refusal)
        commands.push_back(shortly(command));
    auto &[isUnanswered, isUnasked, isUnknown, isUnsharded, words, untold, unwoken] = missing.emplace_back();
    isUnanswered = !answer;
    isUnasked = refusal.has_value();
    for (const auto &command : optionalAclOf(*plan))
      if (refused.contains(++number)) {
        isUnsharded |= command.name() == "SPUBLISH";
        if (command.name() != "SPUBLISH")
          (command.name() == "PUBLISH" ? untold : unwoken).emplace_back(command[1]);
      }
    if (refusal)
      words = {LH_MESSAGE("PlanWords", "whether it may do the rest cannot be asked without EVAL: %1")(fmt::format("{}", fmt::join(commands, ", ")))};
    else if (!commands.empty())
      words = {LH_MESSAGE("PlanWords", "this user lacks rights, so this would be refused: %1")(fmt::format("{}", fmt::join(commands, ", ")))};
  }
  return missing;
}

void addMissing(ReleasePlan &plan, MissingRights missing, const Result<Reply> &dryRunReply) {
  auto &words = missing.words;
  if (missing.isUnanswered)
    words.insert(words.begin(), noAnswer);
  auto refusal = refusalIn(dryRunReply);
  if (missing.isUnasked && missing.isUnknown && !refusal)
    refusal = LH_MESSAGE("PlanWords", "this user may not run EVAL, and the server does not know the script yet, so this would be refused");
  const bool isOfEvalAlone = missing.isUnasked && !refusal;
  if (isOfEvalAlone)
    words.insert(words.begin(),
                 LH_MESSAGE("PlanWords", "this user may not run EVAL: this is done only if the server knows the script already (EVALSHA), and refused else"));
  else if (refusal)
    words.insert(words.begin(), std::move(*refusal));
  if (!words.empty() && !isOfEvalAlone)
    plan.refusal = words.front();
  if (dryRunReply && isUnservedNow(*dryRunReply))
    plan.heldBack = Verdict::Unreachable;
  for (const auto &channel : missing.untold)
    leaveUnpublished(plan, channel);
  for (const auto &list : missing.unwoken)
    leaveUnpushed(plan, list);
  if (missing.isUnsharded)
    words.emplace_back(unsharded);
  plan.warnings.insert(plan.warnings.begin(), words.begin(), words.end());
}

bool isUnanswered(const ReleasePlan &plan) { return plan.refusal && plan.refusal->is(noAnswer); }

bool isRefusedWithLists(const ReleasePlan &plan, const Result<Reply> &answer) {
  return !listsItMayHave(plan).empty() && answer && answer->failureWord() == "NOPERM";
}

Command dryRunOf(const std::string &list) { return {"EVALSHA", noScript, "1", list}; }

} // namespace lockhouse
