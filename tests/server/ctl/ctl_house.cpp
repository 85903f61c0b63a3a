// SPDX-License-Identifier: Apache-2.0
#include "tests/server/ctl/ctl_house.h"

#include "tests/support/open_connection.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <future>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockhouse::test {
namespace {

std::vector<char *> pointers(const std::vector<std::string> &words) {
  std::vector<char *> result;
  for (const auto &word : words)
    result.push_back(const_cast<char *>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

std::array<int, 2> makePipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  return ends;
}

// Appends what is there; false at the end.
bool readSome(int from, std::string &to) {
  std::array<char, 65536> space{};
  const auto got = read(from, space.data(), space.size());
  if (got > 0)
    to.append(space.data(), static_cast<std::size_t>(got));
  return got > 0;
}

std::string nextLine(int from, std::string &ahead) {
  while (ahead.find('\n') == std::string::npos)
    if (!readSome(from, ahead))
      return std::exchange(ahead, {});
  const auto end = ahead.find('\n') + 1;
  auto text = ahead.substr(0, end - 1);
  ahead.erase(0, end);
  return text;
}

} // namespace

CtlProcess::CtlProcess(const std::vector<std::string> &arguments, const std::vector<std::string> &environment) {
  const auto out = makePipe();
  const auto err = makePipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  std::vector<std::string> words{LOCKHOUSECTL};
  words.insert(words.end(), arguments.begin(), arguments.end());
  EXPECT_EQ(posix_spawn(&m_pid, LOCKHOUSECTL, &actions, nullptr, pointers(words).data(), pointers(environment).data()), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  close(err[1]);
  m_out = out[0];
  m_err = err[0];
}

CtlProcess::~CtlProcess() {
  if (m_pid > 0) {
    kill(m_pid, SIGKILL);
    waitpid(m_pid, nullptr, 0);
  }
  closeOutput();
  close(m_err);
}

CtlProcess::Ended CtlProcess::wait() {
  Ended ended;
  ended.out = std::exchange(m_ahead, {});
  ended.err = std::exchange(m_noted, {});
  std::array<pollfd, 2> sources{pollfd{m_out, POLLIN, 0}, pollfd{m_err, POLLIN, 0}};
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    poll(sources.data(), sources.size(), -1);
    if (sources[0].revents != 0 && !readSome(m_out, ended.out))
      sources[0].fd = -1;
    if (sources[1].revents != 0 && !readSome(m_err, ended.err))
      sources[1].fd = -1;
  }
  int status = 0;
  waitpid(std::exchange(m_pid, -1), &status, 0);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return ended;
}

std::string CtlProcess::line() { return nextLine(m_out, m_ahead); }

std::string CtlProcess::note() { return nextLine(m_err, m_noted); }

void CtlProcess::signal(int number) const { kill(m_pid, number); }

bool CtlProcess::hasEnded() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == m_pid;
}

int CtlProcess::unread() const {
  int bytes = 0;
  EXPECT_EQ(ioctl(m_out, FIONREAD, &bytes), 0);
  return bytes;
}

void CtlProcess::closeOutput() {
  if (const int out = std::exchange(m_out, -1); out >= 0)
    close(out);
}

Sandbox startServer(std::vector<std::string> config) {
  auto server = Sandbox::start({.tcp = true, .config = std::move(config)});
  EXPECT_TRUE(server) << server.error().sentence();
  return std::move(*server);
}

Reply sendTo(const Sandbox &server, Command command) {
  Loop loop;
  auto connection = openConnection(loop, server.tcpUri());
  std::promise<Reply> answer;
  loop.call([&] { connection->send(std::move(command), [&](Result<Reply> reply) { answer.set_value(reply ? std::move(*reply) : Reply()); }); });
  auto told = answer.get_future().get();
  loop.call([&] { connection.reset(); });
  return told;
}

CtlHouse::CtlHouse()
    : m_server(startServer()), m_environment{"PATH=/usr/bin:/bin", "HOME=" + m_server.folder(), "XDG_STATE_HOME=" + m_server.folder() + "/state"} {
  std::promise<void> ready;
  m_loop.call([&] {
    m_connection = std::make_unique<Connection>(m_loop, m_server.unixUri(), ConnectionOptions{});
    m_connection->onState([&ready, told = false](Connection::State state, const Error *) mutable {
      if (state != Connection::State::Connecting && !std::exchange(told, true))
        ready.set_value();
    });
    m_connection->open();
  });
  ready.get_future().get();
}

CtlHouse::~CtlHouse() {
  m_loop.call([this] { m_connection.reset(); });
}

Reply CtlHouse::redis(std::initializer_list<std::string_view> words) {
  std::promise<Result<Reply>> answer;
  m_loop.post([&] { m_connection->send(Command(words), [&answer](Result<Reply> reply) { answer.set_value(std::move(reply)); }); });
  auto reply = answer.get_future().get();
  EXPECT_TRUE(reply) << reply.error().sentence();
  return reply.value_or(Reply());
}

std::vector<std::string> CtlHouse::withUrl(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"--url", url()});
  return arguments;
}

CtlProcess::Ended CtlHouse::ctl(std::vector<std::string> arguments) const { return bare(withUrl(std::move(arguments))); }

nlohmann::json CtlHouse::json(std::vector<std::string> arguments) const {
  arguments.emplace_back("--json");
  const auto ended = ctl(std::move(arguments));
  auto parsed = nlohmann::json::parse(ended.out, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << ended.out << ended.err;
  return parsed;
}

std::string CtlHouse::failed(const CtlProcess::Ended &ended, int code) {
  EXPECT_EQ(ended.code, code) << ended.out << ended.err;
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << "one line: " << ended.err;
  EXPECT_TRUE(ended.err.starts_with("lockhousectl: "));
  return ended.err;
}

} // namespace lockhouse::test
