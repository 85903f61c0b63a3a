// SPDX-License-Identifier: Apache-2.0
#include "core/release/method/holder_probe.h"

#include "core/base/ascii.h"
#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/release/plan/hold_selection.h"
#include "core/release/scripts.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

namespace lockhouse {
namespace {

// A number of the semaphore's, or a job that may come again: the time that stands there tells one hold from the next.
bool isNamedAgain(const ReleasePlan &plan) {
  return (plan.family == "gem-redis-semaphore" && runs(plan, release_scripts::releaseMember)) || runs(plan, release_scripts::releaseUniqueJob);
}

// Of a job's hold the ninth version of its library writes an object, with the time in it. Nothing: what stands there is no time to be given by hand.
std::optional<std::string> timeIn(std::string_view text) {
  constexpr std::size_t longestTime = 32;
  std::string time(text);
  if (text.starts_with('{')) {
    const auto job = nlohmann::json::parse(text, nullptr, false);
    const auto at = job.is_object() ? job.find("time") : job.end();
    time = job.is_object() && at != job.end() && at->is_number() ? at->dump() : std::string();
  }
  const bool isTime = !time.empty() && time.size() <= longestTime && time.find_first_not_of("0123456789.") == time.npos;
  return isTime ? std::optional(std::move(time)) : std::nullopt;
}

// Which argument tells the length of a token that was not read whole, and is to tell its SHA-1; nothing: this script compares none such.
std::optional<std::size_t> restOfToken(const ReleasePlan &plan) {
  const bool isShorter = runs(plan, release_scripts::shortenLease) && plan.args[0] == "string";
  const bool isToken = runs(plan, release_scripts::releaseToken) || runs(plan, release_scripts::releaseTold) || runs(plan, release_scripts::releasePush) ||
                       runs(plan, release_scripts::releaseOwner);
  const std::size_t at = isShorter ? 2 : 1;
  return (isShorter || isToken) && !plan.args[at].empty() ? std::optional(at) : std::nullopt;
}

bool isRead(const LockRecord &lock, const std::string &holder) { return std::ranges::find(lock.holders, holder, &Holder::id) != lock.holders.end(); }

// Which script counts what one holder has of a semaphore, where some of it may be read and some not; null: he has one entry.
const Script *countingOf(const ReleasePlan &plan) {
  if (runs(plan, release_scripts::releaseNumberedPermits))
    return &release_scripts::countPermits;
  const bool isLeased =
      runs(plan, release_scripts::releaseLeasedPermits) || (plan.family == "lockhouse-semaphore" && runs(plan, release_scripts::shortenLease));
  return isLeased ? &release_scripts::countLeasedPermits : nullptr;
}

// As it is shown: 0 is no number.
std::int64_t depthIn(std::string_view text) {
  const auto number = numberIn(text);
  return std::in_range<std::int64_t>(number) ? static_cast<std::int64_t>(number) : 0;
}

// Nothing: he is not there.
std::optional<std::int64_t> countIn(const Reply &answer, const ReleasePlan &plan, const LockRecord &lock) {
  const auto atLeastOne = [](std::int64_t count) { return count > 0 ? std::optional(count) : std::nullopt; };
  if (answer.integer())
    return atLeastOne(*answer.integer());
  const auto text = answer.text();
  if (!text)
    return std::nullopt;
  if (runs(plan, release_scripts::releaseRedissonRw) || runs(plan, release_scripts::releaseWeighed) || lock.family == "handmade-count")
    return depthIn(*text);
  const bool isOthers = runs(plan, release_scripts::releaseMember) && !plan.args[2].empty() && *text != plan.args[2];
  return isOthers ? std::nullopt : std::optional<std::int64_t>(1);
}

} // namespace

std::optional<Command> holderProbeOf(const ReleasePlan &plan, const LockRecord &lock) {
  if (isNamedAgain(plan))
    return Command{"HGET", plan.keys[0], plan.expectHolder};
  if (const auto rest = restOfToken(plan))
    return Command{"EVAL", release_scripts::sha1OfToken.body, "1", plan.keys[0], plan.expectHolder, plan.args[*rest]};
  if (const auto *counting = lock.unread > 0 ? countingOf(plan) : nullptr)
    return Command{"EVAL", counting->body, "1", plan.keys[0], plan.expectHolder};
  if (lock.unread == 0 || isRead(lock, plan.expectHolder))
    return std::nullopt;
  const auto &[keys, args] = std::tie(plan.keys, plan.args);
  if (runs(plan, release_scripts::releaseMember) && args[0] == "hash")
    return Command{"HGET", keys[0], args[1]};
  if (runs(plan, release_scripts::releaseMember) && args[0] == "set")
    return Command{"SISMEMBER", keys[0], args[1]};
  if ((runs(plan, release_scripts::releaseMember) && args[0] == "zset") || (runs(plan, release_scripts::shortenLease) && !args[4].empty()))
    return Command{"ZSCORE", keys[0], args[1]};
  if (runs(plan, release_scripts::releaseUniqueJob) || runs(plan, release_scripts::releaseRedissonRw))
    return Command{"HGET", keys[0], args[0]};
  if (runs(plan, release_scripts::releaseRedissonPermit) || runs(plan, release_scripts::releaseWeighed))
    return Command{"ZSCORE", keys[1], args[0]};
  if (runs(plan, release_scripts::releaseLockhouseRw))
    return Command{"ZSCORE", keys[0], args[0]};
  return std::nullopt;
}

std::optional<LockRecord> withHolderProbe(const Result<Reply> &answer, const ReleasePlan &plan, const LockRecord &lock) {
  if (!answer || answer->isFailure())
    return std::nullopt;
  auto whole = lock;
  const auto count = countIn(*answer, plan, lock);
  const auto read = std::ranges::find(whole.holders, plan.expectHolder, &Holder::id);
  if (!count && read != whole.holders.end()) {
    whole.holders.erase(read);
  } else if (count && read == whole.holders.end()) {
    whole.holders.push_back({plan.expectHolder, *count, modeOfUnread(lock, plan.expectHolder)});
    whole.unread -= std::min<std::uint64_t>(whole.unread, 1);
  } else if (count && countingOf(plan)) {
    whole.unread -= std::min(whole.unread, static_cast<std::uint64_t>(std::max<std::int64_t>(0, *count - read->count)));
    read->count = *count;
  }
  return whole;
}

namespace {

// The one effect that names the digest's registries, without one of them.
void promiseNothingOf(ReleasePlan &plan, const std::string &left) {
  const auto registries = registriesOf(plan);
  auto &text = std::ranges::find(plan.effects, Effect::Kind::Clears, &Effect::kind)->text;
  const auto isNamed = [&](const std::string &registry) {
    return std::ranges::find(text.arguments(), Argument(safeText(registry, 80))) != text.arguments().end();
  };
  const auto other = std::ranges::find_if(registries, [&](const std::string &registry) { return registry != left && isNamed(registry); });
  if (registries.size() == 1)
    text = LH_MESSAGE("PlanWords", "clears nothing in %1")(safeText(left, 80));
  else if (other == registries.end())
    text = LH_MESSAGE("PlanWords", "clears the digest's marker, :PRIMED and :INFO");
  else
    text = LH_MESSAGE("PlanWords", "clears the digest's marker, :PRIMED, :INFO and its entry in %1")(safeText(*other, 80));
}

} // namespace

std::vector<std::string> registriesOf(const ReleasePlan &plan) {
  std::vector<std::string> registries;
  if (!runs(plan, release_scripts::releaseUniqueJob) || !has(plan.effects, Effect::Kind::Clears))
    return registries;
  for (std::size_t type = 4; type < plan.args.size(); ++type)
    if (plan.args[type] == "zset")
      registries.push_back(plan.keys[plan.keys.size() - plan.args.size() + type]);
  return registries;
}

void addRegistryRisk(ReleasePlan &plan, const std::string &registry, const Result<Reply> &type) {
  const auto word = type && !type->isFailure() ? type->text().value_or("none") : std::string_view("none");
  if (word == "none" || word == "zset")
    return;
  plan.warnings.push_back(LH_MESSAGE("PlanWords", "%1 beside it holds something else and is left")(safeText(registry, 120)));
  promiseNothingOf(plan, registry);
}

void expectSeen(ReleasePlan &plan, const Result<Reply> &answer) {
  if (const auto rest = restOfToken(plan); rest && answer && answer->text())
    plan.args[*rest].append(" ").append(*answer->text());
  const auto since = answer && isNamedAgain(plan) ? answer->text() : std::nullopt;
  if (!since)
    return;
  plan.expectTime = timeIn(*since);
  if (runs(plan, release_scripts::releaseUniqueJob)) {
    plan.args[3] = *since;
    return;
  }
  plan.args[7] = plan.expectHolder;
  plan.args[8] = *since;
}

} // namespace lockhouse
