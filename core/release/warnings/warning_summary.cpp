// SPDX-License-Identifier: Apache-2.0
#include "core/release/warnings/warning_summary.h"

#include "core/base/safe_text.h"
#include "core/release/plan/remove_member.h"
#include "core/release/warnings/other_keys.h"
#include "core/watch/fleet/shared_tokens.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace lockhouse {
namespace {

bool isDigit(char c) { return '0' <= c && c <= '9'; }

bool isFigure(char c) { return isDigit(c) || c == '.'; }

bool isLetter(char c) { return 'a' <= c && c <= 'z'; }

bool isOfWord(char c) { return isLetter(c) || ('A' <= c && c <= 'Z') || isDigit(c) || c == '_'; }

// Each as the sentences shorten it, the longest first: it may have the others in it.
std::vector<std::string> namesIn(const ReleaseResult &result) {
  std::vector<std::string> names;
  const auto add = [&names](std::string_view name) {
    if (!name.empty())
      names.insert(names.end(), {safeText(name, 120), safeText(name, 80), briefly(name)});
  };
  add(result.lock.key.bytes());
  add(result.plan->expectHolder);
  add(result.plan->next.value_or(std::string()));
  if (!result.plan->wakes.empty())
    add(result.plan->wakes.front());
  if (result.now && !result.now->queue.empty())
    add(result.now->queue.front().id);
  std::ranges::sort(names, [](const std::string &a, const std::string &b) { return a.size() != b.size() ? a.size() > b.size() : a < b; });
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

// A figure with its unit; more of them are one time: "2 min 5 s".
std::size_t endOfFigure(std::string_view words, std::size_t at) {
  static constexpr std::array<std::string_view, 5> units{"ms", "s", "min", "h", "d"};
  const auto endOf = [words](std::size_t from, auto &&belongs) {
    while (from < words.size() && belongs(words[from]))
      ++from;
    return from;
  };
  for (;;) {
    const auto figure = endOf(at, isFigure);
    const auto unit = figure < words.size() && words[figure] == ' ' ? endOf(figure + 1, isLetter) : figure;
    if (unit == figure || std::ranges::find(units, words.substr(figure + 1, unit - figure - 1)) == units.end())
      return figure;
    if (unit + 1 >= words.size() || words[unit] != ' ' || !isFigure(words[unit + 1]))
      return unit;
    at = unit + 1;
  }
}

// A lock called "a" is not in every word.
void leaveOut(std::string &words, const std::string &name) {
  for (std::size_t at = 0; (at = words.find(name, at)) != std::string::npos; ++at) {
    const auto end = at + name.size();
    const bool isWhole =
        (at == 0 || !isOfWord(words[at - 1]) || !isOfWord(name.front())) && (end == words.size() || !isOfWord(words[end]) || !isOfWord(name.back()));
    if (isWhole)
      words.replace(at, name.size(), "#");
  }
}

// What it says of any lock and at any time.
std::string formOf(std::string words, std::span<const std::string> names) {
  for (const auto opening : {otherKeysOpening, keysElsewhereOpening})
    if (words.starts_with(opening))
      return std::string(opening);
  for (const auto &name : names)
    leaveOut(words, name);
  std::string form;
  for (std::size_t at = 0; at < words.size();) {
    if (!isDigit(words[at])) {
      form += words[at++];
      continue;
    }
    at = endOfFigure(words, at);
    form += isLetter(words[at - 1]) ? "time" : "0";
  }
  return form;
}

using Names = std::unordered_set<std::string_view>;

// The same words are one risk even where one of them is a name to their lock: a holder may be called "token".
std::size_t placeOf(const std::string &words, std::string form, std::unordered_map<std::string, std::size_t> &places, std::size_t next) {
  const auto same = places.find(words);
  const auto alike = places.find(form);
  const auto place = same != places.end() ? same->second : alike != places.end() ? alike->second : next;
  places.try_emplace(words, place);
  places.try_emplace(std::move(form), place);
  return place;
}

void add(WarningGroup &group, const ReleaseResult &result, std::size_t place, Names &whose) {
  constexpr std::size_t mostNamed = 3;
  ++group.times;
  group.place = std::min(group.place, place);
  group.differs |= result.plan->risks[place] != group.first;
  whose.insert(result.lock.key.bytes());
  group.names = whose.size();
  if (group.named.size() < std::min(group.names, mostNamed))
    group.named.push_back(result.lock.key);
}

} // namespace

std::vector<WarningGroup> warningGroups(std::span<const ReleaseResult> results) {
  std::vector<WarningGroup> groups;
  std::unordered_map<std::string, std::size_t> places; // by their words and by their forms
  std::vector<Names> whose;
  Names all;
  for (const auto &result : results) {
    if (!result.plan || result.verdict)
      continue;
    all.insert(result.lock.key.bytes());
    const auto names = namesIn(result);
    for (std::size_t place = 0; place < result.plan->risks.size(); ++place) {
      const auto &words = result.plan->risks[place];
      const auto at = placeOf(words, formOf(words, names), places, groups.size());
      if (at == groups.size()) {
        groups.push_back({.first = words, .place = place, .isRefusal = words == result.plan->refusal});
        whose.emplace_back();
      }
      add(groups[at], result, place, whose[at]);
    }
  }
  for (auto &group : groups)
    group.of = all.size();
  std::ranges::stable_sort(groups, [](const WarningGroup &a, const WarningGroup &b) { return a.place != b.place ? a.place < b.place : a.times > b.times; });
  return groups;
}

} // namespace lockhouse
