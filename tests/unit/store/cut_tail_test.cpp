// SPDX-License-Identifier: Apache-2.0
// A log whose newest records somebody cut off: named for ever, never continued.
#include "core/store/database.h"
#include "tests/unit/store/scratch.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using testing::HasSubstr;

class CutTail : public test::Scratch {
protected:
  // Somebody who may write the file, goes round the triggers.
  void cut(const std::string &sql) const {
    auto log = opened();
    for (int i = 0; i < 5; ++i)
      ASSERT_TRUE(log.append(test::sample()));
    auto database = Database::open(path());
    ASSERT_TRUE(database);
    const auto ran = database->run(("DROP TRIGGER record_update; DROP TRIGGER record_delete; DROP TRIGGER record_insert;" + sql).c_str());
    ASSERT_TRUE(ran) << ran.error().sentence();
  }
};

TEST_F(CutTail, takesNoRecordOnTopAndGoesOnNamingWhatIsMissing) {
  cut("DELETE FROM record WHERE seq > 3");
  for (int tries = 0; tries < 3; ++tries) { // as many as would reach the old end
    const auto appended = opened().append(test::sample());
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().code, ErrorCode::Storage);
    EXPECT_THAT(appended.error().what, HasSubstr("record 4 is missing"));
  }
  const auto sound = opened().verify();
  ASSERT_FALSE(sound);
  EXPECT_THAT(sound.error().what, HasSubstr("record 4 is missing: numbers were given up to 5"));
}

TEST_F(CutTail, noticesThatAllWereTaken) {
  cut("DELETE FROM record");
  const auto appended = opened().append(test::sample());
  ASSERT_FALSE(appended);
  EXPECT_THAT(appended.error().what, HasSubstr("record 1 is missing"));
}

TEST_F(CutTail, noticesThatTheHighestNumberWasSetBack) {
  cut("UPDATE sqlite_sequence SET seq = 2");
  EXPECT_FALSE(opened().append(test::sample()));
  EXPECT_FALSE(opened().verify());
}

} // namespace
} // namespace lockhouse
