// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/net/address/uri.h"

#include <memory>
#include <string>
#include <vector>

namespace lockhouse {

/// One private redis-server process: a folder of its own (0700), a Unix socket, by choice a free loopback port; no persistence.
/// Killed by pid in the destructor, and by the kernel if this process ends without one; the folder is then removed by the next start.
class Sandbox {
public:
  struct Options {
    bool tcp = false;                ///< also listen on a free port of 127.0.0.1
    std::vector<std::string> config; ///< extra words of the command line: "--requirepass", "x"
    std::string program = {};        ///< path of the server to run, another one that takes Redis' options; empty = redis-server on the PATH
  };
  /// Blocking until it answers, at most ten seconds. Error Unreachable says what was tried when redis-server is not found.
  static Result<Sandbox> start(Options options);
  ~Sandbox();
  Sandbox(Sandbox &&) noexcept;
  Sandbox &operator=(Sandbox &&) noexcept;

  Uri unixUri() const;
  Uri tcpUri() const; ///< only with Options::tcp
  int pid() const;
  const std::string &folder() const;

  void pause();           ///< SIGSTOP
  void resume();          ///< SIGCONT
  void kill();            ///< SIGKILL and wait
  Result<void> restart(); ///< the same command line again, after kill(): an empty server with a new run id

private:
  struct State;
  explicit Sandbox(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

} // namespace lockhouse
