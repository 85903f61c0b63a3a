// SPDX-License-Identifier: Apache-2.0
#include "ui/model/locks/lock_summary.h"
#include "ui/model/locks/lock_table_model.h"
#include "ui/model/text/strong_text.h"

#include "tests/unit/ui/sample_locks.h"

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

using samples::held;
using samples::share;
using samples::start;
using ::testing::HasSubstr;
using ::testing::Not;

std::string sentence(LockRecord record, SteadyTime now = start) {
  LockTableModel table;
  table.apply(samples::snapshot({share(std::move(record))}), now);
  return withoutStrong(lockSentence(table.row(0), now)).replace(QChar(0x2009), QLatin1Char(' ')).toStdString();
}

TEST(LockSentence, namesHolderAndTimeFirst) { EXPECT_THAT(sentence(held("a")), ::testing::StartsWith("web-3:17 has held this for 12.4 s")); }

TEST(LockSentence, takesAMarkForNobodysName) {
  for (const char *mark : {"1", "", "locked"}) {
    LockRecord record = held("a", mark);
    record.kind = LockKind::Mutex;
    EXPECT_THAT(sentence(record), ::testing::StartsWith("It has been held for 12.4 s by whoever took it: its value is a mark that names nobody."));
    record.heldSinceExact = false;
    EXPECT_THAT(sentence(record), HasSubstr("for at least 12.4 s by whoever took it")) << mark;
  }
}

TEST(LockSentence, saysAtLeastWhenTheArrivalWasNotSeen) {
  LockRecord record = held("a");
  record.heldSinceExact = false;
  EXPECT_THAT(sentence(record), HasSubstr("for at least 12.4 s"));
}

TEST(LockSentence, foretellsTheNextRenewal) {
  LockRecord record = held("a");
  record.renewals = 2;
  record.renewedAt = start - seconds(8);
  record.renewalPeriod = seconds(10);
  EXPECT_THAT(sentence(record), HasSubstr("the next renewal is due in 2.0 s."));
}

TEST(LockSentence, callsNoHolderDead) {
  LockRecord record = held("a", "job-7:31", seconds(25));
  record.renewals = 3;
  record.renewedAt = start - seconds(26);
  record.renewalPeriod = seconds(10);
  const std::string said = sentence(record);
  EXPECT_THAT(said, HasSubstr("not any more for 26.0 s; its holder may be gone."));
  EXPECT_THAT(said, Not(HasSubstr("dead")));
}

TEST(LockSentence, saysOnHowManyMastersItLiesAndWhetherThatIsEnough) {
  LockRecord record = held("a");
  record.members = {{NodeId("n1"), 0, {}, {}}, {NodeId("n2"), 0, {}, {}}};
  record.masters = 3;
  EXPECT_THAT(sentence(record), HasSubstr("Its token lies on 2 of 3 masters."));
  EXPECT_THAT(sentence(record), HasSubstr("has held this"));
  record.members.push_back({NodeId("n3"), 0, {}, start - seconds(8)});
  EXPECT_THAT(sentence(record), HasSubstr("Its token lies on 3 of 3 masters, on 1 of them as last seen (not followed)."));
  record.members.pop_back();
  record.masters = 5;
  const std::string few = sentence(record);
  EXPECT_THAT(few, ::testing::StartsWith("Its token lies on 2 of 5 masters only: nobody holds this lock, unless no more than 3 masters are its own."));
  EXPECT_THAT(few, Not(HasSubstr("has held this")));
  record.unfollowed = 1;
  EXPECT_THAT(sentence(record),
              ::testing::StartsWith("Its token lies on 2 of 5 masters, of which 1 are not followed or refuse keys: who holds it is not known."));
  record.unfollowed = 0;
  record.members.pop_back();
  EXPECT_THAT(sentence(record),
              ::testing::StartsWith("Its token lies on 1 of 5 masters only: nobody holds this lock, unless its clients use this master alone."));
}

