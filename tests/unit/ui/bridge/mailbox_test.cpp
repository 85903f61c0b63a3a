// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/mailbox.h"

#include "tests/unit/ui/sample_locks.h"

#include <gtest/gtest.h>

#include <thread>

namespace lockhouse::ui {
namespace {

std::vector<LockChange> changes(std::uint64_t from, std::size_t count) {
  std::vector<LockChange> made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i].seq = from + i;
  return made;
}

TEST(Mailbox, keepsTheNewestSnapshotAndEveryChange) {
  Mailbox box;
  const auto newest = samples::snapshot({});
  EXPECT_TRUE(box.put(samples::snapshot({})));
  EXPECT_FALSE(box.put(newest));
  EXPECT_FALSE(box.put(changes(1, 3)));
  EXPECT_FALSE(box.put(changes(4, 2)));
  const auto mail = box.take();
  EXPECT_EQ(mail.snapshot, newest);
  ASSERT_EQ(mail.changes.size(), 5U);
  EXPECT_EQ(mail.changes.back().seq, 5U);
  EXPECT_TRUE(box.put(changes(6, 1)));
}

TEST(Mailbox, countsWhatItDrops) {
  Mailbox box(4);
  box.put(changes(1, 3));
  box.put(changes(4, 3));
  const auto mail = box.take();
  EXPECT_EQ(mail.changes.size(), 4U);
  EXPECT_EQ(mail.dropped, 2U);
  EXPECT_EQ(box.take().dropped, 0U);
}

TEST(Mailbox, losesNothingBetweenTwoThreads) {
  Mailbox box;
  constexpr std::uint64_t all = 50'000;
  std::jthread sender([&] {
    for (std::uint64_t seq = 1; seq <= all; seq += 5)
      box.put(changes(seq, 5));
  });
  std::uint64_t seen = 0;
  std::uint64_t last = 0;
  while (seen < all) {
    const auto mail = box.take();
    seen += mail.dropped;
    for (const LockChange &change : mail.changes) {
      EXPECT_GT(change.seq, last);
      last = change.seq;
      ++seen;
    }
  }
  EXPECT_EQ(seen, all);
}

} // namespace
} // namespace lockhouse::ui
