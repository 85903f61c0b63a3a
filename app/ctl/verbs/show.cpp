// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/node_failure.h"
#include "app/ctl/session/key_owners.h"
#include "app/ctl/session/session.h"
#include "app/ctl/text/json.h"
#include "app/ctl/text/lock_text.h"
#include "app/ctl/verbs/verbs.h"

#include "core/base/safe_text.h"
#include "core/watch/query/lock_json.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse::ctl {
namespace {

std::string showText(const std::string &key, const std::string &role, std::span<const NodeStatus> nodes, std::span<const LockRecordPtr> locks,
                     std::span<const LockRecordPtr> leftOut, SteadyTime now) {
  if (locks.empty() && !leftOut.empty())
    return fmt::format("{} looks like data rather than like a lock, with a confidence of {:.2f}; --all shows it.\n", keyWords(key),
                       std::ranges::max(leftOut, {}, [](const LockRecordPtr &lock) { return lock->confidence; })->confidence);
  if (locks.empty())
    return fmt::format("There is no lock {} on {}{}.\n", keyWords(key), safeText(nodes.front().address),
                       nodes.size() > 1 ? fmt::format(" and {} other nodes", nodes.size() - 1) : "");
  std::string text = role.empty() ? "" : fmt::format("{} is no lock itself: it lies beside this one, as its {}.\n\n", keyWords(key), role);
  for (const auto &lock : locks)
    text += (&lock == locks.data() ? "" : "\n") + lockPage(*lock, now);
  return text;
}

Json showJson(const std::string &key, const std::string &role, const std::vector<NodeStatus> &nodes, std::span<const LockRecordPtr> locks, std::size_t leftOut,
              SteadyTime now) {
  auto object = listJson(nodes, locks, now, leftOut);
  object["beside"] = nullptr;
  if (role.empty())
    return object;
  putBytes(object["beside"], "key", key);
  object["beside"]["role"] = role;
  return object;
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
  const auto key = meantKey(arguments, session, *nodes);
  auto found = rowsOf(key, session, *nodes);
  if (found.error && found.locks.empty()) {
    const auto failure = nodeFailure(*found.error);
    return output.failed(failure.code, failure.sentence);
  }
  auto &locks = found.locks;
  std::vector<LockRecordPtr> leftOut;
  std::erase_if(locks, [&](const LockRecordPtr &lock) {
    if (!isShown(*lock, arguments))
      leftOut.push_back(lock);
    return !isShown(*lock, arguments);
  });
  std::string role;
  if (auto owner = lockOfCompanion(key, session, *nodes, locks)) {
    role = std::move(owner->role);
    locks = std::move(owner->locks);
  } else if (locks.empty())
    role = findOwners(key, session, *nodes, locks);
  else if (locks.front()->id.key.bytes() != key)
    role = roleOf(key, *locks.front(), session.watcher().families());
  const auto now = SteadyClock::now();
  output.put(arguments.json ? oneLine(showJson(key, role, found.asked, locks, leftOut.size(), now)) : showText(key, role, found.asked, locks, leftOut, now));
  return ExitCode::Done;
}

} // namespace lockhouse::ctl
