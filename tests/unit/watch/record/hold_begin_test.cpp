// SPDX-License-Identifier: Apache-2.0
// Since when a lock is held whose holder came before the watcher did.
#include "core/watch/record/hold_begin.h"

#include "core/watch/query/lock_query.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

using std::chrono::hours;

constexpr SteadyTime now{hours(100)};
constexpr WallTime noon{std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + hours(12)};

LockRecord found(std::string since) {
  LockRecord record;
  record.holders = {{"mail-2"}};
  record.extras = {{"host", "mail-2"}, {"since", std::move(since)}};
  record.heldSince = now - seconds(5);
  return record;
}

TEST(SinceByHolder, isTheTimeThatItsBytesTell) { EXPECT_EQ(sinceByHolder(found("2026-11-21T09:00:00.500Z"), now, noon), now - hours(3) + milliseconds(500)); }

TEST(SinceByHolder, isNotKnownWhereItWasWatchedOrNothingTellsIt) {
  LockRecord watched = found("2026-11-21T09:00:00.000Z");
  watched.heldSinceExact = true;
  EXPECT_FALSE(sinceByHolder(watched, now, noon));
  LockRecord silent = found("2026-11-21T09:00:00.000Z");
  silent.extras.pop_back();
  EXPECT_FALSE(sinceByHolder(silent, now, noon));
  LockRecord shared = found("2026-11-21T09:00:00.000Z, 2026-11-21T10:00:00.000Z");
  shared.holders.push_back({"mail-3"});
  EXPECT_FALSE(sinceByHolder(shared, now, noon));
}

TEST(SinceByHolder, isNotBelievedWhereItWasSeenBefore) {
  EXPECT_FALSE(sinceByHolder(found("2026-11-21T11:59:58.000Z"), now, noon)) << "its clock is behind";
  EXPECT_FALSE(sinceByHolder(found("2026-11-21T18:00:00.000Z"), now, noon)) << "in the future";
}

TEST(SinceByHolder, countsForTheAgeThatAFilterAsksFor) {
  const auto query = LockQuery::parse("age>2h");
  ASSERT_TRUE(query);
  EXPECT_TRUE(query->matches(found("2020-01-01T00:00:00.000Z"), now));
  EXPECT_FALSE(query->matches(found("no time"), now));
}

} // namespace
} // namespace lockhouse
