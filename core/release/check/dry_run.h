// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/release/plan/release_plan.h"

namespace lockhouse {

/// Whether a server would let this user run a plan's script, asked without running it: EVALSHA of a script that cannot exist, on the
/// plan's keys. In a transaction that is thrown away the server only checks the rights; outside one it answers NOSCRIPT besides.
/// Either way it does nothing: no script has the SHA-1 of 40 zeros.
/// Source: https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/ (rights are checked when a command is queued)
Command dryRunOf(const ReleasePlan &plan);
/// The same of EVAL, by which a script comes to a server that does not know it; for a transaction only.
Command wholeDryRunOf(const ReleasePlan &plan);
/// What applying the plan would meet, in words, if the answer to one of these is a refusal: of this user, or of keys whose slot a cluster is
/// moving.
std::optional<Message> refusalIn(const Result<Reply> &answer);

/// Whether this user may run what the plans' scripts run (needed_rights.h), on their keys and channels: a script that asks for each and runs none.
/// Servers before Redis 7 answer that nothing is missing.
/// Source: https://redis.io/docs/latest/develop/programmability/lua-api/ (redis.acl_check_cmd)
Command rightsCheckOf(std::span<const ReleasePlan *const> plans);
/// Whether the server knows the plan's script already, which who may EVALSHA but not EVAL can run then.
/// Source: https://redis.io/docs/latest/commands/script-exists/
Command knownCheckOf(const ReleasePlan &plan);
/// Whether the answer to that is that it does not.
bool saysUnknown(const Result<Reply> &answer);
/// What applying a plan would meet: why it would be refused, in words, channels on which nothing would be published, and lists to which nothing
/// would be pushed.
struct MissingRights {
  bool isUnanswered = false; ///< the node did not answer in time
  bool isUnasked = false;    ///< the user may not EVAL, which asks for all of it; EVALSHA, by which a script is sent first, he may all the same
  bool isUnknown = false;    ///< the server does not know the script, so that it would have to be sent by EVAL
  bool isUnsharded = false;  ///< the user may not publish to sharded channels, on which others would be told
  std::vector<Message> words;
  std::vector<std::string> untold, unwoken;
};
/// The same of each of the plans, by the answer to it.
std::vector<MissingRights> missingIn(const Result<Reply> &answer, std::span<const ReleasePlan *const> plans);
/// Has the plan say all of it. Puts the words, and the refusal of the rehearsal, before the other warnings of the plan; the first of them is its refusal.
void addMissing(ReleasePlan &plan, MissingRights missing, const Result<Reply> &dryRunReply);

/// Whether its refusal is that the node did not answer in time.
bool isUnanswered(const ReleasePlan &plan);

/// Whether a server has refused a plan, with nothing done, whose script names lists that it only may push to: perhaps for one of these, since a
/// user needs rights to every key that a script names.
bool isRefusedWithLists(const ReleasePlan &plan, const Result<Reply> &answer);
/// Whether this user may run scripts on such a list, asked as by dryRunOf(); refusalIn() the answer tells.
Command dryRunOf(const std::string &list);

} // namespace lockhouse
