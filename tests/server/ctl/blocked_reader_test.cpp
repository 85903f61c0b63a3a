// SPDX-License-Identifier: Apache-2.0
// Output that nobody reads, or that cannot be written.
#include "tests/server/ctl/ctl_house.h"

#include "tests/support/eventually.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <thread>

namespace lockhouse {
namespace {

using test::CtlProcess;
using test::eventually;
using test::token;
using testing::HasSubstr;
using testing::IsEmpty;

class BlockedReader : public test::CtlHouse {
protected:
  // Runs it with standard output in `file`; its code and standard error.
  CtlProcess::Ended into(const std::string &file, const std::string &words) {
    FILE *run = popen(("'" LOCKHOUSECTL "' --url " + url() + " " + words + " 2>&1 >" + file).c_str(), "r");
    CtlProcess::Ended ended;
    std::array<char, 4096> line{};
    while (std::fgets(line.data(), line.size(), run) != nullptr)
      ended.err += line.data();
    const int status = pclose(run);
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return ended;
  }
};

TEST_F(BlockedReader, doesNotKeepWatchFromEndingOnASignal) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    CtlProcess watch(withUrl({"watch", "--json"}), m_environment);
    int written = 0;
    ASSERT_TRUE(eventually([&] {
      redis({"SET", "lock:" + std::to_string(written++ % 500), token, "PX", "60000"});
      return watch.unread() > 40'000; // what follows is more than the pipe takes, whose pages are not all filled
    }));
    for (int more = 0; more < 4000; ++more)
      redis({"SET", "lock:" + std::to_string(more % 500), std::to_string(number) + token, "PX", "60000"});
    watch.signal(number);
    EXPECT_TRUE(eventually([&] { return watch.hasEnded(); })) << "signal " << number;
    const auto ended = watch.wait();
    EXPECT_EQ(ended.code, 0);
    EXPECT_THAT(ended.err, IsEmpty());
  }
}

TEST_F(BlockedReader, whoReadsLaterMissesNothing) {
  for (int i = 0; i < 500; ++i)
    redis({"SET", "lock:" + std::to_string(i), token, "PX", "60000"});
  CtlProcess watch(withUrl({"watch", "--json"}), m_environment);
  ASSERT_TRUE(eventually([&] { return watch.unread() > 40'000; }));
  std::uint64_t last = 0;
  for (int i = 0; i < 500; ++i) {
    const auto change = nlohmann::json::parse(watch.line());
    EXPECT_EQ(change["seq"], ++last);
  }
}

TEST_F(BlockedReader, whatAStopLeftOfAReleaseOfManyIsToldWhole) {
  for (int i = 0; i < 3000; ++i)
    redis({"SET", "lock:" + std::to_string(i), token, "PX", "60000"});
  redis({"CLIENT", "PAUSE", "600000", "WRITE"}); // its plan asks for its rights by a script, which waits until the stop was heard
  CtlProcess release(withUrl({"release", "--json", "--filter", "name:lock", "--reason", "x", "--apply"}), m_environment);
  ASSERT_TRUE(eventually([&] { return std::string(redis({"CLIENT", "LIST"}).text().value_or("")).find("cmd=eval") != std::string::npos; }));
  release.signal(SIGINT); // while it plans
  for (auto said = release.note(); said.find("stopping") == std::string::npos; said = release.note())
    ASSERT_NE(said, "") << "it ended before";
  redis({"CLIENT", "UNPAUSE"});
  ASSERT_TRUE(eventually([&] { return release.unread() > 40'000; })) << "more than the pipe takes follows";
  const auto ended = release.wait();
  const auto told = nlohmann::json::parse(ended.out, nullptr, false);
  ASSERT_FALSE(told.is_discarded()) << ended.out.size() << " bytes";
  ASSERT_EQ(told["results"].size(), 3000U);
  EXPECT_TRUE(std::ranges::all_of(told["results"], [](const auto &result) { return result["verdict"] == "stopped"; }));
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 3000) << "a stop while it plans releases nothing";
  EXPECT_EQ(ended.code, 5);
}

TEST_F(BlockedReader, aReleaseThatStillLooksEndsOnASignal) {
  redis({"SET", "lock:a", token, "PX", "600000"});
  redis({"CLIENT", "PAUSE", "60000", "ALL"}); // what is asked of it now is answered after that
  CtlProcess release(withUrl({"release", "--filter", "name:lock", "--plan"}), m_environment);
  std::this_thread::sleep_for(milliseconds(300)); // it has begun, or ends by the signal before
  release.signal(SIGINT);
  EXPECT_TRUE(eventually([&] { return release.hasEnded(); }));
  EXPECT_EQ(release.wait().code, -SIGINT);
}

TEST_F(BlockedReader, aFullDiskIsAFailureOfEveryVerb) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  for (const auto *words : {"list", "list --json", "show lock:a", "primitives", "audit", "help json", "--help", "--version", "watch --for 2",
                            "stress --count 1", "release lock:a --holder 3f786850e387550fdab836ed7e6dc881 --reason x --plan --json"}) {
    const auto ended = into("/dev/full", words);
    EXPECT_EQ(ended.code, 5) << words;
    EXPECT_THAT(ended.err, HasSubstr("standard output: cannot be written: No space left on device")) << words;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
}

TEST_F(BlockedReader, aClosedOutputIsAFailureAndNoSocketGetsItsText) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  const auto ended = into("&-", "list");
  EXPECT_EQ(ended.code, 5);
  EXPECT_THAT(ended.err, HasSubstr("standard output"));
}

TEST_F(BlockedReader, aReaderThatIsGoneIsNone) {
  for (int i = 0; i < 2000; ++i)
    redis({"SET", "lock:" + std::to_string(i), token, "PX", "60000"});
  CtlProcess list(withUrl({"list", "--json"}), m_environment);
  list.closeOutput();
  const auto ended = list.wait();
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, IsEmpty());
}

} // namespace
} // namespace lockhouse
