// SPDX-License-Identifier: Apache-2.0
#include "core/client/operator_audit.h"

#include "core/release/lock_json.h"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pwd.h>
#include <unistd.h>

namespace lockhouse {
namespace {

std::string whoWeAre() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::array<char, 4096> space{};
  passwd entry{};
  passwd *found = nullptr;
  getpwuid_r(geteuid(), &entry, space.data(), space.size(), &found);
  return fmt::format("{}@{}, pid {}", found != nullptr ? std::string(found->pw_name) : std::to_string(geteuid()), host.data(), getpid());
}

} // namespace

AuditRecord intentRecord(const ReleasePlan &plan, const LockRecord &record, const std::string &reason) {
  AuditRecord audit;
  audit.at = wallNow();
  static const std::string who = whoWeAre(); // looking it up takes longer than a release
  audit.who = who;
  audit.node = plan.lock.node.bytes();
  audit.db = plan.lock.db;
  audit.key = plan.lock.key.bytes();
  audit.family = plan.family;
  audit.holder = plan.expectHolder;
  audit.count = plan.expectCount;
  audit.action = plan.script->name == "shorten-lease" ? "shorten" : "release";
  audit.reason = reason;
  audit.script = fmt::format("{} {}", plan.script->name, plan.script->sha1);
  audit.before = lockJson(record, SteadyClock::now()).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  audit.verdict = "intent";
  return audit;
}

AuditRecord outcomeRecord(AuditRecord intent, const ReleaseAnswer &answer) {
  intent.at = wallNow();
  intent.subject = intent.id;
  intent.before.clear();
  intent.verdict = answer.inDoubt ? std::string("in-doubt") : std::string(name(answer.verdict));
  return intent;
}

} // namespace lockhouse
