// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/reply.h"

#include <cstdint>
#include <vector>

namespace lockhouse {

class Connection;
class Acquisition;
class Primitive;

/// The last releases of one turn of the loop, which leave as one command where the primitive can: a script costs the server more to
/// start than to run, so 64 locks released by one script cost it a third of 64 scripts. Nothing waits for it: the batch leaves in
/// the write of its own turn. One release alone is sent as itself. Loop thread only.
///
/// A lock released by a batch is told the answer that it would have got alone. If the server refuses the command as a whole (one
/// name is outside the user's rights, or in another slot), nothing was done, each release is sent alone, and so are those of the rest of the
/// connection's life.
class ReleaseBatch {
public:
  explicit ReleaseBatch(Connection &connection) : m_connection(connection) {}
  ReleaseBatch(const ReleaseBatch &) = delete;
  ReleaseBatch &operator=(const ReleaseBatch &) = delete;

  /// The release `serial` of `tenure`, which lives until its releaseAnswered() is called.
  void add(Acquisition &acquisition, std::uint32_t serial);
  /// Sends what was gathered, if anything.
  void leave();
  /// A new connection: its server may take what the last one refused.
  void reconnected() { m_refused = false; }

private:
  struct Entry {
    Acquisition *acquisition;
    std::uint32_t serial;
  };

  void answered(const std::vector<Entry> &entries, Result<Reply> reply);

  Connection &m_connection;
  const Primitive *m_primitive = nullptr; // of all that is gathered
  std::vector<Entry> m_gathered;
  bool m_refused = false; // this connection's server takes no batch
};

} // namespace lockhouse
