// SPDX-License-Identifier: Apache-2.0
#include "core/release/result/audit_holds.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using testing::ElementsAre;

TEST(AuditHolds, areReadAsTheyWereWritten) {
  const auto holds = auditHolds(R"([{"key":"lock:a","node":"n:1","holder":"h","db":2,"count":1,"family":"token"},{"key":"\\xff","key_b64":"/w=="}])");
  ASSERT_EQ(holds.size(), 2U);
  EXPECT_EQ(holds[0].key, "lock:a");
  EXPECT_EQ(holds[0].node, "n:1");
  EXPECT_EQ(holds[0].holder, "h");
  EXPECT_EQ(holds[0].db, 2);
  EXPECT_EQ(holds[1].key, "\xff");
}

TEST(AuditHolds, ofWhatIsNoListAreNone) {
  for (const auto *text : {"", "{}", "[", "[1,null]", R"({"key":"a"})"})
    EXPECT_TRUE(auditHolds(text).empty()) << text;
}

TEST(AuditHolds, knowTheirVerdicts) {
  const auto told = [](std::string_view verdict, std::string_view others) {
    auto holds = auditHolds(R"([{"key":"a","node":"1"},{"key":"a","node":"2"}])");
    tellVerdicts(holds, verdict, others);
    return std::vector{holds[0].verdict, holds[1].verdict};
  };
  EXPECT_THAT(told("released", "[]"), ElementsAre("released", "released"));
  EXPECT_THAT(told("mixed", R"([{"key":"a","node":"2","verdict":"unreachable","most":"released"}])"), ElementsAre("released", "unreachable"));
  EXPECT_THAT(told("mixed", R"([{"key":"a","node":"2","verdict":"unreachable"}])"), ElementsAre("", "unreachable")) << "of an older log";
}

TEST(AuditHolds, onSeveralMastersOrOfSeveralHoldersAreOneLock) {
  const std::vector<AuditHold> holds{{"redlock", "1", "t", 0, {}},   {"rw", "1", "reader:1", 0, {}}, {"redlock", "2", "t", 0, {}},
                                     {"rw", "1", "reader:2", 0, {}}, {"rw", "2", "another", 0, {}},  {"redlock", "1", "t", 1, {}}};
  EXPECT_THAT(locksAmong(holds), ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3), ElementsAre(4), ElementsAre(5)));
}

} // namespace
} // namespace lockhouse
