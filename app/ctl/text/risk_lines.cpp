// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/risk_lines.h"

#include "app/ctl/text/lock_text.h"
#include "core/release/warnings/warning_summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace lockhouse::ctl {
namespace {

// Those that have it: all, those few by their names, or how many.
std::string whose(const WarningGroup &group) {
  const auto *others = group.differs ? ", with other figures or names" : "";
  if (group.of == 1)
    return group.differs ? " (and the like)" : "";
  if (group.names == group.of)
    return fmt::format(" (all of them{})", others);
  std::vector<std::string> names;
  for (const auto &name : group.named)
    names.push_back(keyWords(name.bytes(), 80));
  return group.names == names.size() ? fmt::format(" ({}{})", fmt::join(names, ", "), others)
                                     : fmt::format(" ({} of {} lock names{}; {} first)", group.names, group.of, others, names.front());
}

} // namespace

std::string riskLines(std::span<const ReleaseResult> results) {
  constexpr std::size_t mostShown = 20;
  auto groups = warningGroups(results);
  std::erase_if(groups, &WarningGroup::isRefusal); // its own line says so
  std::string lines;
  for (std::size_t i = 0; i < std::min(groups.size(), mostShown); ++i) {
    lines += fmt::format("  risk     {}{}\n", groups[i].first.english(), whose(groups[i]));
  }
  if (groups.size() > mostShown)
    lines += fmt::format("  risk     and {} others: --json has all of them\n", groups.size() - mostShown);
  return lines;
}

} // namespace lockhouse::ctl
