// SPDX-License-Identifier: Apache-2.0
#include "core/watch/text/id_time.h"

#include "core/base/ascii.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace lockhouse {
namespace {

constexpr milliseconds earliest(1'230'768'000'000), latest(4'102'444'800'000); // the years 2009 and 2100

// "2026-11-21T10:00:00.000Z"
std::optional<milliseconds> ofIso(std::string_view text) {
  if (text.size() < 20 || text.back() != 'Z' || text[10] != 'T')
    return std::nullopt;
  const auto part = [&](std::size_t at, std::size_t size) { return static_cast<int>(parseNumber(text.substr(at, size)).value_or(0)); };
  const std::chrono::year_month_day day(std::chrono::year(part(0, 4)), std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(part(8, 2))));
  if (!day.ok())
    return std::nullopt;
  const auto time = std::chrono::sys_days(day) + std::chrono::hours(part(11, 2)) + std::chrono::minutes(part(14, 2)) + seconds(part(17, 2));
  const auto fraction = text.size() > 21 ? parseNumber(text.substr(20, std::min<std::size_t>(3, text.size() - 21))).value_or(0) : 0;
  return time.time_since_epoch() + milliseconds(fraction);
}

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

std::optional<milliseconds> instantOf(std::string_view bytes) {
  if (const auto iso = ofIso(bytes))
    return iso;
  const auto point = bytes.find('.');
  const auto whole = parseNumber(bytes.substr(0, point));
  if (bytes.size() == 13 && point == bytes.npos &&
      !(whole && isPlausibleTime(static_cast<double>(*whole)))) { // PHP's uniqid: seconds in eight hex digits, microseconds in five
    const auto uniqid = parseNumber(bytes.substr(0, 8), 16), micros = parseNumber(bytes.substr(8), 16);
    return uniqid && micros ? std::optional(milliseconds(*uniqid * 1000 + *micros / 1000)) : std::nullopt;
  }
  if (!whole || *whole > 4'102'444'800'000)
    return std::nullopt;
  if (bytes.substr(0, point).size() >= 13)
    return milliseconds(*whole);
  std::string thousandths(point == bytes.npos ? "" : bytes.substr(point + 1, 3));
  thousandths.resize(3, '0');
  const auto at = *whole * 1000 + parseNumber(thousandths).value_or(0);
  return at <= 4'102'444'800'000 ? std::optional(milliseconds(at)) : std::nullopt;
}

} // namespace lockhouse
