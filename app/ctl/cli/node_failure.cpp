// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/node_failure.h"

#include "core/base/safe_text.h"
#include "core/net/connection/connection.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockhouse::ctl {
namespace {

NodeFailure ofNode(const NodeStatus &node) {
  return nodeFailure(node.error.value_or(Error{ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "no answer came yet"), node.address,
                                               LH_MESSAGE("ErrorWords", "check the server and the network, or wait longer")}));
}

constexpr std::string_view movedWords = "slots of the cluster moved while its keys were looked at; a lock in them may not be among these and stays then: "
                                        "look again when they have";

bool isUnswept(const NodeStatus &node) { return !node.scanComplete && !node.twin; }

bool isPartlyRefused(const NodeStatus &node) { return !isUnswept(node) && node.keysRefused > 0; }

bool isLost(const NodeStatus &node) { return node.state == NodeState::Stale || node.state == NodeState::Down; }

std::string unsweptWords(const NodeStatus &node) {
  return fmt::format("{}; what lies there is not among these and stays, and so does a lock that most of its masters keep", ofNode(node).sentence);
}

std::string refusedWords(const NodeStatus &node) {
  return fmt::format("{} db {}: {} of its keys {}; a lock among them is not among these and stays", safeText(node.address), node.db, node.keysRefused,
                     refusedBy(node));
}

} // namespace

Error forOnce(Error error) {
  if (error.next.is(dialledAgain) || error.next.is(waitForConnection))
    error.next = LH_MESSAGE("ErrorWords", "check the server, then run this again");
  else
    error.next = error.next.without(triedAgain);
  return error;
}

NodeFailure nodeFailure(const Error &error) {
  const auto code = exitCodeOf(error);
  return {code == ExitCode::Refused && error.code != ErrorCode::TooLong ? ExitCode::Unreachable : code, forOnce(error).sentence()};
}

std::string refusedBy(const NodeStatus &node) {
  std::vector<std::string_view> words;
  const auto &[rights, clusterDown, slotsMove] = node.refusedFor;
  if (rights)
    words.emplace_back("may not be read by this user");
  if (clusterDown)
    words.emplace_back("cannot be read while the cluster is down (look again when it serves all of its slots)");
  if (slotsMove)
    words.emplace_back("cannot be read while the cluster moves their slots (look again when it has)");
  return fmt::format("{}", fmt::join(words, ", or "));
}

std::optional<NodeFailure> allDown(const LockSnapshot &snapshot) {
  const auto isDown = [](const NodeStatus &node) { return node.state == NodeState::Down; };
  return std::ranges::all_of(snapshot.nodes, isDown) ? std::optional(ofNode(snapshot.nodes.front())) : std::nullopt;
}

std::optional<NodeFailure> noneScanned(const LockSnapshot &snapshot) {
  return std::ranges::any_of(snapshot.nodes, &NodeStatus::scanComplete) ? std::nullopt : std::optional(ofNode(snapshot.nodes.front()));
}

std::vector<std::string> otherDatabasesWords(std::span<const NodeStatus> nodes) {
  std::vector<std::string> words;
  for (const auto &node : nodes)
    if (const auto others = unwatchedDatabases(node, nodes); !others.empty())
      words.push_back(fmt::format("{}: keys lie in other databases too, which are not watched ({}): a --url may name each, redis://…/{}",
                                  safeText(node.address), fmt::join(others, ", "), others.front()));
  return words;
}

std::string unwatchedMastersWords(std::span<const NodeStatus> nodes) {
  const auto unwatched = unwatchedMasters(nodes);
  return unwatched == 0
             ? std::string()
             : fmt::format(
                   "Masters of this cluster that are not watched: {}. Locks that lie there alone are not among these; name these masters too (--url).\n",
                   unwatched);
}

std::vector<std::string> unseenWords(std::span<const NodeStatus> nodes) {
  std::vector<std::string> words;
  for (const auto &node : nodes)
    if (isUnswept(node))
      words.push_back(unsweptWords(node));
  for (const auto &node : nodes) {
    const auto where = fmt::format("{} db {}", safeText(node.address), node.db);
    if (isPartlyRefused(node))
      words.push_back(refusedWords(node));
    if (!isUnswept(node) && node.slotsMoved)
      words.push_back(fmt::format("{}: {}", where, movedWords));
    if (!isUnswept(node) && node.keysCut > 0)
      words.push_back(
          fmt::format("{}: {} of its keys are too long to be read whole; a lock in there may not be among these and stays then", where, node.keysCut));
  }
  return words;
}

std::vector<NodeStatus> asLastSeen(std::vector<NodeStatus> chosen, const LockSnapshot &later) {
  for (auto &node : chosen) {
    const auto isIt = [&node](const NodeStatus &other) { return other.id == node.id && other.db == node.db; };
    const auto now = std::ranges::find_if(later.nodes, isIt);
    if (now == later.nodes.end() || !isLost(*now))
      continue;
    node.state = now->state;
    node.error = now->error.transform(forOnce);
  }
  return chosen;
}

std::vector<std::string> lostWords(std::span<const NodeStatus> chosen, std::span<const NodeStatus> lastSeen) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (!isLost(chosen[i]) && isLost(lastSeen[i]))
      words.push_back("lost meanwhile: " + ofNode(lastSeen[i]).sentence);
  return words;
}

std::optional<NodeFailure> firstUnswept(std::span<const NodeStatus> nodes) {
  const auto first = std::ranges::find_if(nodes, isUnswept);
  if (first != nodes.end())
    return NodeFailure{ofNode(*first).code, unsweptWords(*first)};
  const auto moved = std::ranges::find_if(nodes, &NodeStatus::slotsMoved);
  return moved == nodes.end() ? std::nullopt
                              : std::optional(NodeFailure{ExitCode::Unreachable, fmt::format("{} db {}: {}", safeText(moved->address), moved->db, movedWords)});
}

std::optional<NodeFailure> firstRefused(std::span<const NodeStatus> nodes) {
  const auto first = std::ranges::find_if(nodes, isPartlyRefused);
  return first == nodes.end() ? std::nullopt
                              : std::optional(NodeFailure{first->refusedFor.rights ? ExitCode::NotAllowed : ExitCode::Unreachable, refusedWords(*first)});
}

} // namespace lockhouse::ctl
