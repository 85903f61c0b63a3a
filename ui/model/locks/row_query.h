// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/query/lock_query.h"
#include "ui/model/locks/lock_row.h"

#include <QString>
#include <QStringList>

#include <expected>
#include <memory>
#include <vector>

namespace lockhouse::ui {

/// Why a filter cannot be read, and which part of it.
struct QueryError {
  QString sentence;
  qsizetype position = 0;
  qsizetype length = 0;
};

/// What the filter box means: the language of core/watch/query/lock_query.h, over the rows of the table and in the words that they show,
/// so that `node:a` and a family's title are found too. Case does not matter.
class LockQuery {
public:
  static std::expected<LockQuery, QueryError> parse(const QString &text);

  bool matches(const LockRow &row, SteadyTime now) const;
  /// Of a row that matches, whether it means this hold: where it names a holder, by `holder:` or by text that only a holder has, not those of others.
  bool means(const LockRow &row, const Holder &holder) const;
  bool isEmpty() const { return m_terms.empty(); }
  /// A sentence about text that looks like a word of a filter and is in none of these rows: perhaps something else was meant. Empty: none.
  QString doubt(const std::vector<std::unique_ptr<LockRow>> &rows) const;

private:
  struct Term {
    lockhouse::LockQuery::Term meant;
    QStringList words; ///< of a term that is text
  };
  std::vector<Term> m_terms;

  static bool holds(const Term &term, const LockRow &row, SteadyTime now);
};

} // namespace lockhouse::ui
