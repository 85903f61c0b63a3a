// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/risk_lines.h"

#include "app/ctl/lock_text.h"
#include "core/release/risk_groups.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace lockhouse::ctl {

std::string riskLines(std::span<const ReleaseResult> results) {
  constexpr std::size_t mostShown = 20;
  auto groups = riskGroups(results);
  std::erase_if(groups, &RiskGroup::isRefusal); // its own line says so
  const auto plans = static_cast<std::size_t>(std::ranges::count_if(results, [](const ReleaseResult &result) { return result.plan && !result.verdict; }));
  std::string lines;
  for (std::size_t i = 0; i < std::min(groups.size(), mostShown); ++i) {
    const auto &group = groups[i];
    const auto key = keyWords(group.lock.key.bytes(), 80);
    const auto *others = group.differs ? ", with other figures or names" : "";
    const auto whose = plans == 1             ? std::string()
                       : group.times == 1     ? fmt::format(" ({})", key)
                       : group.times == plans ? fmt::format(" ({} of them{})", group.times, others)
                                              : fmt::format(" ({} of them{}; {} first)", group.times, others, key);
    lines += fmt::format("  risk     {}{}\n", group.first, whose);
  }
  if (groups.size() > mostShown)
    lines += fmt::format("  risk     and {} others: --json has all of them\n", groups.size() - mostShown);
  return lines;
}

} // namespace lockhouse::ctl
