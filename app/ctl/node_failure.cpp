// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/node_failure.h"

#include <algorithm>

namespace lockhouse::ctl {
namespace {

NodeFailure ofFirst(const LockSnapshot &snapshot) {
  const auto &first = snapshot.nodes.front();
  return nodeFailure(
      first.error.value_or(Error{ErrorCode::Unreachable, "no answer came yet", first.address, "check the server and the network, or wait longer"}));
}

} // namespace

Error forOnce(Error error) {
  constexpr std::string_view triedAgain = "it is tried again; ";
  if (error.next == "it is dialled again" || error.next == "wait for the connection")
    error.next = "check the server, then run this again";
  else if (error.next.starts_with(triedAgain))
    error.next.erase(0, triedAgain.size());
  return error;
}

NodeFailure nodeFailure(const Error &error) {
  const auto code = exitCodeOf(error);
  return {code == ExitCode::Refused && error.code != ErrorCode::TooLong ? ExitCode::Unreachable : code, forOnce(error).sentence()};
}

std::optional<NodeFailure> allDown(const LockSnapshot &snapshot) {
  const auto isDown = [](const NodeStatus &node) { return node.state == NodeState::Down; };
  return std::ranges::all_of(snapshot.nodes, isDown) ? std::optional(ofFirst(snapshot)) : std::nullopt;
}

std::optional<NodeFailure> noneSwept(const LockSnapshot &snapshot) {
  return std::ranges::any_of(snapshot.nodes, &NodeStatus::scanComplete) ? std::nullopt : std::optional(ofFirst(snapshot));
}

} // namespace lockhouse::ctl
