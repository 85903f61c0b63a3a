// SPDX-License-Identifier: Apache-2.0
#include "core/watch/query/lock_query_parser.h"

#include "core/base/ascii.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace lockhouse {
namespace {

using namespace std::string_view_literals;
using Term = LockQuery::Term;
using Field = LockQuery::Field;
using Comparison = LockQuery::Comparison;
using Kind = QueryFault::Kind;

struct Word {
  std::string text;
  std::size_t position = 0;
  bool quoted = false;                ///< it opened with a quote: text, never a field
  bool negated = false;               ///< by a ! before that quote
  std::vector<std::size_t> bars = {}; ///< where in the text a | stands that was not in quotes
};

constexpr std::array<std::pair<std::string_view, Field>, 12> fields{{{"name", Field::Name},
                                                                     {"holder", Field::Holder},
                                                                     {"fam", Field::Family},
                                                                     {"family", Field::Family},
                                                                     {"node", Field::Node},
                                                                     {"state", Field::State},
                                                                     {"age", Field::Age},
                                                                     {"held", Field::Age},
                                                                     {"ttl", Field::TimeLeft},
                                                                     {"expires", Field::TimeLeft},
                                                                     {"waiters", Field::Waiters},
                                                                     {"count", Field::Count}}};

constexpr std::array states{LockState::Held,         LockState::Contended, LockState::Waiting, LockState::Expiring,
                            LockState::NeverExpires, LockState::Suspect,   LockState::Stale};

bool isSame(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lowered, lowered); }

bool isLetters(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return lowered(c) >= 'a' && lowered(c) <= 'z'; });
}

// How many bytes of a space begin here: of ASCII, or the wide one of Chinese keyboards.
std::size_t spaceAt(std::string_view text, std::size_t at) {
  if (" \t\r\n\v\f"sv.contains(text[at]))
    return 1;
  return text.substr(at).starts_with("\u3000") ? 3 : 0;
}

std::vector<Word> split(std::string_view text) {
  std::vector<Word> words;
  bool open = false, quotes = false;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto space = quotes ? 0 : spaceAt(text, at)) {
      open = false;
      at += space;
      continue;
    }
    if (!std::exchange(open, true)) {
      const bool negated = text.substr(at).starts_with("!\"");
      words.push_back({.text = {}, .position = at, .quoted = negated || text[at] == '"', .negated = negated});
      at += negated ? 1 : 0;
    }
    auto &word = words.back();
    if (text[at] == '"')
      quotes = !quotes;
    else
      word.text += text[at];
    if (text[at] == '|' && !quotes)
      word.bars.push_back(word.text.size() - 1);
    ++at;
  }
  return words;
}

std::unexpected<QueryFault> refuse(Kind kind, const Word &word, std::string said, std::string field = {}) {
  return std::unexpected(QueryFault{kind, std::move(said), std::move(field), word.position, std::max<std::size_t>(word.text.size(), 1)});
}

// Of a word, behind so many bytes of it.
std::vector<std::string> parts(const Word &word, std::size_t start) {
  std::vector<std::string> all;
  for (const auto bar : word.bars)
    if (bar >= start) {
      all.push_back(word.text.substr(start, bar - start));
      start = bar + 1;
    }
  all.push_back(word.text.substr(start));
  return all;
}

// Every text contains one that is empty.
bool hasEmpty(const std::vector<std::string> &alternatives) { return std::ranges::any_of(alternatives, &std::string::empty); }

template <class T> std::optional<T> wholeNumber(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> readSpan(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 6> units{{{"ms", 1e6}, {"min", 60e9}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}}};
  for (const auto &[unit, factor] : units) {
    if (text.size() < unit.size() || !isSame(text.substr(text.size() - unit.size()), unit))
      continue;
    const auto value = wholeNumber<double>(text.substr(0, text.size() - unit.size()));
    return value && *value * factor < 9e18 ? std::optional(static_cast<std::int64_t>(std::llround(*value * factor))) : std::nullopt;
  }
  return std::nullopt;
}

/// Where the field's name ends and what operator follows; npos if the word has none.
std::pair<std::size_t, std::string_view> operatorOf(std::string_view text) {
  const auto at = text.find_first_of(":<>=");
  if (at == text.npos)
    return {at, {}};
  const bool two = (text[at] == '<' || text[at] == '>') && text.substr(at + 1).starts_with('=');
  return {at, text.substr(at, two ? 2 : 1)};
}

Comparison comparisonOf(std::string_view sign) {
  if (sign == "<")
    return Comparison::Less;
  if (sign == "<=")
    return Comparison::AtMost;
  if (sign == ">")
    return Comparison::More;
  return sign == ">=" ? Comparison::AtLeast : Comparison::Equal;
}

