// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/net/connection/connection.h"
#include "core/net/stream/stream.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace lockhouse {

/// The counters of a connection. Written on its loop only, read from any thread.
struct Traffic {
  using Count = std::atomic<std::uint64_t>;
  Count commands{0}, writes{0}, bytesOut{0}, bytesIn{0}, connects{0};

  /// One writer: a plain addition is enough, and costs no locked instruction.
  static void add(Count &count, std::uint64_t amount) { count.store(count.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed); }

  Connection::Counters counters() const {
    constexpr auto order = std::memory_order_relaxed;
    return {commands.load(order), writes.load(order), bytesOut.load(order), bytesIn.load(order), connects.load(order)};
  }
};

/// Appends `command` to `out` as Redis reads it: an array of bulk strings, always length-prefixed, never inline.
void appendCommand(std::string &out, const Command &command);

/// The commands of one connection that are to be written: what one turn of the loop appends is one write. Bounded; knows of each command
/// whether any of it may have been sent.
class Outbox {
public:
  explicit Outbox(Traffic &traffic) : m_traffic(traffic) {}

  void reset(); ///< a new connection
  /// Its place in the stream, for mayHaveLeft().
  std::uint64_t append(const Command &command);
  bool hasRoomFor(std::size_t bytes) const;
  bool mayHaveLeft(std::uint64_t place) const { return place < m_left; }
  /// So much waits that it is better written before the turn ends, so that the server can begin.
  bool isHeavy() const;
  /// Writes what waits, unless a write is under way. `again` is called when a write that could not end at once has ended.
  /// A write that fails is ignored: what the server sent can still be read, and the reading side ends the connection.
  void flush(Stream &stream, std::move_only_function<void()> again);
  void written() { m_writing = false; } ///< when `again` is called and the connection is still the same

private:
  Traffic &m_traffic;
  std::string m_waiting;
  std::uint64_t m_queued = 0; // bytes ever appended on this connection
  std::uint64_t m_left = 0;   // bytes of them handed to the stream
  bool m_writing = false;
};

} // namespace lockhouse
