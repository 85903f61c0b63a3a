// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/locks/row_query.h"

#include "core/base/redisson_names.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using Query = lockhouse::LockQuery;
using Field = Query::Field;
using Kind = QueryFault::Kind;

QString sentenceOf(const QueryFault &fault) {
  const QString word = fromUtf8(fault.word);
  switch (fault.kind) {
  case Kind::UnknownState:
    return QCoreApplication::translate("LockQuery", "There is no state “%1”; use held, contended, waiting, expiring, never-expires, suspect or stale.")
        .arg(word);
  case Kind::NeedsTime: return QCoreApplication::translate("LockQuery", "“%1” needs a time such as 500ms, 2s, 5m, 1h or 3d.").arg(word);
  case Kind::NeedsNumber: return QCoreApplication::translate("LockQuery", "“%1” needs a whole number.").arg(word);
  case Kind::NeedsValue: return QCoreApplication::translate("LockQuery", "“%1” needs a value behind it.").arg(word);
  case Kind::EmptyPart:
    return QCoreApplication::translate(
               "LockQuery",
               "“%1” names nothing in one of its places, which would let everything through; name what is meant, and put a | that is meant as it is in quotes.")
        .arg(word);
  case Kind::NotComparable: return QCoreApplication::translate("LockQuery", "“%1” cannot be compared; write %2:text.").arg(word, fromUtf8(fault.field));
  case Kind::UnknownField:
    return QCoreApplication::translate("LockQuery", "There is nothing called “%1” to compare; use age, ttl, waiters or count.").arg(word);
  }
  return {};
}

qsizetype lettersIn(std::string_view bytes) { return fromUtf8(bytes).size(); }

bool contains(const QString &text, const QString &part) { return text.contains(part, Qt::CaseInsensitive); }

// By his bytes, or as his library knows him.
bool isCalled(const LockRow &row, const Holder &holder, const QString &part) {
  if (contains(shown(holder.id), part))
    return true;
  const auto known = redisson::asKnown(row.record->family, holder.id);
  return known != holder.id && contains(shown(known), part);
}

bool anyHolder(const LockRow &row, const QString &part) {
  return contains(row.holder, part) || std::ranges::any_of(row.record->holders, [&](const Holder &holder) { return isCalled(row, holder, part); });
}

bool inFamily(const LockRow &row, const QString &part) { return contains(row.family, part) || contains(fromUtf8(row.record->family), part); }

bool onNode(const LockRow &row, const QString &part, bool whole) {
  const auto isMember = [&part](const LockMember &member) { return contains(shown(member.node.bytes()), part); };
  return row.node.compare(part, Qt::CaseInsensitive) == 0 || row.otherNodes.contains(part, Qt::CaseInsensitive) ||
         (whole && (contains(shown(row.record->id.node.bytes()), part) || std::ranges::any_of(row.record->members, isMember)));
}

bool hasName(const LockRow &row, const QString &part) { return contains(row.key, part) || Query::isCompanion(*row.record, row.kin, part.toStdString()); }

// Whoever holds it.
bool isOfLock(const LockRow &row, const QString &part) { return inFamily(row, part) || onNode(row, part, false) || hasName(row, part); }

bool hasWord(const LockRow &row, Field field, const QString &part) {
  switch (field) {
  case Field::Name: return hasName(row, part);
  case Field::Holder: return anyHolder(row, part);
  case Field::Family: return inFamily(row, part);
  case Field::Node: return onNode(row, part, true);
  default: return anyHolder(row, part) || isOfLock(row, part);
  }
}

} // namespace

std::expected<LockQuery, QueryError> LockQuery::parse(const QString &text) {
  const std::string bytes = text.toStdString();
  const auto read = Query::parse(bytes);
  if (!read) {
    const auto &fault = read.error();
    const auto word = std::string_view(bytes).substr(fault.position, fault.length);
    return std::unexpected(QueryError{sentenceOf(fault), lettersIn(std::string_view(bytes).substr(0, fault.position)), lettersIn(word)});
  }
  LockQuery query;
  for (const auto &meant : read->terms()) {
    Term term{meant, {}};
    if (const auto *words = std::get_if<Query::Words>(&meant.want))
      for (const auto &word : words->anyOf)
        term.words << fromUtf8(word);
    query.m_terms.push_back(std::move(term));
  }
  return query;
}

bool LockQuery::holds(const Term &term, const LockRow &row, SteadyTime now) {
  if (std::holds_alternative<Query::Words>(term.meant.want))
    return std::ranges::any_of(term.words, [&](const QString &part) { return hasWord(row, term.meant.field, part); });
  return Query::holds(term.meant, *row.record, row.state, row.heldFor(now), now);
}

QString LockQuery::doubt(const std::vector<std::unique_ptr<LockRow>> &rows) const {
  for (const Term &term : m_terms)
    if (!term.meant.unknown.empty() && std::ranges::none_of(rows, [&](const auto &row) { return holds(term, *row, {}); }))
      return QCoreApplication::translate("LockQuery",
                                         "“%1:” is no word of a filter, and no lock has that text. The words are name, holder, family, node, state, "
                                         "age, ttl, waiters and count; what stands in quotes is text.")
          .arg(shown(term.meant.unknown, 40));
  return {};
}

bool LockQuery::matches(const LockRow &row, SteadyTime now) const {
  return std::ranges::all_of(m_terms, [&](const Term &term) { return holds(term, row, now) != term.meant.negated; });
}

bool LockQuery::means(const LockRow &row, const Holder &holder) const {
  return std::ranges::all_of(m_terms, [&](const Term &term) {
    return !Query::mayNameHolder(term.meant) || std::ranges::any_of(term.words, [&](const QString &part) {
      const auto isOne = [&](const Holder &one) { return isCalled(row, one, part); };
      const bool isOfAll = contains(row.holder, part) && std::ranges::none_of(row.record->holders, isOne); // "2 readers", or his name as it is cut there
      return isOne(holder) || isOfAll || (term.meant.field == Field::Any && isOfLock(row, part));
    });
  });
}

} // namespace lockhouse::ui
