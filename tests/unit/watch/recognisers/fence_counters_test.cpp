// SPDX-License-Identifier: Apache-2.0
// The counter of a lock's fencing tokens lies under a name that speaks of a lock; at the first hold it looks like a mark that never expires. Whoever
// frees it has the next hold fenced off by none.
#include "tests/unit/watch/recognise.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

double confidenceOf(std::string_view key, std::string value, std::optional<milliseconds> ttl = {}) {
  KeyFacts facts;
  facts.key = key;
  facts.type = ValueType::String;
  facts.size = value.size();
  facts.value = std::move(value);
  facts.ttl = ttl;
  const auto row = test::recognise(facts);
  return row ? row->confidence : 0;
}

TEST(FenceCounters, areNoLocks) {
  for (const auto *key : {"lock:pay:fence", "lock:pay:fencing", "lock:pay:seq", "lock:pay:epoch", "lock:pay:sequence", "pay:lock:fence", "mutex:pay:fence",
                          "lock:fence:pay", "lock-fence:pay", "fence:lock:pay", "locks:fence", "global:lock:fence", "lock:pay:fencing_token", "lock:pay:token",
                          "lock:pay:counter", "lockFence:pay", "lock:7:fence", "lock:{pay}:fence"})
    for (const auto *value : {"1", "2", "17"})
      EXPECT_LT(confidenceOf(key, value), shownConfidence) << key << " = " << value;
}

TEST(FenceCounters, areNotWhatIsLockedUnderSuchAName) {
  EXPECT_GE(confidenceOf("lock:epoch:7", "1", seconds(30)), shownConfidence);
  EXPECT_GE(confidenceOf("lock:fence:7", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", seconds(30)), shownConfidence);
  EXPECT_GE(confidenceOf("lock:seq", "web-1:4242", seconds(30)), shownConfidence);
  for (const auto *key : {"lock:defence:7", "lock:invoice_sequence", "lock:sequence:7", "lock:epoch:185", "invoice_sequence_lock", "cron:sequence:lock"})
    EXPECT_GE(confidenceOf(key, "1"), shownConfidence) << key;
  EXPECT_GE(confidenceOf("lock:seq", "1795271640"), shownConfidence) << "a time, which no count comes to";
}

} // namespace
} // namespace lockhouse
