// SPDX-License-Identifier: Apache-2.0
#include "core/lab/sandbox/sandbox.h"

#include "core/lab/sandbox/child_process.h"
#include "core/lab/sandbox/sandbox_folder.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockhouse {
namespace {

constexpr auto startLimit = std::chrono::seconds(10);

class Fd {
public:
  explicit Fd(int fd) : m_fd(fd) {}
  ~Fd() {
    if (m_fd >= 0)
      ::close(m_fd);
  }
  Fd(const Fd &) = delete;
  Fd &operator=(const Fd &) = delete;
  int get() const { return m_fd; }

private:
  int m_fd;
};

// A port that nothing listens on now; another process may take it before the server does, so start() tries again.
std::optional<std::uint16_t> freePort() {
  const Fd probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  if (::bind(probe.get(), generic, size) != 0 || ::getsockname(probe.get(), generic, &size) != 0)
    return std::nullopt;
  return ntohs(address.sin_port);
}

// True once the server answers at all: an error reply (NOAUTH, LOADING) is an answer too.
bool answers(const std::string &path) {
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size() + 1, sizeof(address.sun_path) - 1));
  if (::connect(fd.get(), reinterpret_cast<sockaddr *>(&address), sizeof(address)) != 0)
    return false;
  const timeval patience{1, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  constexpr std::string_view ping = "PING\r\n";
  std::array<char, 64> reply{};
  return ::send(fd.get(), ping.data(), ping.size(), MSG_NOSIGNAL) > 0 && ::recv(fd.get(), reply.data(), reply.size(), 0) > 0;
}

} // namespace

struct Sandbox::State {
  State(std::string server, SandboxFolder home) : program(std::move(server)), folder(std::move(home)) {}

  std::string program;
  SandboxFolder folder; // outlives the process, which ~State() ends
  std::uint16_t port = 0;
  std::vector<std::string> words;
  pid_t pid = -1;

  ~State() { end(); }
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  std::string socket() const { return folder.socket(); }

  std::vector<std::string> commandLine(const std::vector<std::string> &config) const {
    std::vector<std::string> line{"redis-server", "--port", std::to_string(port), "--bind", "127.0.0.1", "--dir", folder.path(), "--loglevel", "warning"};
    line.insert(line.end(), {"--unixsocket", socket(), "--unixsocketperm", "700", "--save", "", "--appendonly", "no", "--daemonize", "no"});
    line.insert(line.end(), config.begin(), config.end());
    return line;
  }

  void end() {
    if (pid <= 0)
      return;
    ::kill(pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    pid = -1;
  }

  // A signal for the server, never for everybody: kill(-1, …) would be.
  void signal(int number) {
    if (pid > 0)
      ::kill(pid, number);
  }

  bool hasEnded() {
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) != pid)
      return false;
    pid = -1;
    return true;
  }

  Result<void> begin(std::chrono::steady_clock::time_point deadline) {
    std::error_code ignored;
    std::filesystem::remove(socket(), ignored);
    pid = startTied(program, words);
    if (pid < 0)
      return fail(ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "redis-server could not be started: %1")(std::strerror(errno)));
    while (std::chrono::steady_clock::now() < deadline) {
      if (hasEnded())
        return fail(ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "redis-server ended at once"), folder.path(),
                    LH_MESSAGE("ErrorWords", "run `%1` to see why")(fmt::format("{}", fmt::join(words, " "))));
      if (answers(socket()))
        return {};
      ::poll(nullptr, 0, 5); // ms; the socket appears without a word
    }
    end();
    return fail(ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "redis-server did not answer within ten seconds"), folder.path());
  }
};

Result<Sandbox> Sandbox::start(Options options) {
  auto program = options.program.empty() ? findProgram("redis-server") : std::optional(options.program);
  if (!program)
    return fail(ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "redis-server was not found on this machine"), {},
                LH_MESSAGE("ErrorWords", "install it (Debian: apt-get install redis-server)"));
  auto folder = SandboxFolder::make();
  if (!folder)
    return std::unexpected(std::move(folder).error());
  auto state = std::make_unique<State>(std::move(*program), std::move(*folder));
  const auto deadline = std::chrono::steady_clock::now() + startLimit;
  for (int tries = 1;; ++tries) {
    if (options.tcp)
      state->port = freePort().value_or(0);
    state->words = state->commandLine(options.config);
    auto begun = state->begin(deadline);
    if (begun)
      return Sandbox(std::move(state));
    if (!options.tcp || tries == 3)
      return std::unexpected(std::move(begun).error());
  }
}

Sandbox::Sandbox(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Sandbox::~Sandbox() = default;
Sandbox::Sandbox(Sandbox &&) noexcept = default;
Sandbox &Sandbox::operator=(Sandbox &&) noexcept = default;

Uri Sandbox::unixUri() const {
  Uri uri;
  uri.kind = Uri::Kind::Unix;
  uri.path = m_state->socket();
  return uri;
}

Uri Sandbox::tcpUri() const {
  Uri uri;
  uri.host = "127.0.0.1";
  uri.port = m_state->port;
  return uri;
}

int Sandbox::pid() const { return m_state->pid; }
const std::string &Sandbox::folder() const { return m_state->folder.path(); }
void Sandbox::pause() { m_state->signal(SIGSTOP); }
void Sandbox::resume() { m_state->signal(SIGCONT); }
void Sandbox::kill() { m_state->end(); }
Result<void> Sandbox::restart() {
  m_state->end();
  return m_state->begin(std::chrono::steady_clock::now() + startLimit);
}

} // namespace lockhouse
