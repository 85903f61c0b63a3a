// SPDX-License-Identifier: Apache-2.0
// Holders that are killed or stopped, as real processes.
#include "tests/server/client/client_house.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

/// A lock_holder process, with its input and output.
class Holder {
public:
  Holder(const std::string &socket, const char *key, milliseconds lease) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    EXPECT_EQ(::pipe2(in.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
    const auto leaseText = std::to_string(lease.count());
    m_pid = ::fork();
    if (m_pid == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::execl(LOCK_HOLDER, LOCK_HOLDER, socket.c_str(), key, leaseText.c_str(), static_cast<char *>(nullptr));
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    m_in = in[1];
    m_out = out[0];
  }
  ~Holder() {
    ::close(m_in);
    ::close(m_out);
    if (m_pid > 0) {
      ::kill(m_pid, SIGKILL);
      ::waitpid(m_pid, nullptr, 0);
    }
  }
  Holder(const Holder &) = delete;
  Holder &operator=(const Holder &) = delete;

  void signal(int number) const { ::kill(m_pid, number); }
  /// Returns once the process stands still.
  void stop() const {
    signal(SIGSTOP);
    int status = 0;
    EXPECT_EQ(::waitpid(m_pid, &status, WUNTRACED), m_pid);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  void go() const { EXPECT_EQ(::write(m_in, "\n", 1), 1); }
  std::string line() const {
    std::string text;
    for (char c = 0; ::read(m_out, &c, 1) == 1 && c != '\n';)
      text.push_back(c);
    return text;
  }

private:
  pid_t m_pid = -1;
  int m_in = -1;
  int m_out = -1;
};

} // namespace

class HolderProcess : public ClientHouse {
protected:
  std::string socket() const { return server->unixUri().path; }
};

TEST_F(HolderProcess, thatIsKilledLosesTheLockWithItsLease) {
  Holder holder(socket(), "k", 500ms);
  ASSERT_EQ(holder.line(), "held");
  EXPECT_FALSE(client->mutex(LockName("k")).tryAcquire());
  holder.signal(SIGKILL);
  auto next = client->mutex(LockName("k"), {.waitLimit = 20s}).acquire();
  ASSERT_TRUE(next) << next.error().sentence();
}

TEST_F(HolderProcess, thatWasStoppedLongerThanItsLeaseKnowsAtOnceAndLeavesItsSuccessorAlone) {
  Holder holder(socket(), "k", 500ms);
  ASSERT_EQ(holder.line(), "held");
  holder.stop();
  auto next = client->mutex(LockName("k"), {.waitLimit = 20s}).acquire();
  ASSERT_TRUE(next) << next.error().sentence();
  holder.go();
  holder.signal(SIGCONT);
  EXPECT_EQ(holder.line(), "knows, not the owner");
  EXPECT_TRUE(next->isHeld());
  EXPECT_FALSE(isFree("k"));
  EXPECT_EQ(next->release(), ReleaseOutcome::Released);
}

TEST_F(HolderProcess, thatWasStoppedForLessGoesOn) {
  Holder holder(socket(), "k", 20s);
  ASSERT_EQ(holder.line(), "held");
  holder.stop();
  holder.signal(SIGCONT);
  holder.go();
  EXPECT_EQ(holder.line(), "believes, released");
  EXPECT_TRUE(isFree("k"));
}
