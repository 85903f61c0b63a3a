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

/// How many of `members` nodes decide: more than half of them. If `capacity` owners may hold the lock at once: so many that one owner more
/// would exceed the capacity of a node.
constexpr std::size_t quorumOf(std::size_t members, std::int64_t capacity = 1) {
  const auto most = static_cast<std::size_t>(std::clamp<std::int64_t>(capacity, 1, mostMembers));
  return members * most / (most + 1) + 1;
}

/// The vote of one node in one acquire over several nodes.
enum class Vote : std::uint8_t {
  Pending,     ///< asked; its reply was not waited for, because the others had decided
  Granted,     ///< given
  Refused,     ///< another owner has the lock there
  Silent,      ///< asked, and no reply within the time of a node; released there in any case
  InDoubt,     ///< asked, and the connection was lost before the reply; released there in any case
  Unreachable, ///< no connection: not asked
  Barred,      ///< not asked: restarted too short a time ago, or no independent master
  Busy,        ///< the node cannot reply now; nothing was done
  Rejected,    ///< the node replied with an error; nothing was done
};

/// The vote of one node, with its reasons. A value.
struct NodeVote {
  NodeId node;
  Vote vote = Vote::Pending;
  std::optional<std::string> holder = {};    ///< of Refused, if the node names it: bytes
  std::optional<milliseconds> timeLeft = {}; ///< of Refused, if the node says it
  Error why = {};                            ///< of InDoubt, Unreachable, Barred, Busy, Rejected
};

/// "127.0.0.1:7001: granted; 127.0.0.1:7002: held by 3f78… for 29000 ms yet; 127.0.0.1:7003: no answer in time". Safe for display.
Message votesMessage(std::span<const NodeVote> votes);

/// Of the refusals: that of the owner who holds it at most of the nodes, with its longest `timeLeft`; null without one.
const NodeVote *leadingRefusal(std::span<const NodeVote> votes);

} // namespace lockhouse
