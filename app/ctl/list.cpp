// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/json.h"
#include "app/ctl/lock_text.h"
#include "app/ctl/node_failure.h"
#include "app/ctl/session.h"
#include "app/ctl/verbs.h"

#include <algorithm>

namespace lockhouse::ctl {
namespace {

std::string listText(const LockSnapshot &snapshot, std::span<const LockRecordPtr> locks, SteadyTime now, bool colour, bool isFiltered) {
  const bool isWhole = std::ranges::all_of(snapshot.nodes, [](const NodeStatus &node) { return node.scanComplete || node.twin; });
  std::string text = !locks.empty() ? locksText(locks, now, colour)
                     : isFiltered   ? "The filter lets no lock through.\n"
                     : isWhole      ? "No lock is held or waited for.\n"
                                    : "No lock was found on the nodes that could be read.\n";
  text += "\n";
  for (const auto &node : snapshot.nodes)
    text += nodeLine(node);
  return text;
}

} // namespace

ExitCode runList(const Arguments &arguments, const Output &output) {
  Session session(arguments);
  const auto snapshot = session.awaitNodes(true);
  if (const auto failure = noneSwept(*snapshot))
    return output.failed(failure->code, failure->sentence);
  std::vector<LockRecordPtr> shown;
  const auto now = SteadyClock::now();
  std::ranges::copy_if(snapshot->locks, std::back_inserter(shown),
                       [&](const LockRecordPtr &lock) { return isShown(*lock, arguments) && (!arguments.filter || arguments.filter->matches(*lock, now)); });
  if (const auto doubt = arguments.filter ? arguments.filter->doubt(snapshot->locks) : std::string(); !doubt.empty())
    output.note("--filter: " + doubt);
  output.put(arguments.json ? oneLine(listJson(snapshot->nodes, shown, now)) : listText(*snapshot, shown, now, output.colour(), arguments.filter.has_value()));
  return ExitCode::Done;
}

} // namespace lockhouse::ctl
