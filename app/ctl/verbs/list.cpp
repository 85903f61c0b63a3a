// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/node_failure.h"
#include "app/ctl/session/session.h"
#include "app/ctl/text/json.h"
#include "app/ctl/text/lock_text.h"
#include "app/ctl/verbs/verbs.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse::ctl {
namespace {

std::string listText(const LockSnapshot &snapshot, std::span<const LockRecordPtr> locks, std::size_t leftOut, SteadyTime now, bool colour, bool isFiltered) {
  const bool isWhole = std::ranges::all_of(snapshot.nodes, [](const NodeStatus &node) {
    return node.twin || (node.scanComplete && node.keysRefused + node.keysCut == 0 && !node.refusedSince && !node.slotsMoved);
  });
  std::string text = !locks.empty() ? locksText(locks, now, colour)
                     : isFiltered   ? "The filter lets no lock through.\n"
                     : isWhole      ? "No lock is held or waited for.\n"
                                    : "No lock was found among what could be read.\n";
  if (leftOut > 0)
    text += fmt::format("{} more look{} like data rather than like {} (confidence below {:.1f}); --all shows {} too.\n", leftOut, leftOut == 1 ? "s" : "",
                        leftOut == 1 ? "a lock" : "locks", shownConfidence, leftOut == 1 ? "it" : "them");
  text += "\n";
  for (const auto &node : snapshot.nodes)
    text += nodeLine(node);
  for (const auto &words : otherDatabasesWords(snapshot.nodes))
    text += words + "\n";
  return text + unwatchedMastersWords(snapshot.nodes);
}

} // namespace

ExitCode runList(const Arguments &arguments, const Output &output) {
  Session session(arguments);
  const auto snapshot = session.awaitNodes(true);
  if (const auto failure = noneScanned(*snapshot))
    return output.failed(failure->code, failure->sentence);
  std::vector<LockRecordPtr> shown;
  std::size_t leftOut = 0;
  const auto now = SteadyClock::now();
  for (const auto &lock : snapshot->locks) {
    if (arguments.filter && !arguments.filter->matches(*lock, now, session.watcher().families()))
      continue;
    if (isShown(*lock, arguments))
      shown.push_back(lock);
    else
      ++leftOut;
  }
  if (const auto doubt = arguments.filter ? arguments.filter->doubt(snapshot->locks, session.watcher().families()) : std::string(); !doubt.empty())
    output.note("--filter: " + doubt);
  output.put(arguments.json ? oneLine(listJson(snapshot->nodes, shown, now, leftOut))
                            : listText(*snapshot, shown, leftOut, now, output.colour(), arguments.filter.has_value()));
  return ExitCode::Done;
}

} // namespace lockhouse::ctl
