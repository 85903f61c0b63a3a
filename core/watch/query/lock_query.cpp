// SPDX-License-Identifier: Apache-2.0
#include "core/watch/query/lock_query.h"

#include "core/watch/query/lock_query_parser.h"

#include "core/base/ascii.h"
#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/watch/record/hold_begin.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace lockhouse {
namespace {

using Term = LockQuery::Term;
using Field = LockQuery::Field;
using Comparison = LockQuery::Comparison;

bool contains(std::string_view text, std::string_view part) { return !std::ranges::search(text, part, {}, lowered, lowered).empty() || part.empty(); }

// As it is written, or as it is shown.
bool speaksOf(std::string_view bytes, std::string_view part) { return contains(bytes, part) || contains(safeText(bytes), part); }

bool isOnNode(const LockRecord &record, std::string_view part) {
  return speaksOf(record.id.node.bytes(), part) ||
         std::ranges::any_of(record.members, [&](const LockMember &member) { return speaksOf(member.node.bytes(), part); });
}

// As his library shows him too: a permit's bytes as hex digits.
bool isCalled(const LockRecord &record, const Holder &holder, std::string_view part) {
  return speaksOf(holder.id, part) || contains(redisson::asKnown(record.family, holder.id), part);
}

bool hasHolder(const LockRecord &record, std::string_view part) {
  return std::ranges::any_of(record.holders, [&](const Holder &holder) { return isCalled(record, holder, part); });
}

std::vector<std::string> companionKeysOf(const Family &family, std::string_view lock) {
  constexpr std::size_t mostWays = 2;
  std::vector<std::string> keys;
  for (const auto &companion : family.companion)
    if (companion.role != Role::Support)
      std::ranges::move(companionNames(family, companion.key, lock, mostWays), std::back_inserter(keys));
  if (family.slug.starts_with("redisson-"))
    for (const auto &nameOf : {redisson::queueKey, redisson::timeoutKey, redisson::fenceKey, redisson::permitsKey})
      keys.push_back(nameOf(lock));
  return keys;
}

bool hasName(const LockRecord &record, std::string_view part, const FamilyRegistry &families) {
  return speaksOf(record.id.key.bytes(), part) || LockQuery::isCompanion(record, families.find(record.family), part);
}

bool hasWord(const LockRecord &record, Field field, std::string_view part, const FamilyRegistry &families) {
  switch (field) {
  case Field::Name: return hasName(record, part, families);
  case Field::Holder: return hasHolder(record, part);
  case Field::Family: return contains(record.family, part);
  case Field::Node: return isOnNode(record, part);
  default: return hasHolder(record, part) || contains(record.family, part) || hasName(record, part, families);
  }
}

std::optional<std::int64_t> valueOf(const LockRecord &record, Field field, std::optional<std::chrono::nanoseconds> heldFor, SteadyTime now) {
  switch (field) {
  case Field::Age: return heldFor ? std::optional(heldFor->count()) : std::nullopt;
  case Field::TimeLeft:
    if (const auto left = record.isHeld() ? timeLeft(record, now) : std::nullopt)
      return std::chrono::nanoseconds(*left).count();
    return {};
  case Field::Waiters: return record.waiters ? std::optional(static_cast<std::int64_t>(*record.waiters)) : std::nullopt;
  default: return record.isHeld() || record.number ? std::optional(depthOf(record)) : std::nullopt;
  }
}

bool compare(std::int64_t value, const LockQuery::Number &number) {
  switch (number.comparison) {
  case Comparison::Equal: return value == number.value;
  case Comparison::Less: return value < number.value;
  case Comparison::AtMost: return value <= number.value;
  case Comparison::More: return value > number.value;
  case Comparison::AtLeast: return value >= number.value;
  }
  return false;
}

} // namespace

std::expected<LockQuery, QueryFault> LockQuery::parse(std::string_view text) {
  auto terms = parseTerms(text);
  if (!terms)
    return std::unexpected(std::move(terms.error()));
  return LockQuery(std::move(*terms));
}

