// SPDX-License-Identifier: Apache-2.0
// The examples that the README shows: they compile, run and leave nothing behind.
#include "tests/contract/lock_world.h"

#include <algorithm>
#include <sys/wait.h>
#include <unistd.h>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

int runProgram(const char *program, const std::string &url) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(program, program, url.c_str(), static_cast<char *>(nullptr));
    ::_exit(127);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST(Examples, runAndLeaveNothing) {
  auto server = Sandbox::start({.tcp = true, .config = {}});
  ASSERT_TRUE(server) << server.error().sentence();
  const auto url = "redis://" + server->tcpUri().address();
  for (const char *program : {EXAMPLE_LOCKS, EXAMPLE_COROUTINE})
    EXPECT_EQ(runProgram(program, url), 0) << program;
  Loop loop;
  Probe probe(loop, server->unixUri());
  EXPECT_TRUE(eventually([&] { return probe.number({"DBSIZE"}) == 0; }));
}

TEST(Examples, sayInOneSentenceThatThereIsNoServer) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(runProgram(EXAMPLE_LOCKS, "redis://127.0.0.1:1"), 1);
  const auto said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("127.0.0.1:1"), std::string::npos) << said;
  EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
}
