// SPDX-License-Identifier: Apache-2.0
// A log whose newest records somebody cut off: named for ever, continued with a gap.
#include "core/store/database.h"
#include "tests/unit/store/scratch.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using testing::HasSubstr;

class CutTail : public test::Scratch {
protected:
  void cut(const std::string &sql) const {
    auto log = opened();
    for (int i = 0; i < 5; ++i)
      ASSERT_TRUE(log.append(test::sample()));
    tamper(sql);
  }
};

TEST_F(CutTail, isFollowedWithAGapAndGoesOnBeingNamed) {
  cut("DELETE FROM record WHERE seq > 3");
  EXPECT_THAT(opened().verifyNewest(100).error().what.english(), HasSubstr("record 4 is missing: numbers were given up to 5"));
  for (std::int64_t seq = 6; seq < 9; ++seq) {
    const auto appended = opened().append(test::sample());
    ASSERT_TRUE(appended) << appended.error().sentence();
    EXPECT_EQ(appended->seq, seq) << "no record in the place of one that was cut off";
    EXPECT_EQ(opened().verify().error().what.english(), "record 4 is missing");
    EXPECT_EQ(opened().verifyNewest(100).error().what.english(), "record 4 is missing");
  }
  EXPECT_FALSE(Database::open(path())->run("INSERT INTO record SELECT 5, 'x', at_us, who, node, db, key, family, holder, count, action, reason, script, "
                                           "before, verdict, subject, previous_hash, hash FROM record WHERE seq = 1"))
      << "no gap is filled";
}

TEST_F(CutTail, noticesThatAllWereTaken) {
  cut("DELETE FROM record");
  EXPECT_THAT(opened().verify().error().what.english(), HasSubstr("record 1 is missing"));
  EXPECT_EQ(opened().append(test::sample())->seq, 6);
  EXPECT_EQ(opened().verify().error().what.english(), "record 1 is missing");
}

TEST_F(CutTail, noticesThatTheHighestNumberWasSetBack) {
  cut("UPDATE sqlite_sequence SET seq = 2");
  EXPECT_FALSE(opened().verify());
  EXPECT_FALSE(opened().verifyNewest(1));
}

TEST_F(CutTail, ofAFileWithoutAByteIsNoticedWhereItBeginsAnew) {
  {
    auto log = opened();
    EXPECT_FALSE(log.wasEmptied()) << "it was made";
    ASSERT_TRUE(log.append(test::sample()));
  }
  EXPECT_FALSE(opened().wasEmptied());
  for (const auto size : {0U, 1U}) {
    std::filesystem::resize_file(path(), size);
    EXPECT_FALSE(*AuditLog::openIfThere(path(), sha256)) << size;
    EXPECT_TRUE(opened().wasEmptied()) << size;
    EXPECT_FALSE(opened().wasEmptied()) << "a new chain is there";
  }
}

TEST_F(CutTail, withItsTraceShowsOnlyBesideTheHashThatWasKept) {
  cut("DELETE FROM record WHERE seq = 5; UPDATE sqlite_sequence SET seq = 4");
  const auto end = opened().verify();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->records, 4U);
  EXPECT_EQ(end->hash, opened().latest(1)->front().hash);
}

} // namespace
} // namespace lockhouse
