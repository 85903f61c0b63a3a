// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/lock_row.h"

#include <QString>
#include <QStringList>

#include <expected>
#include <variant>
#include <vector>

namespace lockhouse::ui {

/// Why a filter cannot be read, and which part of it.
struct QueryError {
  QString sentence;
  qsizetype position = 0;
  qsizetype length = 0;
};

/// What the filter box means. Words apart by spaces must all hold; ! before one turns it round; a|b is either.
///   state:contended|suspect   fam:redisson   node:a   holder:web-3   name:order
///   age>2s  ttl<10s  ttl:never  waiters>=3  waiters:unknown  count>1   (units ms s m h d; operators > >= < <= =)
///   anything else: text that the lock, the holder, the family or the node contains
/// Case does not matter. "…" keeps spaces together.
class LockQuery {
public:
  static std::expected<LockQuery, QueryError> parse(const QString &text);

  bool matches(const LockRow &row, SteadyTime now) const;
  bool isEmpty() const { return m_terms.empty(); }

  enum class Field { Any, Name, Holder, Family, Node, State, Age, TimeLeft, Waiters, Count };
  enum class Comparison { Equal, Less, AtMost, More, AtLeast };
  struct Words {
    QStringList anyOf;
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
    std::variant<Words, States, Number, Absent> want;
  };

private:
  std::vector<Term> m_terms;
};

} // namespace lockhouse::ui
