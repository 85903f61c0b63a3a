// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/json.h"
#include "app/ctl/lock_text.h"
#include "app/ctl/node_failure.h"
#include "app/ctl/session.h"
#include "app/ctl/verbs.h"

#include "core/base/safe_text.h"
#include "core/watch/member_fold.h"
#include "core/watch/replica_fold.h"
#include "core/watch/vote_fold.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse::ctl {
namespace {

std::string showText(const std::string &key, std::span<const NodeStatus> nodes, std::span<const LockRecordPtr> locks, SteadyTime now) {
  if (locks.empty())
    return fmt::format("There is no lock {} on {}{}.\n", keyWords(key), safeText(nodes.front().address),
                       nodes.size() > 1 ? fmt::format(" and {} other nodes", nodes.size() - 1) : "");
  std::string text;
  for (const auto &lock : locks)
    text += (text.empty() ? "" : "\n") + lockPage(*lock, now);
  return text;
}

} // namespace

ExitCode runShow(const Arguments &arguments, const Output &output) {
  Session session(arguments);
  const auto snapshot = session.awaitNodes(false);
  if (const auto failure = allDown(*snapshot))
    return output.failed(failure->code, failure->sentence);
  const auto nodes = chosenNodes(*snapshot, arguments.node);
  if (!nodes)
    return output.failed(nodes.error());
  std::vector<LockRecordPtr> locks;
  std::optional<Error> lastError;
  for (const auto &node : *nodes) {
    const auto lock = session.read({node.id, node.db, LockName(arguments.key)});
    if (!lock)
      lastError = lock.error();
    else if (*lock)
      locks.push_back(*lock);
  }
  if (lastError && locks.empty()) {
    const auto failure = nodeFailure(*lastError);
    return output.failed(failure.code, failure.sentence);
  }
  foldReplicas(locks, *nodes);
  foldVotes(locks, *nodes);
  foldMembers(locks, *nodes);
  std::erase_if(locks, [&](const LockRecordPtr &lock) { return !isShown(*lock, arguments); });
  const auto now = SteadyClock::now();
  output.put(arguments.json ? oneLine(listJson(*nodes, locks, now)) : showText(arguments.key, *nodes, locks, now));
  return ExitCode::Done;
}

} // namespace lockhouse::ctl
