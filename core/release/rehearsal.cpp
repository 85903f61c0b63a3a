// SPDX-License-Identifier: Apache-2.0
#include "core/release/rehearsal.h"

#include "core/base/safe_text.h"
#include "core/release/needed_rights.h"
#include "core/release/scripts.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockhouse {
namespace {

Command onKeysOf(const ReleasePlan &plan, std::string_view name, std::string_view script) {
  Command command{name, script};
  command.arg(static_cast<std::int64_t>(plan.keys.size()));
  for (const auto &key : plan.keys)
    command.arg(key);
  return command;
}

std::string shortly(const Command &command) {
  return command.size() < 2 ? std::string(command.name()) : fmt::format("{} {}", command.name(), safeText(command[1], 120));
}

} // namespace

Command rehearsalOf(const ReleasePlan &plan) { return onKeysOf(plan, "EVALSHA", "0000000000000000000000000000000000000000"); }

Command wholeRehearsalOf(const ReleasePlan &plan) { return onKeysOf(plan, "EVAL", "return 0"); }

std::optional<std::string> refusalIn(const Result<Reply> &answer) {
  if (!answer || !answer->isFailure() || answer->failureWord() != "NOPERM")
    return std::nullopt;
  return "this user may not run scripts (EVAL and EVALSHA) on these keys, so this would be refused";
}

// By EVAL: an EVALSHA that the server does not know is followed by one only after what was sent behind it, a transaction.
Command rightsCheckOf(const ReleasePlan &plan) {
  Command check{"EVAL", release_scripts::checkRights.body, "0"};
  for (const auto &command : neededBy(plan)) {
    check.arg(static_cast<std::int64_t>(command.size()));
    for (std::size_t word = 0; word < command.size(); ++word)
      check.arg(command[word]);
  }
  return check;
}

std::vector<std::string> missingIn(const Result<Reply> &answer, const ReleasePlan &plan) {
  const auto needed = neededBy(plan);
  std::vector<std::string> commands;
  if (auto risk = refusalIn(answer)) {
    for (const auto &command : needed)
      commands.push_back(shortly(command));
    return {std::move(*risk), fmt::format("whether it may do the rest cannot be asked without EVAL: {}", fmt::join(commands, ", "))};
  }
  if (!answer)
    return {};
  for (const auto &number : answer->array())
    if (const auto i = number.integer().value_or(0); i > 0 && static_cast<std::size_t>(i) <= needed.size())
      commands.push_back(shortly(needed[static_cast<std::size_t>(i) - 1]));
  if (commands.empty())
    return {};
  return {fmt::format("this user lacks rights, so this would be refused: {}", fmt::join(commands, ", "))};
}

void addMissing(ReleasePlan &plan, std::vector<std::string> missing, const Result<Reply> &rehearsed) {
  if (auto refusal = refusalIn(rehearsed); refusal && std::ranges::find(missing, *refusal) == missing.end())
    missing.insert(missing.begin(), std::move(*refusal));
  plan.risks.insert(plan.risks.begin(), missing.begin(), missing.end());
}

} // namespace lockhouse