std::expected<Term, QueryFault> readStates(Term term, const std::vector<std::string> &alternatives, const Word &word) {
  LockQuery::States wanted;
  for (const auto &part : alternatives) {
    const auto found = std::ranges::find_if(states, [&](LockState state) {
      std::string slug(name(state));
      const bool isWhole = isSame(slug, part);
      std::erase(slug, '-');
      return isWhole || isSame(slug, part);
    });
    if (found == states.end())
      return refuse(Kind::UnknownState, word, part);
    wanted.anyOf.push_back(*found);
  }
  term.want = std::move(wanted);
  return term;
}

std::expected<Term, QueryFault> readComparison(Term term, std::string_view sign, std::string_view value, const Word &word) {
  const bool exact = sign == ":" || sign == "=";
  if (exact && ((term.field == Field::TimeLeft && value == "never") || (term.field == Field::Waiters && value == "unknown"))) {
    term.want = LockQuery::Absent{};
    return term;
  }
  const bool isTime = term.field == Field::Age || term.field == Field::TimeLeft;
  const auto number = isTime ? readSpan(value) : wholeNumber<std::int64_t>(value);
  if (!number)
    return refuse(isTime ? Kind::NeedsTime : Kind::NeedsNumber, word, word.text);
  term.want = LockQuery::Number{comparisonOf(sign), *number};
  return term;
}

std::expected<Term, QueryFault> readTerm(Word word) {
  Term term;
  term.negated = word.negated;
  if (!word.quoted && word.text.size() > 1 && word.text.starts_with('!')) {
    term.negated = true;
    word.text.erase(0, 1);
    for (auto &bar : word.bars)
      --bar;
  }
  const std::string_view text = word.text;
  const auto [at, sign] = operatorOf(text);
  const auto known = std::ranges::find_if(fields, [&, end = at](const auto &field) { return end != text.npos && isSame(text.substr(0, end), field.first); });
  // Lock names are full of colons ("order:17"), so an unknown field is text.
  if (word.quoted || known == fields.end()) {
    if (!word.quoted && at != text.npos && at > 0 && sign != ":" && sign != "=")
      return refuse(Kind::UnknownField, word, std::string(text.substr(0, at)));
    if (const auto before = text.substr(0, at); !word.quoted && at != text.npos && isLetters(before) && !isSame(before, "lock")) // every second name has that
      term.unknown = before;
    auto words = word.quoted ? std::vector{word.text} : parts(word, 0);
    if (hasEmpty(words))
      return refuse(Kind::EmptyPart, word, word.text.empty() ? "\"\"" : word.text);
    term.want = LockQuery::Words{std::move(words)};
    return term;
  }
  term.field = known->second;
  const auto value = text.substr(at + sign.size());
  if (value.empty())
    return refuse(Kind::NeedsValue, word, word.text);
  if (term.field >= Field::Age)
    return readComparison(std::move(term), sign, value, word);
  if (sign != ":" && sign != "=")
    return refuse(Kind::NotComparable, word, word.text, std::string(known->first));
  auto alternatives = parts(word, at + sign.size());
  if (hasEmpty(alternatives))
    return refuse(Kind::EmptyPart, word, word.text);
  if (term.field == Field::State)
    return readStates(std::move(term), alternatives, word);
  term.want = LockQuery::Words{std::move(alternatives)};
  return term;
}

} // namespace

std::expected<std::vector<Term>, QueryFault> parseTerms(std::string_view text) {
  std::vector<Term> terms;
  for (auto &word : split(text)) {
    auto term = readTerm(std::move(word));
    if (!term)
      return std::unexpected(std::move(term.error()));
    terms.push_back(std::move(*term));
  }
  return terms;
}

std::string QueryFault::sentence() const {
  switch (kind) {
  case Kind::UnknownState: return fmt::format("There is no state “{}”; use held, contended, waiting, expiring, never-expires, suspect or stale.", word);
  case Kind::NeedsTime: return fmt::format("“{}” needs a time such as 500ms, 2s, 5m, 1h or 3d.", word);
  case Kind::NeedsNumber: return fmt::format("“{}” needs a whole number.", word);
  case Kind::NeedsValue: return fmt::format("“{}” needs a value behind it.", word);
  case Kind::EmptyPart:
    return fmt::format(
        "“{}” names nothing in one of its places, which would let everything through; name what is meant, and put a | that is meant as it is in quotes.", word);
  case Kind::NotComparable: return fmt::format("“{}” cannot be compared; write {}:text.", word, field);
  case Kind::UnknownField: return fmt::format("There is nothing called “{}” to compare; use age, ttl, waiters or count.", word);
  }
  return {};
}

} // namespace lockhouse
