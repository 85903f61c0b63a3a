// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/options/replica_ack.h"
#include "core/net/connection/connection.h"

#include <optional>
#include <string>
#include <vector>

namespace lockhouse {

/// The connection for acquires that replicas acknowledge. WAIT waits for the writes of its own connection and delays later commands there,
/// so these acquires have a connection of their own, opened for the first of them. Their renewals and releases use the common one. Loop
/// thread only, except sent().
/// Redis: the asks of the primitives; for each grant WAIT, and before it INFO replication if most or all replicas are wanted: 1 or 2 round
/// trips, that to the replicas included. Source: Redis documentation, "WAIT".
class WaitConnection {
public:
  using Done = std::move_only_function<void(Result<Acknowledged>)>;

  WaitConnection(Loop &loop, Uri node, ConnectionOptions options);

  /// Called when the connection is back after a loss.
  void onBack(std::move_only_function<void()> handler) { m_onBack = std::move(handler); }
  /// As Connection::send(). Before the first connection is Ready, or has failed, commands wait for that.
  void send(Command command, Connection::Handler handler);
  /// Waits until so many replicas have all that was sent here, at most `limit`. Error TooFewCopies: fewer had it by then, or there are no
  /// replicas to count; Server: WAIT is refused. Any other: not known.
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
  bool m_isOpened = false;
  bool m_hasConcluded = false; // the first connection: it was Ready, or failed
  bool m_hasBeenReady = false;
  Connection m_connection; // last: its handlers end before what they use
};

} // namespace lockhouse
