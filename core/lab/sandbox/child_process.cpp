// SPDX-License-Identifier: Apache-2.0
#include "core/lab/sandbox/child_process.h"

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace lockhouse {
namespace {

// In the child, before exec: async-signal-safe calls only.
[[noreturn]] void become(const char *program, char *const *argv, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127); // we ended before the kernel knew what to do then
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setpgid(0, 0); // Ctrl-C in our terminal is ours to handle
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, 0);
  dup2(null, 1);
  dup2(null, 2);
  close_range(3, ~0U, 0);
  execv(program, argv);
  _exit(127);
}

// The one thread that forks. It lives until the process ends, because its death would be the death of every child.
class Spawner {
public:
  Spawner() : m_owner(getpid()) {
    std::thread([this] { serve(); }).detach();
  }

  bool isOurs() const { return m_owner == getpid(); } // a forked copy of us has this object, but not its thread

  pid_t spawn(const char *program, char *const *argv, int &error) {
    const auto child = std::make_shared<std::promise<pid_t>>();
    auto answer = child->get_future();
    {
      const std::lock_guard guard(m_mutex);
      m_wanted.push_back([=, this, &error] {
        const pid_t pid = fork();
        if (pid == 0)
          become(program, argv, m_owner);
        error = errno;
        child->set_value(pid);
      });
    }
    m_more.notify_one();
    return answer.get();
  }

private:
  void serve() {
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGCHLD);                    // ignored it comes to nothing; blocked here, it would go to another thread and interrupt its calls
    pthread_sigmask(SIG_SETMASK, &all, nullptr); // signals to the process are for the threads that expect them
    for (;;) {
      std::unique_lock guard(m_mutex);
      m_more.wait(guard, [this] { return !m_wanted.empty(); });
      const auto wanted = std::exchange(m_wanted, {});
      guard.unlock();
      for (const auto &one : wanted)
        one();
    }
  }

  const pid_t m_owner;
  std::mutex m_mutex;
  std::condition_variable m_more;
  std::vector<std::function<void()>> m_wanted;
};

// Never destroyed: its thread outlives every object with a destructor.
Spawner &spawner() {
  static std::mutex mutex;
  static Spawner *one = nullptr;
  const std::lock_guard guard(mutex);
  if (one == nullptr || !one->isOurs())
    one = new Spawner;
  return *one;
}

} // namespace

std::optional<std::string> findProgram(const std::string &name) {
  const char *path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (true) {
    const auto colon = rest.find(':');
    const std::filesystem::path folder(rest.substr(0, colon).empty() ? "." : rest.substr(0, colon));
    auto candidate = (folder / name).string();
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored) && ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
    if (colon == std::string_view::npos)
      return std::nullopt;
    rest.remove_prefix(colon + 1);
  }
}

pid_t startTied(const std::string &program, std::vector<std::string> words) {
  std::vector<char *> argv;
  for (auto &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  int error = 0;
  const pid_t child = spawner().spawn(program.c_str(), argv.data(), error);
  if (child < 0)
    errno = error;
  return child;
}

} // namespace lockhouse
