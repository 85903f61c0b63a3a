// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/options/replica_ack.h"
#include "core/net/connection/connection.h"

#include <optional>
#include <string>
#include <vector>

namespace lockhouse {

/// The connection of those locks that are to be acknowledged by replicas. WAIT waits for the writes of its own connection and holds
/// up what comes behind it there, so the acquires of these locks have one to themselves, opened for the first of them; what renews
/// and releases them goes with all others. Loop thread only, except sent().
/// Redis: the asks of their primitives; for each grant WAIT, before it INFO replication where most or all replicas are wanted: 1 or 2
/// round trips, the replicas' own included. Source: Redis documentation, "WAIT".
class WaitConnection {
public:
  using Done = std::move_only_function<void(Result<Acknowledged>)>;

  WaitConnection(Loop &loop, Uri node, ConnectionOptions options);

  /// Told when the connection is back after a loss.
  void onBack(std::move_only_function<void()> handler) { m_onBack = std::move(handler); }
  /// As Connection::send(). What is given before the first connection stands, or has failed, waits for that.
  void send(Command command, Connection::Handler handler);
  /// Until so many replicas have all that was sent here, at most `limit`. Error TooFewCopies: fewer had it by then; Server: WAIT is
  /// refused, or there are no replicas to count. Any other: not known.
  void wait(const ReplicaAck &ack, milliseconds limit, Done done);
  void close();
  std::uint64_t sent() const; ///< commands; any thread

private:
  struct Waiting {
    Command command;
    Connection::Handler handler;
  };

  void stateChanged(Connection::State state);
  void waitFor(std::uint32_t wanted, milliseconds limit, Done done);

  std::string m_address;
  milliseconds m_commandTimeout;
  std::move_only_function<void()> m_onBack;
  std::vector<Waiting> m_waiting; // for the first connection
  bool m_opened = false;
  bool m_tried = false; // it stood, or failed, once
  bool m_stood = false;
  Connection m_connection; // last: its handlers end before what they touch
};

} // namespace lockhouse
