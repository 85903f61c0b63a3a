// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/connection.h"

#include <deque>
#include <optional>

namespace lockhouse {

/// Commands that run only if a key still has a value, without a script: WATCH, GET, compare, MULTI, command, EXEC. WATCH belongs to a
/// connection, and EXEC ends every watch on it, so on one connection they run one after the other. Loop thread only.
/// The reply is that of the scripts that do the same: 1 done, 0 another value, -1 no such key; or the error of the step that failed.
/// Redis: 2 round trips; 2 more each time that another client changes the key between them. Source: Redis documentation, Transactions, "Optimistic
/// locking using check-and-set".
class WatchTransaction {
public:
  explicit WatchTransaction(Connection &connection) : m_connection(connection) {}

  void run(std::string key, std::string value, Command command, Connection::Handler handler);

private:
  struct Job {
    std::string key;
    std::string value;
    Command command;
    Connection::Handler handler;
  };

  void readValue();
  void compared(const Result<Reply> &reply);
  void finish(Result<Reply> answer);

  Connection &m_connection;
  std::deque<Job> m_jobs;         // the first is under way
  std::optional<Reply> m_refusal; // of its WATCH
};

} // namespace lockhouse
