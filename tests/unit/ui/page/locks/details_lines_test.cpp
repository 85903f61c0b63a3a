// SPDX-License-Identifier: Apache-2.0
// What the details say of a lock's holders, line by line.
#include "ui/page/locks/details_lines.h"

#include "tests/unit/ui/sample_locks.h"
#include "ui/model/text/formatting.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> told(const DetailLines &lines) {
  std::vector<std::string> words;
  for (const LineList::Line &line : lines)
    words.push_back(QStringList{line.left.text, line.middle.text, line.right.text}.join(u' ').simplified().toStdString());
  return words;
}

LockRow row(LockRecord record) {
  LockRow made;
  made.record = samples::share(std::move(record));
  return made;
}

LockRecord shared(std::vector<std::string> holders, std::vector<MetadataEntry> extras) {
  LockRecord record = samples::held("pool");
  record.kind = LockKind::Semaphore;
  record.holders.clear();
  for (std::string &holder : holders)
    record.holders.push_back({std::move(holder)});
  record.extras = std::move(extras);
  return record;
}

TEST(HolderLines, tellBelowEachOfSeveralWhatHisBytesTell) {
  const LockRow pool = row(shared({"ann", "bob", "cyd"}, {{"free", "4"}, {"host", "web-1, -, web-3"}, {"pid", "17, -, 19"}}));
  EXPECT_THAT(told(holderLines(pool, samples::start)), ElementsAre("ann", "Host: web-1", "Process: 17", "bob", "cyd", "Host: web-3", "Process: 19"));
  const auto family = told(familyLines(pool, FamilyRegistry::builtIn()));
  EXPECT_THAT(family, Contains("Free permits 4")) << "that is of all";
  EXPECT_THAT(family, Not(Contains(HasSubstr("web-1"))));
}

TEST(HolderLines, tellWhenTheLeaseOfEachOfSeveralEnds) {
  LockRecord pool = shared({"ann", "bob"}, {});
  pool.holders[0].expiresAt = samples::start + seconds(7);
  EXPECT_THAT(told(holderLines(row(pool), samples::start)), ElementsAre("ann", "lapses in 7.0 s", "bob"));
  EXPECT_THAT(told(holderLines(row(pool), samples::start + seconds(8))), ElementsAre("ann", "its lease is over", "bob"));
  pool.holders.pop_back();
  EXPECT_THAT(told(holderLines(row(pool), samples::start)), ElementsAre("ann")) << "the lock's own lease says it";
}

TEST(HolderLines, breakAnIdBeforeWhatStandsBesideIt) {
  LockRecord twice = shared({"7aa6d0d1-3f00-499c-9ec5-477fba70945e:6", "7aa6d0d1-3f00-499c-9ec5-477fba70945e:7"}, {});
  for (Holder &holder : twice.holders)
    holder.mode = HoldMode::Read;
  twice.holders[0].count = 2;
  LockRecord once = twice;
  twice.holders[1].count = 2;
  LineList both, first;
  both.setLines(holderLines(row(twice), samples::start));
  first.setLines(holderLines(row(once), samples::start));
  for (int width = 120; width < 500; ++width)
    ASSERT_EQ(first.heightForWidth(width), both.heightForWidth(width)) << "what stands before the count has no more room where there is none: " << width;
}

TEST(QueueLines, sayThatWhoWaitsIsNotKnownWhereOnlyTheirNumberIs) {
  LockRecord record = samples::held("a");
  record.waiters = 1;
  EXPECT_THAT(told(queueLines(row(record), samples::start)), ElementsAre("How many wait is known, but not who they are."));
  record.moreMayWait = true;
  EXPECT_THAT(told(queueLines(row(record), samples::start)), ElementsAre("So many wait at least: more may, and nothing tells who they are."));
  record.queue.push_back({"web-1:4", {}});
  EXPECT_THAT(told(queueLines(row(record), samples::start)), ElementsAre("1 web-1:4"));
  record.moreMayWait = false;
  record.waiters = 0;
  record.queue.clear();
  EXPECT_TRUE(queueLines(row(record), samples::start).empty());
}

TEST(HolderLines, giveNoneAValueThatMayBeAnothers) {
  LockRecord apart = shared({"ann", "bob"}, {{"host", "web-1, web-2"}});
  apart.members = {{NodeId("a"), 0, {}, {}}, {NodeId("b"), 0, {}, {}}};
  EXPECT_THAT(told(holderLines(row(apart), samples::start)), ElementsAre("ann", "bob"));
  EXPECT_THAT(told(familyLines(row(apart), FamilyRegistry::builtIn())), Contains("Host web-1, web-2"));
  const LockRow one = row(shared({"ann"}, {{"host", "web-1, rack 2"}}));
  EXPECT_THAT(told(holderLines(one, samples::start)), ElementsAre("ann"));
  EXPECT_THAT(told(familyLines(one, FamilyRegistry::builtIn())), Contains("Host web-1, rack 2"));
}

