// SPDX-License-Identifier: Apache-2.0
// The examples that the README shows: they compile, run, find what they promise, and leave nothing behind.
#include "tests/contract/world/lock_world.h"

#include <algorithm>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

int runProgram(const std::string &program, const std::string &url) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(program.c_str(), program.c_str(), url.c_str(), static_cast<char *>(nullptr));
    ::_exit(127);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::string> examples() {
  std::istringstream in(EXAMPLES);
  return {std::istream_iterator<std::string>(in), {}};
}

class Examples : public testing::TestWithParam<std::string> {
protected:
  std::string program() const { return std::string(EXAMPLE_FOLDER "/example_") + GetParam(); }
};

} // namespace

// Each says by its exit code whether what it shows came true.
TEST_P(Examples, runAndLeaveNothing) {
  auto server = Sandbox::start({.tcp = true, .config = {}});
  ASSERT_TRUE(server) << server.error().sentence();
  EXPECT_EQ(runProgram(program(), "redis://" + server->tcpUri().address()), 0);
  Loop loop;
  Probe probe(loop, server->unixUri());
  EXPECT_TRUE(eventually([&] { return probe.number({"DBSIZE"}) == 0; }));
}

TEST_P(Examples, sayInOneSentenceThatThereIsNoServer) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  EXPECT_EQ(runProgram(program(), "redis://127.0.0.1:1"), 1);
  testing::internal::GetCapturedStdout();
  std::istringstream said(testing::internal::GetCapturedStderr());
  std::string line;
  int sentences = 0; // one of each process
  for (; std::getline(said, line); ++sentences)
    EXPECT_NE(line.find("127.0.0.1:1"), std::string::npos) << line;
  EXPECT_EQ(sentences, GetParam() == "scheduled_job" ? 4 : 1);
}

INSTANTIATE_TEST_SUITE_P(Every, Examples, testing::ValuesIn(examples()), [](const auto &example) { return example.param; });
