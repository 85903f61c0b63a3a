// SPDX-License-Identifier: Apache-2.0
#include "core/release/rehearsal.h"

namespace lockhouse {
namespace {

Command onKeysOf(const ReleasePlan &plan, std::string_view name, std::string_view script) {
  Command command{name, script};
  command.arg(static_cast<std::int64_t>(plan.keys.size()));
  for (const auto &key : plan.keys)
    command.arg(key);
  return command;
}

} // namespace

Command rehearsalOf(const ReleasePlan &plan) { return onKeysOf(plan, "EVALSHA", "0000000000000000000000000000000000000000"); }

Command wholeRehearsalOf(const ReleasePlan &plan) { return onKeysOf(plan, "EVAL", "return 0"); }

std::optional<std::string> refusalIn(const Result<Reply> &answer) {
  if (!answer || !answer->isFailure() || answer->failureWord() != "NOPERM")
    return std::nullopt;
  return "this user may not run scripts (EVAL and EVALSHA) on these keys, so this would be refused";
}

} // namespace lockhouse
