// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/release_text.h"

#include "app/ctl/text/lock_text.h"
#include "core/base/safe_text.h"
#include "core/release/plan/hold_selection.h"
#include "core/watch/fleet/replica_merge.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockhouse::ctl {
namespace {

bool isCounted(const ReleaseResult &result) { return result.now && (result.now->kind != LockKind::Mutex || result.plan->expectCount != 1); }

// --apply compares with what it reads itself.
std::string_view comparedWords(const ReleaseResult &result) {
  if (result.plan->isRepeatable)
    return "another holder is refused, the same again is not";
  return result.plan->expectTime || result.plan->mayRepeat || fenceSeen(result) || isCounted(result) ? "another holder is refused" : "anything else is refused";
}

std::string planText(const ReleaseResult &result) {
  const auto &plan = *result.plan;
  std::string text = fmt::format("  script   {}\n", plan.script->name);
  for (const auto &key : plan.keys)
    text += fmt::format("  key      {}\n", keyWords(key));
  text += fmt::format("  expects  {}, count {}; {}\n", keyWords(plan.expectHolder), plan.expectCount, comparedWords(result));
  for (const auto &effect : plan.effects)
    text += fmt::format("  then     {}\n", effect.text.english());
  for (const auto &part : plan.parts)
    text += fmt::format("  besides  {} on {} db {}: {}\n", part.script->name, safeText(part.lock.node.bytes()), part.lock.db, keyWords(part.keys.front()));
  if (plan.next)
    text += fmt::format("  next     {}{}\n", keyWords(*plan.next), plan.isNextUnheard ? ", for whom nobody was seen to listen" : "");
  for (const auto &risk : plan.warnings)
    text += fmt::format("  risk     {}\n", risk.english());
  return text;
}

// By which --apply, which reads it afresh, tells the hold that was seen here from a later one.
std::string tellingText(const ReleaseResult &result, bool isOfThisMaster) {
  std::string text;
  const auto node = isOfThisMaster ? fmt::format("and --node {} ", safeText(result.lock.node.bytes())) : std::string();
  const auto tell = [&](std::string_view name, const std::string &value, std::string_view by = "acquired it again") {
    text += fmt::format("  {0:<8} {1}; give --{0} {1} {3}with --apply, and who has {2} by then keeps it\n", name, value, by, node);
  };
  if (const auto type = result.now ? name(result.now->type) : std::string_view(); !type.empty())
    tell("type", std::string(type), "a lock of another type");
  if (isCounted(result))
    tell("count", std::to_string(result.plan->expectCount), "another count");
  if (const auto fence = fenceSeen(result))
    tell("fence", std::to_string(fence->value));
  if (result.plan->expectTime)
    tell("time", *result.plan->expectTime, result.plan->family == "mlanett-redis-lock" ? "extended or acquired it again" : "acquired it again");
  return text;
}

// The first few keys, and what can be done with them.
std::string doubtfulWords(std::span<const LockRecordPtr> doubtful) {
  constexpr std::size_t mostNamed = 8;
  std::vector<std::string> keys;
  for (const auto &lock : doubtful.first(std::min(mostNamed, doubtful.size())))
    keys.push_back(keyWords(lock->id.key.bytes(), 80));
  return fmt::format("{}{}; where you know that it is one, give {} with --all", fmt::join(keys, ", "), doubtful.size() > mostNamed ? ", …" : "",
                     doubtful.size() == 1 ? "that KEY" : "each KEY of it");
}

} // namespace

std::string whatWhere(const ReleaseResult &result) {
  return fmt::format("{} on {} db {}", keyWords(result.lock.key.bytes(), 80), safeText(result.lock.node.bytes()), result.lock.db);
}

std::string unrecordedWords(std::span<const ReleaseResult> results) {
  const auto isUnrecorded = [](const ReleaseResult &result) { return !result.unrecorded.empty(); };
  const auto first = std::ranges::find_if(results, isUnrecorded);
  if (first == results.end())
    return {};
  const auto many = std::ranges::count_if(results, isUnrecorded);
  return fmt::format("what came of {}{} could not be recorded: {}", whatWhere(*first), many == 1 ? "" : fmt::format(" and {} more", many - 1),
                     first->unrecorded.english());
}

bool isRefused(const ReleaseResult &result) { return result.verdict && !isAsAsked(result.verdict); }

std::string resultsText(std::span<const ReleaseResult> results) {
  const auto hasOwnFence = [&](const ReleaseResult &result) { return fenceSeen(result) != fenceSeen(results.front()); };
  const bool areFencedApart = std::ranges::any_of(results, hasOwnFence); // each master counts for itself
  std::string text;
  for (const auto &result : results) {
    if (results.size() == 1 && isRefused(result))
      continue;
    if (result.plan && !result.verdict)
      text += fmt::format("{}: nothing has been changed; this is what --apply would do.\n{}", whatWhere(result), planText(result)) +
              tellingText(result, areFencedApart);
    else
      text += fmt::format("{}: {}\n", whatWhere(result), result.detail.english());
    if (!result.auditId.empty())
      text += fmt::format("  audit    {}\n", result.auditId);
  }
  return text;
}

std::string doubtfulLeft(const Arguments &arguments, std::span<const LockRecordPtr> doubtful) {
  return doubtful.empty() ? std::string()
                          : fmt::format("{} has what looks like data, not like a lock, too, which stays as it is: {}", keyWords(*arguments.holder, 80),
                                        doubtfulWords(doubtful));
}

std::string nothingMeant(const Arguments &arguments, const LockSnapshot &snapshot, bool isAllRead, std::span<const LockRecordPtr> doubtful) {
  if (!doubtful.empty())
    return fmt::format("{} has only what looks like data, not like a lock, as {}", keyWords(*arguments.holder, 80), doubtfulWords(doubtful));
  const bool isWhole = std::ranges::all_of(snapshot.nodes, [](const NodeStatus &node) { return node.scanComplete || node.twin; });
  const auto replica = std::ranges::find_if(snapshot.nodes, [&](const NodeStatus &node) { return node.role == "replica" && !masterOf(node, snapshot.nodes); });
  const auto copied = replica == snapshot.nodes.end()
                          ? std::string()
                          : fmt::format(", of which {} is a replica: its master may have it, look there", safeText(replica->address));
  const auto where = fmt::format("{}on {}{}", isAllRead ? "" : "of what was read ", isWhole ? "these nodes" : "the nodes that could be looked at", copied);
  if (arguments.filter)
    return fmt::format("the filter lets no hold through {}; lockhousectl list --filter shows what it means", where);
  return fmt::format("{} holds nothing {}; lockhousectl list shows who holds what", keyWords(*arguments.holder, 80), where);
}

} // namespace lockhouse::ctl
