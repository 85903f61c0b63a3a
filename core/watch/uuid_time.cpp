// SPDX-License-Identifier: Apache-2.0
#include "core/watch/uuid_time.h"

#include <charconv>
#include <string>

namespace lockhouse {
namespace {

constexpr milliseconds earliest(1'230'768'000'000), latest(4'102'444'800'000); // the years 2009 and 2100

} // namespace

std::optional<milliseconds> timeOfUuid1(std::string_view digits) {
  constexpr std::uint64_t epochTicks = 122'192'928'000'000'000; // of 1970, in 100 ns since 1582
  if (digits.size() != 32 || digits[12] != '1' || !std::string_view("89abAB").contains(digits[16]))
    return std::nullopt;
  const auto text = std::string(digits.substr(13, 3)).append(digits.substr(8, 4)).append(digits.substr(0, 8));
  std::uint64_t ticks = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ticks, 16);
  if (error != std::errc{} || end != text.data() + text.size() || ticks < epochTicks)
    return std::nullopt;
  const milliseconds at((ticks - epochTicks) / 10'000);
  return at >= earliest && at < latest ? std::optional(at) : std::nullopt;
}

bool mayBePast(milliseconds at, milliseconds now) { return at >= earliest && at < (now.count() > 0 ? now + std::chrono::days(1) : latest); }

} // namespace lockhouse
