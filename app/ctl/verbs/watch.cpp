// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/change_queue.h"
#include "app/ctl/cli/node_failure.h"
#include "app/ctl/cli/signal_wait.h"
#include "app/ctl/session/session.h"
#include "app/ctl/text/json.h"
#include "app/ctl/text/lock_text.h"
#include "app/ctl/verbs/verbs.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <fmt/chrono.h>

namespace lockhouse::ctl {
namespace {

std::string clockWords(WallTime at) {
  const auto ms = std::chrono::duration_cast<milliseconds>(at.time_since_epoch()).count();
  const auto second = static_cast<std::time_t>(ms / 1000);
  std::tm local{};
  localtime_r(&second, &local);
  return fmt::format("{:%H:%M:%S}.{:03}", local, ms % 1000);
}

std::string changeText(const LockChange &change, SteadyTime now) {
  const auto &record = change.after ? *change.after : *change.before;
  const auto what = change.cause ? fmt::format("{} ({})", name(change.kind), name(*change.cause)) : std::string(name(change.kind));
  auto line = fmt::format("{}  {:<20}  {}  {}  {}", clockWords(change.at), what, keyWords(record.id.key.bytes(), 80), record.family, nodeWords(record));
  if (change.after && record.isHeld())
    line += fmt::format("  held by {}, count {}, {}", holderWords(record), record.holders.front().count, leaseWords(record, now));
  else if (change.after && record.number)
    line += fmt::format("  count {}", *record.number);
  else if (change.after)
    line += "  free";
  if (change.after && !record.members.empty())
    line += fmt::format(", on {} of {} masters{}{}", record.heldOn(), record.masters,
                        record.seenLastOn() > 0 ? fmt::format(", {} of them as last seen", record.seenLastOn()) : "",
                        record.isSplit()       ? ", no holder on most of them"
                        : record.hasMajority() ? ""
                                               : ", too few to hold it");
  if (change.after && record.waiters)
    line += fmt::format(", {} waiting", *record.waiters);
  return line + "\n";
}

// False when nobody reads any more.
bool print(const ChangeQueue::Taken &taken, const Arguments &arguments, const Output &output, const SignalWait &signals) {
  const auto now = SteadyClock::now();
  std::string lines;
  for (const auto &change : taken.changes)
    if (const auto shown = arguments.all ? std::optional(change) : asShown(change))
      lines += arguments.json ? oneLine(changeJson(*shown, now)) : changeText(*shown, now);
  const bool isRead = output.put(lines, &signals);
  if (isRead && taken.dropped > 0)
    output.note(fmt::format("{} changes were dropped here, since they came faster than the output was read; look with lockhousectl list", taken.dropped));
  return isRead;
}

/// What the first look at the nodes came to: nothing yet, at least one is up, or what happened to the first when none is.
class FirstLook {
public:
  /// Loop thread. True when this snapshot settled it.
  bool settle(const LockSnapshot &snapshot) {
    if (m_settled || std::ranges::any_of(snapshot.nodes, [](const NodeStatus &node) { return node.state == NodeState::Connecting; }))
      return false;
    m_failure = allDown(snapshot);
    m_settled = true;
    return true;
  }
  std::optional<NodeFailure> failure() const { return m_settled ? m_failure : std::nullopt; }

private:
  std::optional<NodeFailure> m_failure;
  std::atomic<bool> m_settled = false; // written after m_failure, read before it
};

// Why no lock of any node was known until the end; nothing if one was, or is still being looked at.
std::optional<NodeFailure> nothingReached(const LockSnapshot &snapshot, const Arguments &arguments) {
  if (snapshot.nodes.empty())
    return nodeFailure({ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "no answer came in time"), arguments.nodes.front().address(),
                        LH_MESSAGE("ErrorWords", "wait longer")});
  const auto isKnown = [](const NodeStatus &node) { return node.scannedAt || (node.state == NodeState::Connecting && !node.role.empty()); };
  return std::ranges::any_of(snapshot.nodes, isKnown) ? std::nullopt : noneScanned(snapshot);
}

} // namespace

ExitCode runWatch(const Arguments &arguments, const Output &output) {
  const SignalWait waiting;
  const auto until = arguments.watchFor ? std::optional(SteadyClock::now() + *arguments.watchFor) : std::nullopt;
  ChangeQueue queue(waiting);
  FirstLook first;
  Loop loop;
  WatcherOptions options;
  options.families = arguments.families;
  options.connection = connectionOptions();
  Watcher watcher(loop, arguments.nodes, options);
  watcher.onChanges([&queue](std::span<const LockChange> changes) { queue.put(changes); });
  watcher.onSnapshot([&](const LockSnapshotPtr &snapshot) {
    if (first.settle(*snapshot))
      waiting.tell();
  });
  watcher.start();

  auto woken = SignalWait::Woken::Told;
  bool isRead = true, sawChanges = false;
  while (woken == SignalWait::Woken::Told && isRead && !first.failure()) {
    woken = waiting.wait(until);
    const auto taken = queue.take();
    sawChanges |= !taken.changes.empty();
    isRead = print(taken, arguments, output, waiting);
  }
  auto failure = first.failure();
  if (!failure && isRead && !sawChanges)
    failure = nothingReached(*watcher.snapshot(), arguments);
  return failure ? output.failed(failure->code, failure->sentence) : ExitCode::Done;
}

} // namespace lockhouse::ctl
