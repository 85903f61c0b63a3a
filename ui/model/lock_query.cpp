// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/lock_query.h"

#include "ui/widget/plain_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;
using Term = LockQuery::Term;
using Field = LockQuery::Field;
using Comparison = LockQuery::Comparison;

struct Word {
  QString text;
  qsizetype position = 0;
  bool quoted = false; ///< it opened with a quote: text, never a field
};

constexpr std::array<std::pair<QLatin1String, Field>, 13> fields{{{"name"_L1, Field::Name},
                                                                  {"lock"_L1, Field::Name},
                                                                  {"holder"_L1, Field::Holder},
                                                                  {"fam"_L1, Field::Family},
                                                                  {"family"_L1, Field::Family},
                                                                  {"node"_L1, Field::Node},
                                                                  {"state"_L1, Field::State},
                                                                  {"age"_L1, Field::Age},
                                                                  {"held"_L1, Field::Age},
                                                                  {"ttl"_L1, Field::TimeLeft},
                                                                  {"expires"_L1, Field::TimeLeft},
                                                                  {"waiters"_L1, Field::Waiters},
                                                                  {"count"_L1, Field::Count}}};

constexpr std::array states{LockState::Held,         LockState::Contended, LockState::Waiting, LockState::Expiring,
                            LockState::NeverExpires, LockState::Suspect,   LockState::Stale};

std::vector<Word> split(const QString &text) {
  std::vector<Word> words;
  Word word;
  bool open = false;
  bool quotes = false;
  for (qsizetype i = 0; i <= text.size(); ++i) {
    const bool ends = i == text.size() || (!quotes && text.at(i).isSpace());
    if (ends && open) {
      words.push_back(std::exchange(word, {}));
      open = false;
    } else if (!ends) {
      if (!std::exchange(open, true))
        word = {{}, i, text.at(i) == u'"'};
      if (text.at(i) == u'"')
        quotes = !quotes;
      else
        word.text += text.at(i);
    }
  }
  return words;
}

std::unexpected<QueryError> refuse(const QString &sentence, const Word &word) {
  return std::unexpected(QueryError{sentence, word.position, std::max<qsizetype>(word.text.size(), 1)});
}

std::optional<std::int64_t> readSpan(QStringView text) {
  constexpr std::array<std::pair<QLatin1String, double>, 6> units{
      {{"ms"_L1, 1e6}, {"min"_L1, 60e9}, {"s"_L1, 1e9}, {"m"_L1, 60e9}, {"h"_L1, 3600e9}, {"d"_L1, 86400e9}}};
  for (const auto &[unit, factor] : units) {
    if (!text.endsWith(unit, Qt::CaseInsensitive))
      continue;
    bool ok = false;
    const double value = text.chopped(unit.size()).toDouble(&ok);
    if (ok && value >= 0 && value * factor < 9e18)
      return static_cast<std::int64_t>(std::llround(value * factor));
    return {};
  }
  return {};
}

std::optional<std::int64_t> readNumber(Field field, QStringView text) {
  if (field == Field::Age || field == Field::TimeLeft)
    return readSpan(text);
  bool ok = false;
  const qlonglong value = text.toLongLong(&ok);
  return ok && value >= 0 ? std::optional<std::int64_t>(value) : std::nullopt;
}

/// Where the field's name ends and what operator follows; -1 if the word has none.
std::pair<qsizetype, QString> operatorOf(const QString &text) {
  const auto found = std::ranges::find_if(text, [](QChar c) { return c == u':' || c == u'<' || c == u'>' || c == u'='; });
  if (found == text.cend())
    return {-1, {}};
  const auto at = found - text.cbegin();
  const bool two = (*found == u'<' || *found == u'>') && text.mid(at + 1, 1) == u"=";
  return {at, text.mid(at, two ? 2 : 1)};
}

Comparison comparisonOf(const QString &text) {
  if (text == u"<")
    return Comparison::Less;
  if (text == u"<=")
    return Comparison::AtMost;
  if (text == u">")
    return Comparison::More;
  return text == u">=" ? Comparison::AtLeast : Comparison::Equal;
}

std::expected<Term, QueryError> readStates(Term term, const QString &value, const Word &word) {
  LockQuery::States wanted;
  for (const QString &part : value.split(u'|')) {
    const auto found = std::ranges::find_if(states, [&](LockState state) {
      const QString slug = fromUtf8(name(state));
      return slug.compare(part, Qt::CaseInsensitive) == 0 || QString(slug).remove(u'-').compare(part, Qt::CaseInsensitive) == 0;
    });
    if (found == states.end())
      return refuse(QCoreApplication::translate("LockQuery", "There is no state “%1”; use held, contended, waiting, expiring, never-expires, suspect or stale.")
                        .arg(part),
                    word);
    wanted.anyOf.push_back(*found);
  }
  term.want = std::move(wanted);
  return term;
}

