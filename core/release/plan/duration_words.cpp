// SPDX-License-Identifier: Apache-2.0
#include "core/release/plan/duration_words.h"

#include <fmt/format.h>

namespace lockhouse {
namespace {

std::string twoUnits(std::int64_t big, std::string_view bigUnit, std::int64_t small, std::string_view smallUnit) {
  return small == 0 ? fmt::format("{} {}", big, bigUnit) : fmt::format("{} {} {} {}", big, bigUnit, small, smallUnit);
}

} // namespace

std::string durationWords(std::chrono::nanoseconds duration) {
  const std::int64_t ms = std::max<std::int64_t>(0, std::chrono::duration_cast<milliseconds>(duration).count());
  if (ms < 1000)
    return fmt::format("{} ms", ms);
  if (ms < 60'000)
    return fmt::format("{}.{} s", ms / 1000, ms % 1000 / 100);
  const std::int64_t s = ms / 1000;
  if (s < 3600)
    return twoUnits(s / 60, "min", s % 60, "s");
  if (s < 86'400)
    return twoUnits(s / 3600, "h", s % 3600 / 60, "min");
  return twoUnits(s / 86'400, "d", s % 86'400 / 3600, "h");
}

} // namespace lockhouse
