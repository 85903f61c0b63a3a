// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/change_queue.h"

#include <gtest/gtest.h>

namespace lockhouse::ctl {
namespace {

std::vector<LockChange> numbered(std::uint64_t from, std::uint64_t to) {
  std::vector<LockChange> changes;
  for (auto seq = from; seq <= to; ++seq)
    changes.emplace_back().seq = seq;
  return changes;
}

TEST(ChangeQueue, givesWhatWasPutInOrderOnce) {
  const SignalWait reader;
  ChangeQueue queue(reader);
  queue.put(numbered(1, 2));
  queue.put(numbered(3, 3));
  EXPECT_EQ(reader.wait(), SignalWait::Woken::Told);
  const auto taken = queue.take();
  ASSERT_EQ(taken.changes.size(), 3U);
  EXPECT_EQ(taken.changes.back().seq, 3U);
  EXPECT_EQ(taken.dropped, 0U);
  EXPECT_TRUE(queue.take().changes.empty());
}

TEST(ChangeQueue, neverWaitsForTheReaderAndCountsWhatFindsNoRoom) {
  const SignalWait reader;
  ChangeQueue queue(reader, 4);
  queue.put(numbered(1, 3));
  queue.put(numbered(4, 9)); // nobody takes: were it to wait, this test would not end
  queue.put(numbered(10, 10));
  const auto taken = queue.take();
  ASSERT_EQ(taken.changes.size(), 4U) << "the oldest, so that there is one gap and it is behind them";
  EXPECT_EQ(taken.changes.back().seq, 4U);
  EXPECT_EQ(taken.dropped, 6U);
  queue.put(numbered(11, 11));
  const auto later = queue.take();
  ASSERT_EQ(later.changes.size(), 1U);
  EXPECT_EQ(later.changes.front().seq, 11U);
  EXPECT_EQ(later.dropped, 0U);
}

} // namespace
} // namespace lockhouse::ctl
