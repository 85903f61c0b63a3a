// SPDX-License-Identifier: Apache-2.0
// Several who open a log that is not there yet, at once.
#include "tests/unit/store/scratch.h"

#include <barrier>
#include <thread>

namespace lockhouse {
namespace {

using FirstOpening = test::Scratch;

TEST_F(FirstOpening, servesAllWhoComeAtOnce) {
  constexpr int rounds = 10, many = 4;
  for (int round = 0; round < rounds; ++round) {
    std::filesystem::remove_all(folder() + "/state");
    std::barrier start(many);
    std::vector<std::thread> threads;
    for (int i = 0; i < many; ++i)
      threads.emplace_back([&] {
        start.arrive_and_wait();
        const auto appended = opened().append(test::sample());
        EXPECT_TRUE(appended) << appended.error().sentence();
      });
    for (auto &thread : threads)
      thread.join();
    EXPECT_EQ(opened().verify().value_or(AuditLog::End{}).records, static_cast<std::uint64_t>(many));
  }
}

} // namespace
} // namespace lockhouse
