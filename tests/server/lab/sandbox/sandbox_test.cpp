// SPDX-License-Identifier: Apache-2.0
#include "core/lab/sandbox/child_process.h"
#include "core/lab/sandbox/sandbox.h"
#include "tests/server/lab/raw_redis.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace lockhouse;
using test::RawRedis;

namespace {

// The letter of proc(5): R, S, T …; empty when there is no such process.
std::string processState(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, letter;
  file >> number >> name >> letter;
  return letter;
}

// An orphan that ended may wait as a zombie until init has time for it.
bool isGone(int pid) {
  const auto state = processState(pid);
  return state.empty() || state == "Z";
}

bool becomesTrue(auto &&condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < deadline) {
    if (condition())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

// Another value of an environment variable for the length of a test.
class Environment {
public:
  Environment(const char *name, const std::string &value) : m_name(name) {
    if (const char *old = std::getenv(name))
      m_old = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() { m_old ? ::setenv(m_name, m_old->c_str(), 1) : ::unsetenv(m_name); }
  Environment(const Environment &) = delete;
  Environment &operator=(const Environment &) = delete;

private:
  const char *m_name;
  std::optional<std::string> m_old;
};

class Folder {
public:
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path().string() + "/lockhouse-test-XXXXXX";
    m_path = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(m_path); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  const std::filesystem::path &path() const { return m_path; }

private:
  std::filesystem::path m_path;
};

Sandbox started(Sandbox::Options options = {}) {
  auto server = Sandbox::start(std::move(options));
  if (!server)
    throw std::runtime_error(server.error().sentence());
  return std::move(*server);
}

std::string ping(const Sandbox &server) { return RawRedis(server.unixUri().path)({"PING"}); }

// Starts sandbox_owner, reads what it owns, and waits for its end if it is one that ends by itself.
struct Owner {
  explicit Owner(const char *how) {
    int pipe[2];
    if (::pipe(pipe) != 0)
      return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], 1);
    posix_spawn_file_actions_addclose(&actions, pipe[0]);
    std::string program = SANDBOX_OWNER, argument = how;
    char *argv[] = {program.data(), argument.data(), nullptr};
    posix_spawn(&pid, program.c_str(), &actions, nullptr, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    FILE *out = ::fdopen(pipe[0], "r");
    char path[256] = "";
    if (std::fscanf(out, "%d %255s", &server, path) == 2)
      folder = path;
    std::fclose(out);
  }
  ~Owner() { std::filesystem::remove_all(folder); }
  int reap() const {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return status;
  }
  pid_t pid = -1;
  int server = -1;
  std::filesystem::path folder;
};

} // namespace

TEST(Sandbox, answersAndIsGoneAfterwards) {
  int pid = 0;
  std::string folder;
  {
    const auto server = started();
    pid = server.pid();
    folder = server.folder();
    EXPECT_EQ(ping(server), "PONG");
    struct stat info{};
    ASSERT_EQ(::stat(folder.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
  }
  EXPECT_TRUE(isGone(pid));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Sandbox, twoInstancesAreTwoServers) {
  const auto one = started();
  const auto other = started();
  EXPECT_NE(one.folder(), other.folder());
  RawRedis(one.unixUri().path)({"SET", "a", "1"});
  EXPECT_EQ(RawRedis(one.unixUri().path).number({"DBSIZE"}), 1);
  EXPECT_EQ(RawRedis(other.unixUri().path).number({"DBSIZE"}), 0);
}

TEST(Sandbox, survivesTheThreadThatStartedIt) {
  std::optional<Sandbox> server;
  std::thread([&] { server.emplace(started()); }).join();
  // The kernel would have sent its signal before join() returned; a server that still answers twice has not got one.
  EXPECT_EQ(ping(*server), "PONG");
  EXPECT_EQ(ping(*server), "PONG");
}

TEST(Sandbox, serverEndsWithAnOwnerThatExitsWithoutDestructors) {
  const Owner owner("exit");
  ASSERT_GT(owner.server, 0);
  EXPECT_EQ(WEXITSTATUS(owner.reap()), 9);
  EXPECT_TRUE(becomesTrue([&] { return isGone(owner.server); }));
}

TEST(Sandbox, serverEndsWithAnOwnerThatIsKilled) {
  const Owner owner("wait");
  ASSERT_GT(owner.server, 0);
  EXPECT_FALSE(isGone(owner.server));
  ::kill(owner.pid, SIGKILL);
  EXPECT_EQ(WTERMSIG(owner.reap()), SIGKILL);
  EXPECT_TRUE(becomesTrue([&] { return isGone(owner.server); }));
}

TEST(Sandbox, saysInOneSentenceThatRedisServerIsMissing) {
  const Folder empty;
  const Environment path("PATH", empty.path().string());
  const auto server = Sandbox::start({});
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::Unreachable);
  EXPECT_NE(server.error().what.english().find("redis-server was not found"), std::string::npos);
  EXPECT_NE(server.error().next.english().find("install"), std::string::npos);
}

TEST(Sandbox, looksThroughAllOfPath) {
  const auto real = findProgram("redis-server");
  ASSERT_TRUE(real);
  const Folder folder;
  std::filesystem::create_directories(folder.path() / "a" / "redis-server"); // a folder of that name is not the program
  std::filesystem::create_directories(folder.path() / "b");
  std::ofstream(folder.path() / "b" / "redis-server") << "not executable";
  std::filesystem::create_directories(folder.path() / "c");
  std::filesystem::create_symlink(*real, folder.path() / "c" / "redis-server");
  const auto at = folder.path().string();
  const Environment path("PATH", at + "/none:" + at + "/a:" + at + "/b:" + at + "/c");
  EXPECT_EQ(findProgram("redis-server"), at + "/c/redis-server");
  EXPECT_EQ(ping(started()), "PONG");
}

TEST(Sandbox, aLongTemporaryFolderStillGetsASocketThatFits) {
  const Folder folder;
  const auto deep = folder.path() / std::string(60, 'd') / std::string(60, 'e');
  std::filesystem::create_directories(deep);
  const Environment temporary("TMPDIR", deep.string());
  const auto server = started();
  EXPECT_LE(server.unixUri().path.size(), 107U);
  EXPECT_EQ(ping(server), "PONG");
}

TEST(Sandbox, saysThatTheTemporaryFolderIsMissing) {
  const Environment temporary("TMPDIR", "/nonexistent/lockhouse");
  const auto server = Sandbox::start({});
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::Storage);
  EXPECT_NE(server.error().sentence().find("TMPDIR"), std::string::npos);
}

TEST(Sandbox, aServerThatRefusesItsOptionsIsAnErrorThatSaysHowToSeeWhy) {
  const auto server = Sandbox::start({.tcp = false, .config = {"--no-such-option", "x"}});
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::Unreachable);
  EXPECT_NE(server.error().sentence().find("--no-such-option"), std::string::npos);
}

