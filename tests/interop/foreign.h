// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <chrono>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lockhouse::test {

/// CLOCK_MONOTONIC, which all processes of a machine share.
using SharedClock = std::chrono::steady_clock;
using SharedTime = SharedClock::time_point;

/// A lock library of another language in a process of its own: a small program (tests/interop/<language>) that reads lines and answers each
/// with one, `OWNER ok …`, `OWNER no` or `OWNER error TEXT`. Owners are words; each asks one thing at a time.
///   OWNER KIND take NAME LEASE         asks once; ok NS: in, since then
///   OWNER KIND wait NAME LEASE LIMIT   waits as the library does; ok NS: in, since then; no: the limit is over
///   OWNER KIND give NAME               ok NS: given back, asked then; no: it was not the owner's
///   OWNER KIND who NAME                ok NS ID: as whom the library writes this owner, where it tells
/// NS is of the SharedClock. LEASE and LIMIT are milliseconds; a lease of 0 is one that the library renews.
class Foreign {
public:
  struct Answer {
    enum class Kind { Ok, No, Error } kind = Kind::Error;
    SharedTime at{};  ///< of Ok
    std::string text; ///< of Error; what follows the time of Ok
    bool ok() const { return kind == Kind::Ok; }
    bool no() const { return kind == Kind::No; }
  };

  /// Starts the driver of `library` ("redisson", "spring-integration", "shedlock", "redis-py", "python-redis-lock", "node-redlock", "bullmq",
  /// "redsync", "rueidislock") for the servers of these ports and waits until it is ready. Error Usage says what to build when it is not
  /// there.
  static Result<std::unique_ptr<Foreign>> start(const std::string &library, const std::vector<std::uint16_t> &ports);
  ~Foreign(); ///< asks it to end by the end of its input, then kills it
  Foreign(const Foreign &) = delete;
  Foreign &operator=(const Foreign &) = delete;

  std::future<Answer> ask(const std::string &owner, const std::string &words);
  void kill(); ///< SIGKILL: what it holds stays in Redis until the lease ends

private:
  Foreign(int pid, int input, int output);
  void read();
  void hear(std::string line);

  int m_pid, m_input, m_output;
  std::mutex m_mutex; // guards m_asked, m_over
  std::map<std::string, std::promise<Answer>> m_asked;
  bool m_over = false;
  std::promise<void> m_ready;
  bool m_isReady = false; // the reader's
  std::jthread m_reader;
};

} // namespace lockhouse::test
