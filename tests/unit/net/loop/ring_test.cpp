// SPDX-License-Identifier: Apache-2.0
#include "core/net/loop/ring.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <memory>

namespace lockhouse {
namespace {

TEST(Ring, letsGoOfWhatItGaveOut) {
  Ring<std::shared_ptr<int>> ring;
  auto value = std::make_shared<int>(7);
  ring.push(value);
  EXPECT_EQ(*ring.pop(), 7);
  EXPECT_EQ(value.use_count(), 1);
}

RC_GTEST_PROP(Ring, behavesLikeAQueueForAnyPushesAndPops, (const std::vector<bool> &pushes)) {
  Ring<int> ring;
  std::deque<int> queue;
  int next = 0;
  for (const bool push : pushes)
    if (push || queue.empty()) {
      // Five at a time, so that it grows while its head is somewhere in the middle.
      for (int i = 0; i < 5; ++i) {
        ring.push(++next);
        queue.push_back(next);
      }
    } else {
      RC_ASSERT(ring.front() == queue.front());
      RC_ASSERT(ring.back() == queue.back());
      RC_ASSERT(ring.pop() == queue.front());
      queue.pop_front();
    }
  RC_ASSERT(ring.size() == queue.size());
  RC_ASSERT(ring.empty() == queue.empty());
}

} // namespace
} // namespace lockhouse
