// SPDX-License-Identifier: Apache-2.0
// Whoever opens a log that is not there yet, and several at once.
#include "core/store/audit_files.h"
#include "tests/unit/store/scratch.h"

#include <barrier>
#include <fstream>
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

TEST_F(FirstOpening, saysBeforehandWhetherALogCanBegin) {
  using Why = AuditFiles::NoLog::Why;
  const auto free = AuditFiles::noLogAt(folder() + "/not/there/yet/audit.sqlite");
  EXPECT_EQ(free.why, Why::NotBegun);
  EXPECT_FALSE(free.error);
  EXPECT_FALSE(std::filesystem::exists(folder() + "/not")) << "nothing is made by asking";
  const auto barred = AuditFiles::noLogAt("/dev/null/lockhouse/audit.sqlite");
  EXPECT_EQ(barred.why, Why::Barred);
  ASSERT_TRUE(barred.error);
  EXPECT_EQ(barred.error->what.english(), "cannot make the folder: Not a directory");
  std::ofstream(folder() + "/emptied").close();
  const auto emptied = AuditFiles::noLogAt(folder() + "/emptied");
  EXPECT_EQ(emptied.why, Why::Emptied);
  EXPECT_TRUE(emptied.error);
}

} // namespace
} // namespace lockhouse
