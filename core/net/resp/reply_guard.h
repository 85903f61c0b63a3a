// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/message.h"
#include "core/net/resp/reply_limits.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockhouse {

/// Stands in front of the parser: walks the frames of a RESP2 stream as they come, and lets through whole top-level replies that
/// keep the protocol and the limits, so that the parser never sees a partial or a hostile byte. Linear time however the stream
/// is sliced: no byte is looked at twice. Allocates as bytes arrive, never for what a length only announces.
class ReplyGuard {
public:
  enum class Step { Complete, More, Broken };

  explicit ReplyGuard(const ReplyLimits &limits);

  /// Walks `input` on from `at` to the end of one top-level reply, and moves `at` behind it. More: `input` is used up, go on
  /// with the bytes that follow it. Broken: for good, see fault().
  Step walk(std::string_view input, std::size_t &at);
  /// After Complete: the bytes of the reply, where each elided bulk string is replaced by an integer, its length. Valid until
  /// the next walk(), while `input` is.
  std::string_view reply() const { return m_reply; }
  /// After Complete: which items of the reply were elided, counted from 0 in the order of the stream. Ascending.
  std::span<const std::size_t> elided() const { return m_elided; }
  const MessageFormat<0> &fault() const { return m_fault; }

private:
  ReplyLimits m_limits;
  std::string_view m_reply;
  std::string m_kept;                                       // what earlier inputs held of the reply that is walked now
  std::size_t m_begin = 0;                                  // first byte of this input that m_kept lacks
  std::size_t m_lineSeen = 0;                               // bytes of the line at the walk's head that earlier inputs held
  std::uint64_t m_bodyLeft = 0;                             // bytes of a bulk string still to come, its CRLF included
  std::array<std::uint64_t, ReplyLimits::deepest> m_open{}; // elements still to come of each open array
  std::size_t m_depth = 0;
  std::size_t m_items = 0;
  std::size_t m_cost = 0; // bytes that the reply takes, its elements' own included
  std::vector<std::size_t> m_elided;
  MessageFormat<0> m_fault;
  bool m_fresh = true;     // no byte of the present reply was walked yet
  bool m_skipping = false; // the bulk string at hand is elided
  bool m_whole = false;

  void begin(std::size_t at);
  void keep(std::string_view input, std::size_t end);
  bool walkLine(std::string_view input, std::size_t &at);
  bool walkBody(std::string_view input, std::size_t &at);
  bool takeLine(std::string_view input, std::string_view line, std::size_t end);
  bool openBulk(std::string_view input, std::string_view line, std::size_t end);
  bool openArray(std::string_view line);
  bool closeItem();
  bool charge(std::size_t bytes);
  bool broken(const MessageFormat<0> &fault);
};

} // namespace lockhouse
