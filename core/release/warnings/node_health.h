// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/release/plan/release_plan.h"

namespace lockhouse {

/// How a node stands, as far as it decides what a release there comes to: whose replica it is, how many of its own are in step, whether it
/// can save what it is given, and has memory left.
/// Source: https://redis.io/docs/latest/commands/info/
struct NodeHealth {
  std::string master; ///< of a replica: its address; empty: not told
  bool isCutOff = false;
  std::optional<seconds> cutOffFor;           ///< nothing: not told, or its link was never up
  std::optional<std::uint64_t> goodReplicas;  ///< of a node that takes writes only with some: how many there are
  std::optional<std::uint64_t> leastReplicas; ///< how many it needs; nothing: not told
  Message failedToSave;                       ///< what of its saving failed when it last tried; empty: nothing did, or it is not told
  bool isFull = false;                        ///< it uses all the memory that it may

  static Command question();
  static NodeHealth of(const Result<Reply> &answer); ///< of a refusal: nothing is known
  /// What to ask besides; nothing: the first answer tells.
  std::optional<Command> more() const;
  void add(const Result<Reply> &answer);
};

/// Has the plan say, as its refusal, that its node, a master, takes no writes for want of good replicas, where that is known; as a risk that it
/// may take none since it cannot save, or none that need memory.
void tellStanding(ReleasePlan &plan, const NodeHealth &standing);
/// Whether the refusal was said.
bool isForFewReplicas(const ReleasePlan &plan);

/// Whether this is said of what was read, and found not to be there.
bool isOfOutage(Verdict verdict);
/// The same of a replica that was read, whose word is not its master's: nothing is free for it, and it has to be looked for at the master.
void tellReplica(Verdict &verdict, Message &detail, const NodeHealth &standing);

} // namespace lockhouse
