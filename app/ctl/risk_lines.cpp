// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/risk_lines.h"

#include "app/ctl/lock_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <ranges>
#include <vector>

namespace lockhouse::ctl {
namespace {

/// A risk as the first of its form says it, of whom, and how many have one.
struct Risk {
  std::string first, key;
  std::size_t times = 0;
  std::size_t place = 0; ///< the foremost in a plan: what matters most stands first there
  bool differs = false;
};

// What it says of any lock and at any time: without the lock's name and the figures.
std::string formOf(std::string words, const std::string &key) {
  for (std::size_t at = 0; !key.empty() && (at = words.find(key, at)) != std::string::npos;)
    words.replace(at, key.size(), "#");
  const auto isFigure = [](char c) { return ('0' <= c && c <= '9') || c == '.'; };
  std::ranges::replace_if(words, isFigure, '0');
  words.erase(std::ranges::unique(words, [](char a, char b) { return a == '0' && b == '0'; }).begin(), words.end());
  return words;
}

} // namespace

std::string riskLines(std::span<const ReleaseResult> results) {
  std::map<std::string, Risk> risks;
  std::size_t plans = 0;
  for (const auto &result : results) {
    if (!result.plan || result.verdict)
      continue;
    ++plans;
    const auto key = keyWords(result.lock.key.bytes(), 80);
    for (std::size_t place = 0; place < result.plan->risks.size(); ++place) {
      const auto &words = result.plan->risks[place];
      if (words == result.plan->refusal) // its own line says so
        continue;
      auto &risk = risks[formOf(words, key)];
      risk.place = risk.times == 0 ? place : std::min(place, risk.place);
      if (risk.times++ == 0)
        risk.first = words, risk.key = key;
      risk.differs |= words != risk.first;
    }
  }
  std::vector<Risk> sorted;
  for (auto &[form, risk] : risks)
    sorted.push_back(std::move(risk));
  std::ranges::stable_sort(sorted, [](const Risk &a, const Risk &b) { return a.place != b.place ? a.place < b.place : a.times > b.times; });
  constexpr std::size_t mostShown = 20;
  std::string lines;
  for (const auto &[first, key, times, place, differs] : sorted | std::views::take(mostShown)) {
    const auto whose = plans == 1       ? std::string()
                       : times == 1     ? fmt::format(" ({})", key)
                       : times == plans ? fmt::format(" ({} of them{})", times, differs ? ", with other figures or names" : "")
                                        : fmt::format(" ({} of them{}; {} first)", times, differs ? ", with other figures or names" : "", key);
    lines += fmt::format("  risk     {}{}\n", first, whose);
  }
  if (sorted.size() > mostShown)
    lines += fmt::format("  risk     and {} others: --json has all of them\n", sorted.size() - mostShown);
  return lines;
}

} // namespace lockhouse::ctl
