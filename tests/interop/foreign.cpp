// SPDX-License-Identifier: Apache-2.0
#include "tests/interop/foreign.h"

#include "tests/support/eventually.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <vector>

namespace lockhouse::test {
namespace {

const std::string drivers = LOCKHOUSE_DRIVERS, python = LOCKHOUSE_PYTHON;

std::vector<std::string> java(const std::string &driver) {
  return {"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", drivers + "/java/classes:" + drivers + "/java/jars/*", driver};
}
std::vector<std::string> pythonScript(const std::string &script) { return {drivers + "/python/bin/python", "-B", python + "/" + script}; }

std::vector<std::string> commandLine(const std::string &library) {
  if (library == "redisson")
    return java("RedissonDriver");
  if (library == "spring-integration")
    return java("SpringDriver");
  if (library == "shedlock")
    return java("ShedLockDriver");
  if (library == "redis-py")
    return pythonScript("redis_py.py");
  if (library == "python-redis-lock")
    return pythonScript("python_redis_lock.py");
  if (library == "node-redlock")
    return {"node", drivers + "/node/node_redlock.mjs"};
  if (library == "bullmq")
    return {"node", drivers + "/node/bullmq.mjs"};
  return {drivers + "/go/bin/" + library};
}

std::unexpected<Error> notStarted(const std::string &library, const std::string &why) {
  return fail(ErrorCode::Usage, Message::verbatim("its driver " + why), library, Message::verbatim("packaging/dev test interop builds it"));
}

struct Process {
  int pid = -1, input = -1, output = -1;
};

Process spawn(const std::vector<std::string> &words) {
  std::array<int, 2> in{}, out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0)
    return {};
  posix_spawn_file_actions_t ends;
  ::posix_spawn_file_actions_init(&ends);
  ::posix_spawn_file_actions_adddup2(&ends, in[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&ends, out[1], STDOUT_FILENO);
  std::vector<char *> argv;
  for (const auto &word : words)
    argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  Process process{-1, in[1], out[0]};
  if (::posix_spawnp(&process.pid, argv[0], &ends, nullptr, argv.data(), environ) != 0)
    process.pid = -1;
  ::posix_spawn_file_actions_destroy(&ends);
  ::close(in[0]);
  ::close(out[1]);
  return process;
}

Foreign::Answer parse(std::string_view words) {
  if (words == "no")
    return {Foreign::Answer::Kind::No, {}, {}};
  if (!words.starts_with("ok "))
    return {Foreign::Answer::Kind::Error, {}, std::string(words)};
  std::size_t used = 0;
  const std::string rest(words.substr(3));
  const auto nanoseconds = std::stoll(rest, &used);
  return {Foreign::Answer::Kind::Ok, SharedTime(std::chrono::nanoseconds(nanoseconds)), used < rest.size() ? rest.substr(used + 1) : ""};
}

} // namespace

Result<std::unique_ptr<Foreign>> Foreign::start(const std::string &library, const std::vector<std::uint16_t> &ports) {
  std::signal(SIGPIPE, SIG_IGN); // a driver that has ended is an answer, not the end of the test
  auto words = commandLine(library);
  for (const auto port : ports)
    words.push_back(std::to_string(port));
  const auto process = spawn(words);
  if (process.pid < 0)
    return notStarted(library, "could not be started");
  std::unique_ptr<Foreign> foreign(new Foreign(process.pid, process.input, process.output));
  const auto ready = foreign->m_ready.get_future();
  if (ready.wait_for(std::chrono::seconds(60)) != std::future_status::ready)
    return notStarted(library, "did not become ready");
  const std::scoped_lock guard(foreign->m_mutex);
  if (foreign->m_over)
    return notStarted(library, "ended at once");
  return foreign;
}

Foreign::Foreign(int pid, int input, int output) : m_pid(pid), m_input(input), m_output(output), m_reader([this] { read(); }) {}

Foreign::~Foreign() {
  ::close(m_input);
  const bool ended = m_pid < 0 || eventually([this] { return ::waitpid(m_pid, nullptr, WNOHANG) == m_pid; }, std::chrono::seconds(5));
  if (!ended)
    kill();
  m_reader.join();
  ::close(m_output);
}

std::future<Foreign::Answer> Foreign::ask(const std::string &owner, const std::string &words) {
  std::promise<Answer> asked;
  auto answer = asked.get_future();
  const std::string line = owner + " " + words + "\n";
  const std::scoped_lock guard(m_mutex);
  if (m_over || ::write(m_input, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    asked.set_value({Answer::Kind::Error, {}, "the driver has ended"});
  else
    m_asked.insert_or_assign(owner, std::move(asked));
  return answer;
}

void Foreign::kill() {
  if (m_pid < 0)
    return;
  ::kill(m_pid, SIGKILL);
  ::waitpid(m_pid, nullptr, 0);
  m_pid = -1;
}

void Foreign::read() {
  std::string unread;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(m_output, buffer.data(), buffer.size())) > 0;) {
    unread.append(buffer.data(), static_cast<std::size_t>(got));
    for (auto end = unread.find('\n'); end != std::string::npos; end = unread.find('\n')) {
      hear(unread.substr(0, end));
      unread.erase(0, end + 1);
    }
  }
  const std::scoped_lock guard(m_mutex);
  m_over = true;
  for (auto &[owner, asked] : m_asked)
    asked.set_value({Answer::Kind::Error, {}, "the driver has ended"});
  m_asked.clear();
  if (!m_isReady)
    m_ready.set_value();
}

void Foreign::hear(std::string line) {
  if (!m_isReady && line == "ready") {
    m_isReady = true;
    m_ready.set_value();
    return;
  }
  const auto space = line.find(' ');
  const std::scoped_lock guard(m_mutex);
  const auto asked = m_asked.extract(line.substr(0, space));
  if (asked && space != std::string::npos)
    asked.mapped().set_value(parse(std::string_view(line).substr(space + 1)));
}

} // namespace lockhouse::test
