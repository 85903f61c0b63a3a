// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/connection.h"

#include <atomic>
#include <memory>
#include <vector>

namespace lockhouse {

/// A connection of an operator's own to one node: made when it is first asked, never made again. What is asked before it is ready waits for
/// it; what is asked after it was lost is told so at once, as what was not sent. The only way by which an operator writes. Loop thread only.
class ReleaseConnection {
public:
  using Answer = std::move_only_function<void(Result<Reply>)>;

  /// `unlocked` outlives it: while it is false nothing written by write() leaves.
  ReleaseConnection(Loop &loop, Uri uri, ConnectionOptions options, const std::atomic<bool> &unlocked);
  ~ReleaseConnection(); ///< calls no handler
  ReleaseConnection(const ReleaseConnection &) = delete;
  ReleaseConnection &operator=(const ReleaseConnection &) = delete;

  /// `answer` is called once, never inside this call, and may destroy the lane. Commands leave in the order in which they were given.
  void read(Command command, Answer answer);
  /// The same; error ReadOnly where the operator is locked in the moment in which it would leave.
  void write(Command command, Answer answer);
  /// Why nothing that is given now would be sent; null while it may be.
  const Error *whyLost() const;

private:
  struct Waiting {
    Command command;
    Answer answer;
    bool writes;
  };
  Loop &m_loop;
  const std::atomic<bool> &m_unlocked;
  Uri m_uri;
  std::vector<Waiting> m_waiting;
  std::shared_ptr<bool> m_isAlive = std::make_shared<bool>(true); // for what is told later
  std::unique_ptr<Connection> m_connection;

  void ask(Waiting waiting);
  void send(Waiting waiting);
  void refuseLater(Answer answer, Error why);
};

} // namespace lockhouse
