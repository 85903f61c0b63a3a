// SPDX-License-Identifier: Apache-2.0
// What a sandbox that was killed leaves behind, and who removes it.
#include "core/lab/sandbox/sandbox.h"
#include "tests/support/eventually.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace lockhouse;
using test::eventually;

namespace {

class Leftovers : public testing::Test {
protected:
  Leftovers() {
    std::string pattern = std::filesystem::temp_directory_path().string() + "/lh-left-XXXXXX";
    m_folder = mkdtemp(pattern.data());
    if (const char *old = std::getenv("TMPDIR"))
      m_old = old;
    setenv("TMPDIR", m_folder.c_str(), 1);
  }
  ~Leftovers() override {
    m_old.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", m_old.c_str(), 1);
    std::filesystem::remove_all(m_folder);
  }

  // The folder of a process that had a server and ended without a destructor.
  static std::string left() {
    FILE *owner = popen("exec '" SANDBOX_OWNER "' exit", "r");
    int pid = 0;
    std::array<char, 256> folder{};
    EXPECT_EQ(std::fscanf(owner, "%d %255s", &pid, folder.data()), 2);
    pclose(owner);
    return folder.data();
  }

  std::string m_folder, m_old;
};

TEST_F(Leftovers, areRemovedByTheNextStart) {
  const auto folder = left();
  ASSERT_TRUE(std::filesystem::exists(folder));
  EXPECT_TRUE(eventually([&] { return Sandbox::start({}) && !std::filesystem::exists(folder); })) << "once the kernel has ended its server";
}

TEST_F(Leftovers, areNoneWhileTheirOwnerLives) {
  auto server = Sandbox::start({});
  ASSERT_TRUE(server);
  server->kill(); // nobody listens, and yet it is not given up
  const auto folder = server->folder();
  ASSERT_TRUE(Sandbox::start({}));
  EXPECT_TRUE(std::filesystem::exists(folder));
  EXPECT_TRUE(server->restart());
}

TEST_F(Leftovers, areNotWhateverHasALikelyName) {
  const auto other = m_folder + "/lockhouse-abcdef";
  std::filesystem::create_directory(other);
  std::ofstream(other + "/owner") << "mine";
  ASSERT_TRUE(Sandbox::start({}));
  EXPECT_TRUE(std::filesystem::exists(other + "/owner")) << "no socket of a server is in it";
}

} // namespace
