// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/net/connection/traffic.h"
#include "core/net/stream/stream.h"

#include <cstdint>
#include <functional>
#include <string>

namespace lockhouse {

/// The commands of one connection that are on their way out: what one turn of the loop appends leaves in one write. Bounded; knows
/// of each command whether any of it may have left.
class Outbox {
public:
  explicit Outbox(Traffic &traffic) : m_traffic(traffic) {}

  void reset(); ///< a new connection
  /// Its place in the stream, for mayHaveLeft().
  std::uint64_t append(const Command &command);
  bool hasRoomFor(std::size_t bytes) const;
  bool mayHaveLeft(std::uint64_t place) const { return place < m_left; }
  /// True when so much waits that the server had better start on it before the turn ends.
  bool isHeavy() const;
  /// Writes what waits, unless a write is under way. `again` is called when a write that could not end at once has ended.
  /// A write that fails says nothing: the reading side still gets what the server had to say, and ends the connection.
  void flush(Stream &stream, std::move_only_function<void()> again);
  void written() { m_writing = false; } ///< to be told when `again` is called and the connection is still the same

private:
  Traffic &m_traffic;
  std::string m_waiting;
  std::uint64_t m_queued = 0; // bytes ever appended on this connection
  std::uint64_t m_left = 0;   // bytes of them handed to the stream
  bool m_writing = false;
};

} // namespace lockhouse
