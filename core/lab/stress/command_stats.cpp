// SPDX-License-Identifier: Apache-2.0
#include "core/lab/stress/command_stats.h"

#include <charconv>

namespace lockhouse {

std::optional<std::uint64_t> serverCalls(std::string_view info) {
  constexpr std::string_view head = "cmdstat_", field = ":calls=";
  std::optional<std::uint64_t> sum;
  while (!info.empty()) {
    const auto end = info.find('\n');
    const auto line = info.substr(0, end);
    info.remove_prefix(end == std::string_view::npos ? info.size() : end + 1);
    const auto at = line.find(field);
    if (!line.starts_with(head) || at == std::string_view::npos)
      continue;
    std::uint64_t calls = 0;
    const auto from = line.data() + at + field.size();
    if (std::from_chars(from, line.data() + line.size(), calls).ec != std::errc{})
      continue;
    sum = sum.value_or(0) + (line.substr(head.size(), at - head.size()) == "info" ? 0 : calls);
  }
  return sum;
}

} // namespace lockhouse