TEST(FamilyLines, tellTimesAsTheWindowDoes) {
  const LockRow one = row(shared({"ann"}, {{"since", "2026-11-24T19:41:23.998Z"}}));
  const WallTime at{milliseconds(1'795'549'283'998)};
  EXPECT_THAT(told(familyLines(one, FamilyRegistry::builtIn())), Contains("Since " + timeStamp(at).toStdString()));
  const auto lines = familyLines(one, FamilyRegistry::builtIn());
  const auto since = std::ranges::find_if(lines, [](const LineList::Line &line) { return !line.tip.isEmpty(); });
  ASSERT_NE(since, lines.end());
  EXPECT_EQ(since->tip, u"Since: 2026-11-24 19:41:23 UTC");
  const LockRow two = row(shared({"ann", "bob"}, {{"since", "2026-11-24T19:41:23.998Z, -"}}));
  EXPECT_THAT(told(holderLines(two, samples::start)), ElementsAre("ann", "Since: " + timeStamp(at).toStdString(), "bob"));
}

TEST(Releasing, isSaidToBeImpossibleWhereNobodyHoldsIt) {
  LockRecord record = samples::held("a");
  EXPECT_TRUE(whyNotReleased(row(record)).isEmpty());
  record.holders.clear();
  EXPECT_EQ(whyNotReleased(row(record)), u"Nothing to release: nobody holds it now.");
  record.number = 2;
  record.kind = LockKind::Semaphore;
  EXPECT_EQ(whyNotReleased(row(record)), u"Nothing to release: its permits are a number, and nothing tells who has one.");
  record.kind = LockKind::Latch;
  EXPECT_EQ(whyNotReleased(row(record)), u"Nothing to release: a latch is counted down, and nobody holds it.");
}

TEST(FamilyLines, areNotCertainOfOneFamilyWhereItMayBeOfAnother) {
  LockRecord record = samples::held("a");
  record.confidence = 0.99;
  EXPECT_TRUE(certainty(record).startsWith(u"certain, ")) << certainty(record).toStdString();
  record.mayBe = {"sherlock"};
  EXPECT_TRUE(certainty(record).startsWith(u"a lock for certain, ")) << certainty(record).toStdString();
}

TEST(HolderLines, tellOfMoreThanEightWhatIsKept) {
  const LockRow pool = row(shared({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, {{"pid", "1, 2, 3, 4, 5, 6, 7, 8, …"}}));
  const auto lines = told(holderLines(pool, samples::start));
  ASSERT_EQ(lines.size(), 18U);
  EXPECT_EQ(lines[15], "Process: 8");
  EXPECT_EQ(lines[17], "j");
}

TEST(HolderLines, countThoseThatWereNotReadAtMost) {
  LockRecord pool = shared({}, {});
  for (std::size_t i = 0; i < mostDetailLines + 2; ++i)
    pool.holders.push_back({"h" + std::to_string(i)});
  EXPECT_EQ(told(holderLines(row(pool), samples::start)).back(), "and 2 more");
  pool.unread = 5;
  EXPECT_EQ(told(holderLines(row(pool), samples::start)).back(), "and at most 7 more holds");
}

TEST(SelectedSentence, countsAtLeastWhereHoldersWereNotRead) {
  LockRecord pool = shared({"ann", "bob"}, {});
  EXPECT_TRUE(selectedSentence({samples::share(LockRecord(pool))}, 0).contains(u"2 holders"));
  pool.unread = 5;
  EXPECT_TRUE(selectedSentence({samples::share(std::move(pool))}, 0).contains(u"≥ 2 holders"));
}

TEST(SelectedSentence, saysOfThoseThatHaveGoneThatNothingIsLeft) {
  EXPECT_EQ(selectedSentence({}, 9), u"Nothing is left of them: each was released, or is over.");
  const QString some = selectedSentence({samples::share(samples::held("lock:a"))}, 2);
  EXPECT_TRUE(selectedSentence({samples::share(samples::held("lock:a"))}, 1200).contains(u"1\u2009200 are gone meanwhile."));
  EXPECT_TRUE(some.contains(u"2 are gone meanwhile.") && some.contains(u"They are held by")) << some.toStdString();
}

} // namespace
} // namespace lockhouse::ui
