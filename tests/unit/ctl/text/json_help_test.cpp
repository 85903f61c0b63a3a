// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/json_help.h"

#include "app/ctl/text/json.h"
#include "core/watch/query/lock_json.h"
#include "tests/unit/watch/records.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace lockhouse::ctl {
namespace {

void addFields(const Json &json, std::set<std::string> &fields) {
  for (const auto &[field, value] : json.items()) {
    if (json.is_object())
      fields.insert(field);
    if (value.is_structured())
      addFields(value, fields);
  }
}

// Every field that any writer writes, each at least once.
std::set<std::string> allFields() {
  static constexpr Script script{"s", "", ""};
  auto lock = test::record("redisson-rw", LockKind::ReadWrite, "\xff", {{"\xff", 1, HoldMode::Read}});
  lock.queue = {{"w", std::nullopt}};
  lock.holders.front().bytes = 9;
  const std::vector<LockRecordPtr> locks{std::make_shared<LockRecord>(lock)};
  LockChange change;
  change.after = locks[0];
  ReleaseResult result;
  result.plan = ReleasePlan{{}, "token", &script, {"\xff"}, {}, "\xfe", 1, {}, false, {}, {}, {}, {}};
  auto crowded = lock;
  crowded.holders.resize(20, {"h", 1});
  std::vector<ReleaseResult> results{result, result, result};
  results[1].now = results[2].now = std::make_shared<LockRecord>(crowded);
  const std::vector<UnreadHolds> unread{{lock.id, 1}};
  AuditRecord record;
  std::set<std::string> fields;
  const auto now = test::at(seconds(0));
  for (const auto &json : {listJson({NodeStatus{}}, locks, now), changeJson(change, now), releaseJson(results, now, unread), stressJson(StressReport{}),
                           primitivesJson(primitiveInfos(), topicInfos()), auditJson(std::span(&record, 1), AuditLog::End{1, "ab"})})
    addFields(json, fields);
  return fields;
}

std::string manPage() {
  std::ifstream file(LOCKHOUSE_MAN_PAGE);
  std::ostringstream text;
  text << file.rdbuf();
  auto page = text.str();
  for (std::size_t at = 0; (at = page.find("\\-", at)) != std::string::npos;)
    page.erase(at, 1);
  return page;
}

TEST(JsonHelp, namesEveryFieldThatIsWritten) {
  const std::string help(jsonHelp());
  for (const auto &field : allFields())
    EXPECT_NE(help.find(field), std::string::npos) << field;
}

TEST(JsonHelp, agreesWithTheManPage) {
  const auto page = manPage();
  ASSERT_FALSE(page.empty());
  for (const auto &field : allFields())
    EXPECT_NE(page.find(field), std::string::npos) << field;
}

/// What stands in `page` of one field, from `opening` to `end`.
std::string section(std::string_view page, std::string_view opening, std::string_view end) {
  const auto from = page.find(opening), to = page.find(end, from);
  return to == page.npos ? std::string() : std::string(page.substr(from, to - from));
}

TEST(JsonHelp, tellsEveryFieldOfAHolderWhereHoldersAre) {
  auto lock = test::record("redisson-rw", LockKind::ReadWrite, "k", {{"h", 1, HoldMode::Read, 9, test::at(seconds(1))}});
  const Json json = lockJson(lock, test::at(seconds(0)));
  const auto page = manPage();
  const auto inHelp = section(jsonHelp(), "\n  holders  ", "\n  ttl_ms  "), inPage = section(page, "\nholders  ", "\nttl_ms  ");
  std::set<std::string> fields;
  addFields(json["holders"], fields);
  EXPECT_GE(fields.size(), 5U);
  for (const auto &field : fields) {
    EXPECT_NE(inHelp.find(field), std::string::npos) << field;
    EXPECT_NE(inPage.find(field), std::string::npos) << field;
  }
}

TEST(JsonHelp, saysWithTheManPageHowManyWaitersAQueueTells) {
  constexpr auto bound = "the first 1 000 of them";
  EXPECT_NE(jsonHelp().find(bound), std::string::npos);
  EXPECT_NE(manPage().find(bound), std::string::npos);
}

TEST(JsonHelp, namesEveryWordOfTheVerdictsAndChanges) {
  const std::string help(jsonHelp());
  for (const auto verdict :
       {Verdict::Released, Verdict::Changed, Verdict::AlreadyFree, Verdict::NotALock, Verdict::ReadOnly, Verdict::NotAllowed, Verdict::Unreachable})
    EXPECT_NE(help.find(name(verdict)), std::string::npos) << name(verdict);
  for (const auto kind : {ChangeKind::Appeared, ChangeKind::Holder, ChangeKind::Count, ChangeKind::Lease, ChangeKind::Shortened, ChangeKind::Waiters,
                          ChangeKind::Vanished, ChangeKind::Stale, ChangeKind::Live})
    EXPECT_NE(help.find(name(kind)), std::string::npos) << name(kind);
  for (const auto cause :
       {ChangeCause::Released, ChangeCause::Deleted, ChangeCause::Expired, ChangeCause::Evicted, ChangeCause::Flushed, ChangeCause::Replaced})
    EXPECT_NE(help.find(name(cause)), std::string::npos) << name(cause);
  for (const auto state :
       {LockState::Held, LockState::Contended, LockState::Waiting, LockState::Expiring, LockState::NeverExpires, LockState::Suspect, LockState::Stale})
    EXPECT_NE(help.find(name(state)), std::string::npos) << name(state);
}

} // namespace
} // namespace lockhouse::ctl
