// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/connection/watch_transaction.h"
#include "core/client/quorum/quorum_driver_options.h"
#include "core/client/support/connection_log.h"
#include "core/client/support/metrics.h"

namespace lockhouse {

/// One node of a QuorumDriver: its connection, who it is, and whether it may vote. Loop thread only.
class QuorumNode {
public:
  /// `restarted`: it is another run of the server than before.
  using ReadyHandler = std::move_only_function<void(bool restarted)>;

  QuorumNode(Loop &loop, Uri uri, const QuorumDriverOptions &options);
  QuorumNode(const QuorumNode &) = delete;
  QuorumNode &operator=(const QuorumNode &) = delete;

  void onReady(ReadyHandler handler) { m_onReady = std::move(handler); } ///< it has said who it is, on this connection
  void onAway(Loop::Task handler) { m_onAway = std::move(handler); }     ///< the connection is lost, or did not come
  void open() { m_connection.open(); }
  void close() { m_connection.close(); }

  const std::string &address() const { return m_address; }
  const std::string &runId() const { return m_runId; }
  bool isReady() const { return m_ready; }
  std::uint64_t commandsSent() const { return m_connection.counters().commands; }
  NodeMetrics metrics() const { return {NodeId(m_address), commandsSent(), m_connection.counters().connects, m_ready}; }
  /// Another node of this driver is the same server: this one does not vote.
  void setTwin(const std::string *address);

  NodeStanding standing() const;
  /// Why it may not vote now for a lock of that lease; nothing if it may.
  std::optional<Error> whyNot(milliseconds lease, SteadyTime now) const;
  /// Why it may not vote whatever the time; nothing if there is no such reason.
  std::optional<Error> unfit() const { return m_unfit ? m_unfit : m_twin; }
  /// Replies are overdue: the node has sent none for longer than `limit`.
  bool isSilent(std::chrono::nanoseconds limit, SteadyTime now) const { return m_awaited > 0 && now - m_awaitedSince > limit; }
  const Error &why() const { return m_why; } ///< of a node that is not ready

  /// `handler` calls replied() first.
  void send(Command command, Connection::Handler handler);
  void sendGuarded(const LockName &name, const LockToken &owner, Command command, Connection::Handler handler); ///< only while the key has that token
  void replied();

private:
  void stateChanged(Connection::State state, const Error *why);
  void readInfo(const Result<Reply> &reply);
  void expectReply();
  void noteUptime(std::string_view info, bool restarted);

  const QuorumDriverOptions &m_options;
  std::string m_address;
  ConnectionLog m_log;
  std::string m_runId;
  ReadyHandler m_onReady;
  Loop::Task m_onAway;
  std::optional<Error> m_unfit;
  std::optional<Error> m_twin;
  Error m_why{ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "not connected yet"), {}, {}};
  SteadyTime m_upSince = SteadyTime::min(); // the server, at the latest; min() = long enough
  std::size_t m_awaited = 0;
  SteadyTime m_awaitedSince{};
  SteadyTime m_repliedAt{}; // the server that was known then was up
  bool m_ready = false;
  WatchTransaction m_watchTransaction{m_connection};
  Connection m_connection; // last: its handlers end before what they use
};

} // namespace lockhouse