std::expected<Term, QueryError> readComparison(Term term, const QString &sign, const QString &value, const Word &word) {
  const bool exact = sign == u":" || sign == u"=";
  if (exact && ((term.field == Field::TimeLeft && value == u"never") || (term.field == Field::Waiters && value == u"unknown"))) {
    term.want = LockQuery::Absent{};
    return term;
  }
  const auto number = readNumber(term.field, value);
  if (!number && (term.field == Field::Age || term.field == Field::TimeLeft))
    return refuse(QCoreApplication::translate("LockQuery", "“%1” needs a time such as 500ms, 2s, 5m, 1h or 3d.").arg(word.text), word);
  if (!number)
    return refuse(QCoreApplication::translate("LockQuery", "“%1” needs a whole number.").arg(word.text), word);
  term.want = LockQuery::Number{comparisonOf(sign), *number};
  return term;
}

std::expected<Term, QueryError> readTerm(Word word) {
  Term term;
  if (!word.quoted && word.text.size() > 1 && word.text.startsWith(u'!')) {
    term.negated = true;
    word.text.remove(0, 1);
  }
  const auto [at, sign] = operatorOf(word.text);
  const auto known = std::ranges::find_if(
      fields, [&, end = at](const auto &field) { return end > 0 && QStringView(word.text).left(end).compare(field.first, Qt::CaseInsensitive) == 0; });
  // Lock names are full of colons ("order:17"), so an unknown field is text.
  if (word.quoted || known == fields.end()) {
    if (!word.quoted && at > 0 && sign != u":" && sign != u"=")
      return refuse(
          QCoreApplication::translate("LockQuery", "There is nothing called “%1” to compare; use age, ttl, waiters or count.").arg(word.text.left(at)), word);
    term.want = LockQuery::Words{word.quoted ? QStringList{word.text} : word.text.split(u'|', Qt::SkipEmptyParts)};
    return term;
  }
  term.field = known->second;
  const QString value = word.text.mid(at + sign.size());
  if (value.isEmpty())
    return refuse(QCoreApplication::translate("LockQuery", "“%1” needs a value behind it.").arg(word.text), word);
  if (term.field >= Field::Age)
    return readComparison(term, sign, value, word);
  if (sign != u":" && sign != u"=")
    return refuse(QCoreApplication::translate("LockQuery", "“%1” cannot be compared; write %2:text.").arg(word.text, known->first), word);
  if (term.field == Field::State)
    return readStates(term, value, word);
  term.want = LockQuery::Words{value.split(u'|', Qt::SkipEmptyParts)};
  return term;
}

bool contains(const QString &text, const QString &part) { return text.contains(part, Qt::CaseInsensitive); }

bool anyHolder(const LockRow &row, const QString &part) {
  return contains(row.holder, part) || std::ranges::any_of(row.record->holders, [&](const Holder &holder) { return contains(shown(holder.id), part); });
}

bool inFamily(const LockRow &row, const QString &part) { return contains(row.family, part) || contains(fromUtf8(row.record->family), part); }

bool onNode(const LockRow &row, const QString &part, bool whole) {
  return row.node.compare(part, Qt::CaseInsensitive) == 0 || (whole && contains(shown(row.record->id.node.bytes()), part));
}

bool hasWord(const LockRow &row, Field field, const QString &part) {
  switch (field) {
  case Field::Name: return contains(row.key, part);
  case Field::Holder: return anyHolder(row, part);
  case Field::Family: return inFamily(row, part);
  case Field::Node: return onNode(row, part, true);
  default: return contains(row.key, part) || anyHolder(row, part) || inFamily(row, part) || onNode(row, part, false);
  }
}

std::optional<std::int64_t> valueOf(const LockRow &row, Field field, SteadyTime now) {
  const LockRecord &record = *row.record;
  switch (field) {
  case Field::Age:
    if (const auto held = row.heldFor(now))
      return held->count();
    return {};
  case Field::TimeLeft:
    if (const auto left = record.isHeld() ? timeLeft(record, now) : std::nullopt)
      return std::chrono::nanoseconds(*left).count();
    return {};
  case Field::Waiters: return record.waiters ? std::optional(static_cast<std::int64_t>(*record.waiters)) : std::nullopt;
  default: return record.isHeld() ? std::optional(row.count()) : std::nullopt;
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

bool holds(const Term &term, const LockRow &row, SteadyTime now) {
  if (const auto *words = std::get_if<LockQuery::Words>(&term.want))
    return std::ranges::any_of(words->anyOf, [&](const QString &part) { return hasWord(row, term.field, part); });
  if (const auto *wanted = std::get_if<LockQuery::States>(&term.want))
    return std::ranges::find(wanted->anyOf, row.state) != wanted->anyOf.end();
  const auto value = valueOf(row, term.field, now);
  if (const auto *number = std::get_if<LockQuery::Number>(&term.want))
    return value && compare(*value, *number);
  return !value && (term.field == Field::Waiters || row.record->isHeld());
}

} // namespace

std::expected<LockQuery, QueryError> LockQuery::parse(const QString &text) {
  LockQuery query;
  for (const Word &word : split(text)) {
    auto term = readTerm(word);
    if (!term)
      return std::unexpected(term.error());
    query.m_terms.push_back(std::move(*term));
  }
  return query;
}

bool LockQuery::matches(const LockRow &row, SteadyTime now) const {
  return std::ranges::all_of(m_terms, [&](const Term &term) { return holds(term, row, now) != term.negated; });
}

} // namespace lockhouse::ui
