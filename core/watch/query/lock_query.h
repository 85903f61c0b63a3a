// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family_registry.h"

#include <expected>
#include <span>
#include <variant>

namespace lockhouse {

/// Why a filter cannot be read, and which part of it.
struct QueryFault {
  enum class Kind : std::uint8_t { UnknownState, NeedsTime, NeedsNumber, NeedsValue, EmptyPart, NotComparable, UnknownField };
  Kind kind = Kind::NeedsValue;
  std::string word;         ///< that cannot be read; of UnknownState the state, of UnknownField the field
  std::string field;        ///< of NotComparable
  std::size_t position = 0; ///< of the word, in bytes
  std::size_t length = 0;
  std::string sentence() const; ///< in English, ends with a full stop
};

/// What a filter means. Words apart by spaces must all hold; ! before one turns it round; a|b is either.
///   state:contended|suspect   fam:redisson   node:7001   holder:web-3   name:order
///   age>2s  ttl<10s  ttl:never  waiters>=3  waiters:unknown  count>1   (units ms s m h d; operators > >= < <= =)
///   anything else: text that the lock, a holder or the family contains
/// The whole name of a key beside a lock, which has no row of its own, finds its lock; a part of it does not, for what is found may be released.
/// Case of ASCII letters does not matter. "…" keeps spaces together. Nothing is a pattern.
class LockQuery {
public:
  enum class Field : std::uint8_t { Any, Name, Holder, Family, Node, State, Age, TimeLeft, Waiters, Count };
  enum class Comparison : std::uint8_t { Equal, Less, AtMost, More, AtLeast };
  struct Words {
    std::vector<std::string> anyOf;
  };
  struct States {
    std::vector<LockState> anyOf;
  };
  struct Number {
    Comparison comparison = Comparison::Equal;
    std::int64_t value = 0; ///< nanoseconds for times
  };
  struct Absent {}; ///< ttl:never, waiters:unknown
  struct Term {
    Field field = Field::Any;
    bool negated = false;
    std::string unknown = {}; ///< of text: the letters before a colon, which are no word of a filter
    std::variant<Words, States, Number, Absent> want;
  };

  static std::expected<LockQuery, QueryFault> parse(std::string_view text);

  /// A sentence about text that looks like a word of a filter and is in none of these locks: perhaps something else was meant. Empty: none.
  std::string doubt(std::span<const LockRecordPtr> locks, const FamilyRegistry &families = FamilyRegistry::builtIn()) const;

  bool matches(const LockRecord &record, SteadyTime now, const FamilyRegistry &families = FamilyRegistry::builtIn()) const;
  /// Whether it lets nothing of `record` through but for the holders that it names, who may be among those that were not read.
  bool mayMatchUnread(const LockRecord &record, SteadyTime now, const FamilyRegistry &families = FamilyRegistry::builtIn()) const;
  /// Of a lock that matches, whether it means this hold: where it names a holder, by `holder:` or by text that only a holder has, not those of others.
  bool means(const LockRecord &record, const Holder &holder, const FamilyRegistry &families = FamilyRegistry::builtIn()) const;
  const std::vector<Term> &terms() const { return m_terms; }

  /// Whether a term is text that may name who holds a lock.
  static bool mayNameHolder(const Term &term);
  /// Whether a term that is no text holds; `heldFor` is nothing for a free lock.
  static bool holds(const Term &term, const LockRecord &record, LockState state, std::optional<std::chrono::nanoseconds> heldFor, SteadyTime now);
  /// Whether `part` is the name that a key beside the lock has, as `family`, which is its own (null: unknown), has them.
  static bool isCompanion(const LockRecord &record, const Family *family, std::string_view part);

private:
  explicit LockQuery(std::vector<Term> terms) : m_terms(std::move(terms)) {}

  std::vector<Term> m_terms;

  bool matches(const LockRecord &record, SteadyTime now, const FamilyRegistry &families, bool anyHolder) const;
};

} // namespace lockhouse