TEST(Sandbox, listensOnLoopbackWhenAsked) {
  const auto server = started({.tcp = true, .config = {}});
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(server.tcpUri().port);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)), 0);
  ::close(fd);
}

TEST(Sandbox, killedAndRestartedIsAnEmptyServerWithAnotherRunId) {
  auto server = started();
  const auto runId = [&] {
    const auto info = RawRedis(server.unixUri().path)({"INFO", "server"});
    return info.substr(info.find("run_id:"), 47);
  };
  const auto before = runId();
  RawRedis(server.unixUri().path)({"SET", "a", "1"});
  const int pid = server.pid();
  server.kill();
  EXPECT_TRUE(isGone(pid));
  server.pause(); // nothing to pause, and nobody else is
  server.resume();
  ASSERT_TRUE(server.restart());
  EXPECT_EQ(RawRedis(server.unixUri().path).number({"DBSIZE"}), 0);
  EXPECT_NE(runId(), before);
}

// The kernel tells a parent of each stop. Nobody asked for that: a call that waits, such as a receive with a timeout, must not end for it.
TEST(Sandbox, aServerThatStopsAndGoesOnInterruptsNoCallOfOurs) {
  auto server = started();
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const timeval patience{60, 0};
  ::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  std::thread other([&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr); // so that only the thread that receives can be interrupted
    server.pause();
    becomesTrue([&] { return processState(server.pid()) == "T"; });
    server.resume();
    becomesTrue([&] { return processState(server.pid()) != "T"; });
    ::send(ends[1], "x", 1, MSG_NOSIGNAL);
  });
  char byte = 0;
  const auto got = ::recv(ends[0], &byte, 1, 0);
  EXPECT_EQ(got, 1) << std::strerror(errno);
  other.join();
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Sandbox, pausedServerStandsStillUntilResumed) {
  auto server = started();
  server.pause();
  EXPECT_TRUE(becomesTrue([&] { return processState(server.pid()) == "T"; }));
  server.resume();
  EXPECT_TRUE(becomesTrue([&] { return processState(server.pid()) != "T"; }));
  EXPECT_EQ(ping(server), "PONG");
}