bool LockQuery::isCompanion(const LockRecord &record, const Family *family, std::string_view part) {
  if (!family || part.empty())
    return false;
  const auto &lock = record.id.key.bytes();
  if (const auto own = redisson::partOf(part); family->slug.starts_with("redisson-") && own.part == redisson::Part::ReaderLease && own.lock == lock)
    return true; // of a reader whose name is in it
  const auto isSame = [part](std::string_view key) { return std::ranges::equal(key, part, {}, lowered, lowered); };
  const auto isMeant = [&](const std::string &key) { return isSame(key) || isSame(safeText(key)); };
  return std::ranges::any_of(companionKeysOf(*family, lock), isMeant);
}

bool LockQuery::holds(const Term &term, const LockRecord &record, LockState state, std::optional<std::chrono::nanoseconds> heldFor, SteadyTime now) {
  if (const auto *wanted = std::get_if<States>(&term.want))
    return std::ranges::find(wanted->anyOf, state) != wanted->anyOf.end();
  const auto value = valueOf(record, term.field, heldFor, now);
  if (const auto *number = std::get_if<Number>(&term.want))
    return value && compare(*value, *number);
  return !value && (term.field == Field::Waiters || record.isHeld());
}

std::string LockQuery::doubt(std::span<const LockRecordPtr> locks, const FamilyRegistry &families) const {
  for (const Term &term : m_terms) {
    const auto *words = term.unknown.empty() ? nullptr : std::get_if<Words>(&term.want);
    const auto isFound = [&](const LockRecordPtr &lock) {
      return std::ranges::any_of(words->anyOf, [&](const std::string &part) { return hasWord(*lock, term.field, part, families); });
    };
    if (words && std::ranges::none_of(locks, isFound))
      return fmt::format("\"{}\" is no word of a filter, and no lock has that text; the words are name, holder, family, node, state, age, ttl, waiters and "
                         "count, and what stands in quotes is text",
                         safeText(term.unknown, 40));
  }
  return {};
}

bool LockQuery::matches(const LockRecord &record, SteadyTime now, const FamilyRegistry &families) const { return matches(record, now, families, false); }

bool LockQuery::mayMatchUnread(const LockRecord &record, SteadyTime now, const FamilyRegistry &families) const {
  return record.unread > 0 && !matches(record, now, families, false) && matches(record, now, families, true);
}

bool LockQuery::mayNameHolder(const Term &term) {
  return std::holds_alternative<Words>(term.want) && !term.negated && (term.field == Field::Holder || term.field == Field::Any);
}

bool LockQuery::means(const LockRecord &record, const Holder &holder, const FamilyRegistry &families) const {
  return std::ranges::all_of(m_terms, [&](const Term &term) {
    return !mayNameHolder(term) || std::ranges::any_of(std::get<Words>(term.want).anyOf, [&](const std::string &part) {
      const bool isOfLock = term.field == Field::Any && (contains(record.family, part) || hasName(record, part, families));
      return isOfLock || isCalled(record, holder, part);
    });
  });
}

bool LockQuery::matches(const LockRecord &record, SteadyTime now, const FamilyRegistry &families, bool anyHolder) const {
  const auto state = stateAt(record, now);
  const auto heldFor =
      record.isHeld() ? std::optional<std::chrono::nanoseconds>(now - sinceByHolder(record, now, wallNow()).value_or(record.heldSince)) : std::nullopt;
  return std::ranges::all_of(m_terms, [&](const Term &term) {
    if (anyHolder && term.field == Field::Holder && !term.negated)
      return true;
    const auto *words = std::get_if<Words>(&term.want);
    const bool is = words ? std::ranges::any_of(words->anyOf, [&](const std::string &part) { return hasWord(record, term.field, part, families); })
                          : holds(term, record, state, heldFor, now);
    return is != term.negated;
  });
}

} // namespace lockhouse