TEST(LockSentence, saysUnderHowManyOfItsKeysItLiesAndWhetherThatIsEnough) {
  LockRecord record = held("a");
  record.votes = record.neededVotes = 2;
  EXPECT_THAT(sentence(record), HasSubstr("Its token lies under 2 of its keys."));
  EXPECT_THAT(sentence(record), HasSubstr("has held this"));
  record.votes = 1;
  EXPECT_THAT(sentence(record), ::testing::StartsWith("Its token lies under 1 of its keys only: without 2 of them nobody holds this lock."));
}

TEST(LockSentence, callsANumberNobody) {
  LockRecord record = held("a");
  record.holders.clear();
  record.number = 3;
  record.waiters = 2;
  record.moreMayWait = true;
  EXPECT_EQ(sentence(record), "Free permits: 3; nothing tells who holds the others. At least 2 wait.");
  record.kind = LockKind::Latch;
  EXPECT_EQ(sentence(record), "Left to count down: 3. At least 2 wait.");
}

TEST(LockSentence, warnsOfALockThatNeverExpires) {
  LockRecord record = held("a");
  record.expiresAt.reset();
  EXPECT_THAT(sentence(record), HasSubstr("It never expires"));
}

TEST(LockSentence, doesNotGuessWaiters) {
  LockRecord record = held("a");
  record.waiters.reset();
  EXPECT_THAT(sentence(record), HasSubstr("Who waits is unknown"));
}

TEST(LockSentence, tellsALowerBoundOfWaitersAsOne) {
  LockRecord record = held("a");
  record.waiters = 2;
  record.moreMayWait = true;
  EXPECT_THAT(sentence(record), HasSubstr("At least 2 wait."));
  record.waiters = 0;
  EXPECT_THAT(sentence(record), HasSubstr("Whether anybody waits is not known"));
}

TEST(LockSentence, namesTheFirstInTheQueue) {
  LockRecord record = held("a");
  record.waiters = 6;
  record.queue = {{"web-1:4", start + seconds(2)}, {"web-2:11", start + seconds(7)}};
  EXPECT_THAT(sentence(record), HasSubstr("; the first is web-1:4."));
}

TEST(LockSentence, neverShowsAStaleLockAsLive) {
  LockRecord record = held("a");
  record.staleSince = start - seconds(2);
  const std::string said = sentence(record);
  EXPECT_THAT(said, ::testing::StartsWith("Not followed for 2.0 s."));
  EXPECT_THAT(said, Not(HasSubstr("has held")));
}

TEST(LockSentence, ofAStaleLockThatNobodyHeldNamesNoHolder) {
  LockRecord record = held("a");
  record.staleSince = start - seconds(2);
  record.holders.clear();
  record.waiters = 2;
  const auto opening = std::string("Not followed for 2.0 s. Its node's feed broke; what follows was so when the lock was last seen, 0.0 s ago, and may have "
                                   "changed since. ");
  EXPECT_EQ(sentence(record), opening + "Nobody held it. 2 wait.");
  record.waiters.reset();
  EXPECT_EQ(sentence(record), opening + "Nobody held it.");
  record.number = 3;
  EXPECT_EQ(sentence(record), opening + "Free permits: 3; nothing tells who holds the others.");
}

TEST(LockSentence, aNameCannotForgeEmphasisOrPlaceholders) {
  const std::string said = sentence(held("a", "\x02%1%2\x03"));
  EXPECT_THAT(said, HasSubstr("\\x02%1%2\\x03"));
  EXPECT_THAT(said, HasSubstr("12.4 s"));
}

TEST(LockSentence, copiesFactsAsPlainLines) {
  LockTableModel table;
  table.apply(samples::snapshot({share(held("order:1"))}), start);
  const std::string text = lockAsText(table.row(0), start).toStdString();
  EXPECT_THAT(text, ::testing::StartsWith("order:1\n"));
  EXPECT_THAT(text, HasSubstr("Holder: web-3:17 ×1"));
  EXPECT_THAT(text, HasSubstr("Evidence: a hash with one field uuid:thread"));
}

} // namespace
} // namespace lockhouse::ui
