// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/release/release_plan.h"

namespace lockhouse {

/// What a node says of its master, or of its replicas, to whom a release there would matter.
/// Source: https://redis.io/docs/latest/commands/info/ (section replication)
struct Replication {
  std::string master; ///< of a replica: its address; empty: not told
  bool isCutOff = false;
  std::optional<seconds> cutOffFor;           ///< nothing: not told, or its link was never up
  std::optional<std::uint64_t> goodReplicas;  ///< of a node that takes writes only with some: how many there are
  std::optional<std::uint64_t> leastReplicas; ///< how many it needs; nothing: not told

  static Command question();
  static Replication of(const Result<Reply> &answer); ///< of a refusal: nothing is known
  /// What to ask besides; nothing: the first answer tells.
  std::optional<Command> more() const;
  void add(const Result<Reply> &answer);
};

/// Has the plan say, as its refusal, that its node, a master, takes no writes for want of good replicas, where that is known.
void tellFewReplicas(ReleasePlan &plan, const Replication &replication);
/// Whether that was said.
bool isForFewReplicas(const ReleasePlan &plan);

/// Whether this is said of what was read, and found not to be there.
bool isOfAbsence(Verdict verdict);
/// The same of a replica that was read, whose word is not its master's: nothing is free for it, and it has to be looked for at the master.
void tellReplica(Verdict &verdict, std::string &detail, const Replication &replication);

} // namespace lockhouse
