// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/cli/exit_code.h"
#include "core/watch/record/lock_snapshot.h"

#include <optional>
#include <span>
#include <vector>

namespace lockhouse::ctl {

/// Why a run has nothing to show.
struct NodeFailure {
  ExitCode code = ExitCode::Unreachable;
  std::string sentence;
};

/// `error` as a verb may say it that ends now: a connection that Lockhouse would mend by itself is not mended any more.
Error forOnce(Error error);

/// Unreachable unless the login, the rights or the URL were refused: also for a node that answers everything with an error.
NodeFailure nodeFailure(const Error &error);

/// Why keys of a node were refused, as the end of a sentence about them.
std::string refusedBy(const NodeStatus &node);

/// Nothing if any node is up; otherwise what happened to the first one.
std::optional<NodeFailure> allDown(const LockSnapshot &snapshot);
/// Nothing if the keys of any node were looked at to the end; otherwise what happened to the first one.
std::optional<NodeFailure> noneScanned(const LockSnapshot &snapshot);

/// Databases of these servers that hold keys and are not watched, a sentence for each server.
std::vector<std::string> otherDatabasesWords(std::span<const NodeStatus> nodes);

/// How many masters of their cluster are not watched, a line; empty: none, or these nodes do not tell.
std::string unwatchedMastersWords(std::span<const NodeStatus> nodes);

/// Of whom keys were not looked at, all or some, and why, a sentence each, for many releases: what lies there has no result. First those
/// that were not looked at at all.
std::vector<std::string> unseenWords(std::span<const NodeStatus> nodes);
/// `chosen` as they were last seen in `later`: of one that was lost since it was looked at, state and reason.
std::vector<NodeStatus> asLastSeen(std::vector<NodeStatus> chosen, const LockSnapshot &later);
/// Which of them were lost meanwhile, a sentence each.
std::vector<std::string> lostWords(std::span<const NodeStatus> chosen, std::span<const NodeStatus> lastSeen);
/// Nothing if all of these were looked at, and no slots moved meanwhile; otherwise what happened to the first of which that is not so.
std::optional<NodeFailure> firstUnswept(std::span<const NodeStatus> nodes);
/// Nothing if none of those that were looked at has refused any key; otherwise what the first one has. Only who asks for everything has failed then.
std::optional<NodeFailure> firstRefused(std::span<const NodeStatus> nodes);

} // namespace lockhouse::ctl
