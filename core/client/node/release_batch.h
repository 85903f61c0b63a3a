// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/reply.h"

#include <cstdint>
#include <vector>

namespace lockhouse {

class Connection;
class ReleaseAttempt;
class Primitive;

/// The last releases of one loop turn. They are sent as one command if the primitive has one: a script costs the server more to start than
/// to run, so 64 locks released by one script cost it a third of 64 scripts. Nothing waits for it: the batch is sent with the write of
/// its own turn. A single release is sent as it is. Loop thread only.
///
/// Each release gets the reply that it would have got alone. If the server refuses the command as a whole (one name is outside the user's
/// rights, or in another slot), nothing was done. Each release is then sent alone, and so are all others on this connection.
class ReleaseBatch {
public:
  explicit ReleaseBatch(Connection &connection) : m_connection(connection) {}
  ReleaseBatch(const ReleaseBatch &) = delete;
  ReleaseBatch &operator=(const ReleaseBatch &) = delete;

  /// The release `serial` of `release`, which exists until its answered() is called.
  void add(ReleaseAttempt &release, std::uint32_t serial);
  /// Sends what was gathered, if anything.
  void flush();
  /// A new connection: its server may accept what the last one refused.
  void reconnected() { m_refused = false; }

private:
  struct Entry {
    ReleaseAttempt *release;
    std::uint32_t serial;
  };

  void answered(const std::vector<Entry> &entries, Result<Reply> reply);

  Connection &m_connection;
  const Primitive *m_primitive = nullptr; // of all that is gathered
  std::vector<Entry> m_gathered;
  bool m_refused = false; // this connection's server accepts no batch
};

} // namespace lockhouse
