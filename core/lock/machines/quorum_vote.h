// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/error.h"

#include <algorithm>
#include <bitset>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockhouse {

/// The most nodes that one quorum may have.
constexpr std::size_t mostMembers = 31;
/// Some of the nodes of a quorum, by their number.
using Members = std::bitset<mostMembers>;

/// How many of `members` nodes decide: more than half of them. Where `capacity` may be in at once: so many that one more than those
/// would have to share a node beyond its capacity, which is all of them for as many as there are nodes.
constexpr std::size_t quorumOf(std::size_t members, std::int64_t capacity = 1) {
  const auto most = static_cast<std::size_t>(std::clamp<std::int64_t>(capacity, 1, mostMembers));
  return members * most / (most + 1) + 1;
}

/// What became of one node's vote in one acquire over several nodes.
enum class Vote : std::uint8_t {
  Pending,     ///< asked; the answer was not waited for, because the others had decided
  Granted,     ///< given
  Refused,     ///< somebody else has the lock there
  Silent,      ///< asked, and no answer within the time that a node has; given back there in any case
  InDoubt,     ///< asked, and the connection was lost before the answer; given back there in any case
  Unreachable, ///< no connection: not asked
  Barred,      ///< not asked: restarted too short a time ago, or no independent master
  Busy,        ///< the node cannot answer now; nothing was done
  Rejected,    ///< the node answered with an error; nothing was done
};

/// One node's vote, with what it told. A value.
struct NodeVote {
  NodeId node;
  Vote vote = Vote::Pending;
  std::optional<std::string> holder = {};    ///< of Refused, where told: bytes
  std::optional<milliseconds> timeLeft = {}; ///< of Refused, where told
  Error why = {};                            ///< of InDoubt, Unreachable, Barred, Busy, Rejected
};

/// "127.0.0.1:7001: granted; 127.0.0.1:7002: held by 3f78… for 29000 ms yet; 127.0.0.1:7003: no answer in time". Safe for display.
Message votesMessage(std::span<const NodeVote> votes);

/// Of the refusals: who holds it at most of the nodes; null without one. His longest time left stands in `timeLeft`.
const NodeVote *leadingRefusal(std::span<const NodeVote> votes);

} // namespace lockhouse
