// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/sandbox/sandbox.h"
#include "core/net/connection/connection.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace lockhouse::test {

inline constexpr auto token = "3f786850e387550fdab836ed7e6dc881";
inline constexpr auto owner = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1";

/// A running lockhousectl. What it writes is read by wait() and line(), so keep its output small or read it.
class CtlProcess {
public:
  CtlProcess(const std::vector<std::string> &arguments, const std::vector<std::string> &environment);
  ~CtlProcess(); ///< ends it if it still runs
  CtlProcess(const CtlProcess &) = delete;
  CtlProcess &operator=(const CtlProcess &) = delete;

  struct Ended {
    int code = -1; ///< negative: the signal that ended it
    std::string out, err;
  };
  Ended wait();       ///< everything not yet read, and the exit code
  std::string line(); ///< the next line of its output; empty at its end
  std::string note(); ///< the same of its standard error
  void signal(int number) const;
  bool hasEnded() const;
  void closeOutput(); ///< nobody reads any more
  int unread() const; ///< bytes of its output that wait in the pipe
  int pid() const { return m_pid; }

private:
  int m_pid = -1;
  int m_out = -1;
  int m_err = -1;
  std::string m_ahead, m_noted; // read, not yet asked for
};

/// A server and an environment of its own for lockhousectl.
class CtlHouse : public testing::Test {
protected:
  CtlHouse();
  ~CtlHouse() override;

  std::string url() const { return "redis://" + m_server.tcpUri().address(); }
  std::string address() const { return m_server.tcpUri().address(); }
  Reply redis(std::initializer_list<std::string_view> words);
  /// With --url to the server first.
  CtlProcess::Ended ctl(std::vector<std::string> arguments) const;
  CtlProcess::Ended bare(const std::vector<std::string> &arguments) const { return CtlProcess(arguments, m_environment).wait(); }
  nlohmann::json json(std::vector<std::string> arguments) const;
  /// Checks code and that standard error is one line; returns it.
  static std::string failed(const CtlProcess::Ended &ended, int code);
  std::vector<std::string> withUrl(std::vector<std::string> arguments) const;

  Sandbox m_server;
  std::vector<std::string> m_environment;

private:
  Loop m_loop;
  std::unique_ptr<Connection> m_connection;
};

Sandbox startServer(std::vector<std::string> config = {});
Reply sendTo(const Sandbox &server, Command command); ///< by a connection of its own; the answer

} // namespace lockhouse::test
