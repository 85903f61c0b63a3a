// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/cli/arguments.h"
#include "app/ctl/cli/output.h"
#include "app/ctl/session/session.h"
#include "core/release/plan/hold_selection.h"

namespace lockhouse::ctl {

/// What --filter, or --all with --holder, means on these nodes: each hold of each lock, those of a Redlock on every member. Locks that nobody
/// is known to wait for come first: whoever is let in by the others finds all of it free.
std::vector<ReleaseIntent> manyIntents(const Arguments &arguments, const LockSnapshot &snapshot, const std::vector<NodeStatus> &nodes,
                                       const FamilyRegistry &families);

struct ReleaseResults {
  std::vector<ReleaseResult> results;
  std::vector<UnreadHolds> unread; ///< of what the filter lets through, holds that have no result
  Message auditTrouble = {};       ///< as of ReleaseService::auditTrouble()
  std::string refusal = {};        ///< why nothing was applied, of any of them; empty: it was, or nothing was to be
};
/// How many holds would be done, and a digest of which and what, with holders, counts, fences and times: "3-5f0c…", the same for the same holds in any order.
std::string markOf(std::span<const ReleaseResult> planned, std::optional<milliseconds> shortenTo);
/// The same where it was only planned, and something would be done of it.
std::optional<std::string> markTold(const Arguments &arguments, std::span<const ReleaseResult> planned);
/// Plans them, and applies exactly that where --apply says so; a result for each. An interrupt stops it after what is under way.
ReleaseResults runMany(const Arguments &arguments, Session &session, std::vector<ReleaseIntent> intents, const Output &output, const SignalWait &signals);

/// The locks on these nodes of which it is not known whether whoever is meant, by --holder or by a filter of holders, has more in them than was
/// read: under names that nobody can ask for.
std::vector<LockRecordPtr> hidingLocks(const Arguments &arguments, const LockSnapshot &snapshot, const std::vector<NodeStatus> &nodes,
                                       const FamilyRegistry &families);
/// What a holder of whom all is meant has on these nodes that looks like data more than like a lock: none of it goes with the others.
std::vector<LockRecordPtr> doubtfulLocks(const Arguments &arguments, const LockSnapshot &snapshot, const std::vector<NodeStatus> &nodes);
/// In words, what stays in locks that hold too much to be read, and which locks hide more.
std::vector<std::string> unreadWords(const Arguments &arguments, std::span<const LockRecordPtr> hiding, std::span<const UnreadHolds> unread);

/// Of masters of a cluster that are not watched, what lies there; empty: there are none, or none that this user may ask for.
std::string unwatchedWords(const Arguments &arguments, Session &session);

/// A row for each, and below it what to weigh.
std::string manyText(const ReleaseResults &many, const Arguments &arguments, bool colour);

} // namespace lockhouse::ctl
