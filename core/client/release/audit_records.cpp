// SPDX-License-Identifier: Apache-2.0
#include "core/client/release/audit_records.h"

#include "core/base/encoding.h"
#include "core/base/safe_text.h"
#include "core/watch/query/lock_json.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <pwd.h>
#include <set>
#include <unistd.h>

namespace lockhouse {
namespace {

using Json = nlohmann::ordered_json;

std::string whoWeAre() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::array<char, 4096> space{};
  passwd entry{};
  passwd *found = nullptr;
  getpwuid_r(geteuid(), &entry, space.data(), space.size(), &found);
  return fmt::format("{}@{}, pid {}", found != nullptr ? std::string(found->pw_name) : std::to_string(geteuid()), host.data(), getpid());
}

AuditRecord begun(const std::string &reason) {
  static const std::string who = whoWeAre(); // looking it up takes longer than a release
  AuditRecord audit;
  audit.at = wallNow();
  audit.who = who;
  audit.reason = reason;
  audit.verdict = "intent";
  return audit;
}

std::string_view actionOf(const ReleasePlan &plan) { return isShortening(plan) ? "shorten" : "release"; }

std::string scriptOf(const Script &script) { return fmt::format("{} {}", script.name, script.sha1); }

// Each of its parts has one too.
void addScripts(std::string &words, const ReleasePlan &plan, std::set<const Script *> &said) {
  if (said.insert(plan.script).second)
    words += (words.empty() ? "" : ", ") + scriptOf(*plan.script);
  for (const auto &part : plan.parts)
    addScripts(words, part, said);
}

std::string textOf(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Letters that JSON writes as they are.
bool isPlain(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

// "key":"order:7", and "key_b64" besides where that is no text.
void putText(std::string &line, std::string_view field, std::string_view bytes) {
  if (isPlain(bytes)) {
    ((((line += '"') += field) += "\":\"") += bytes) += "\",";
    return;
  }
  const bool isText = isUtf8(bytes);
  fmt::format_to(std::back_inserter(line), R"("{}":{},)", field, textOf(Json(isText ? std::string(bytes) : safeText(bytes))));
  if (!isText)
    fmt::format_to(std::back_inserter(line), R"("{}_b64":"{}",)", field, base64(bytes));
}

std::string_view outcomeOf(const ReleaseResult &result) { return result.inDoubt ? std::string_view("in-doubt") : name(*result.verdict); }

// What was compared, and of an outcome what came of it and of most, in few words: there may be a thousand in a record. By hand: a document of
// each takes longer than its release.
void putHold(std::string &list, const ReleaseResult &result, std::string_view most = {}) {
  list += list.size() == 1 ? "{" : ",{";
  putText(list, "key", result.lock.key.bytes());
  putText(list, "node", result.lock.node.bytes());
  putText(list, "holder", result.plan->expectHolder);
  fmt::format_to(std::back_inserter(list), R"("db":{},"count":{},"family":"{}")", result.lock.db, result.plan->expectCount, result.plan->family);
  if (!most.empty())
    fmt::format_to(std::back_inserter(list), R"(,"verdict":"{}","most":"{}")", outcomeOf(result), most);
  list += '}';
}

template <class Of> std::string common(std::span<const ReleaseResult *const> results, Of of) {
  const auto first = of(*results.front());
  return std::ranges::all_of(results, [&](const ReleaseResult *result) { return of(*result) == first; }) ? std::string(first) : std::string();
}

} // namespace

AuditRecord intentOfMany(std::span<const ReleaseResult *const> results, const std::string &reason) {
  auto audit = begun(reason);
  audit.node = common(results, [](const ReleaseResult &result) -> std::string_view { return result.lock.node.bytes(); });
  audit.family = common(results, [](const ReleaseResult &result) -> std::string_view { return result.plan->family; });
  audit.holder = common(results, [](const ReleaseResult &result) -> std::string_view { return result.plan->expectHolder; });
  audit.db = results.front()->lock.db;
  audit.count = std::ssize(results);
  audit.action = fmt::format("{}-many", actionOf(*results.front()->plan));
  std::set<const Script *> scripts;
  audit.before = "[";
  for (const auto *result : results) {
    addScripts(audit.script, *result->plan, scripts);
    putHold(audit.before, *result);
  }
  audit.before += ']';
  return audit;
}

AuditRecord outcomeOfMany(AuditRecord intent, std::span<const ReleaseResult *const> results) {
  intent.at = wallNow();
  intent.subject = intent.id;
  std::map<std::string_view, std::size_t> verdicts;
  for (const auto *result : results)
    ++verdicts[outcomeOf(*result)];
  const auto usual = std::ranges::max_element(verdicts, {}, [](const auto &entry) { return entry.second; })->first;
  intent.verdict = verdicts.size() > 1 ? "mixed" : std::string(usual);
  intent.before = "[";
  for (const auto *result : results)
    if (outcomeOf(*result) != usual)
      putHold(intent.before, *result, usual);
  intent.before += ']';
  return intent;
}

AuditRecord intentRecord(const ReleasePlan &plan, const LockRecord &record, const std::string &reason) {
  auto audit = begun(reason);
  audit.node = plan.lock.node.bytes();
  audit.db = plan.lock.db;
  audit.key = plan.lock.key.bytes();
  audit.family = plan.family;
  audit.holder = plan.expectHolder;
  audit.count = plan.expectCount;
  audit.action = actionOf(plan);
  std::set<const Script *> scripts;
  addScripts(audit.script, plan, scripts);
  audit.before = textOf(lockJson(record, SteadyClock::now()));
  return audit;
}

AuditRecord outcomeRecord(AuditRecord intent, const ScriptResult &answer) {
  intent.at = wallNow();
  intent.subject = intent.id;
  intent.before.clear();
  intent.verdict = answer.inDoubt ? std::string("in-doubt") : std::string(name(answer.verdict));
  return intent;
}

void tellUnrecorded(ReleaseResult &result, Message &detail, const Error &why) {
  result.unrecorded = why.message();
  detail = Message::joined({detail, LH_MESSAGE("PlanWords", "the outcome could not be recorded: %1")(result.unrecorded)});
}

} // namespace lockhouse
