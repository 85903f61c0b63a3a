// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/plan_words.h"

#include "ui/model/text/console_words.h"
#include "ui/model/text/error_words.h"
#include "ui/model/text/family_words.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/phrase_book.h"
#include "ui/model/text/plan_phrases.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <optional>

namespace lockhouse::ui {
namespace {

// A span of time is filled in with the units of English, a holder with his depth; what else is filled in are names and numbers.
QString inOwnUnits(const QString &value) {
  static const QRegularExpression deep(QStringLiteral("^(.*) \\((\\d+) deep\\)$"));
  if (const auto match = deep.match(value); match.hasMatch())
    return QCoreApplication::translate("PlanWords", "%1 (%2 deep)", "a holder, how often he holds it").arg(match.captured(1), match.captured(2));
  static const QRegularExpression span(QStringLiteral("^\\d+(?:\\.\\d)? (?:ms|s|min|h|d)(?: \\d+ (?:s|min|h))?$"));
  if (!span.match(value).hasMatch())
    return value;
  QStringList parts = value.split(u' ');
  for (qsizetype i = 1; i < parts.size(); i += 2)
    parts[i] = unitWord(parts[i]);
  return parts.join(QChar(0x2009));
}

bool areFamilies(const QStringList &slugs) {
  return std::ranges::all_of(slugs, [](const QString &slug) { return FamilyRegistry::builtIn().find(slug.toStdString()) != nullptr; });
}

// Families by their names, as the details have them. A lock may be called as one is: no other phrase is asked.
QString inNames(const QString &value) {
  const QStringList slugs = value.split(QStringLiteral(", "));
  if (!areFamilies(slugs))
    return inOwnUnits(value);
  std::vector<std::string> families;
  for (const QString &slug : slugs)
    families.push_back(slug.toStdString());
  return familyNames(FamilyRegistry::builtIn(), families);
}

bool tellsFamilies(const QString &words) {
  return words.startsWith(u"several libraries leave the same bytes") || words.startsWith(u"where it is of ") || words.startsWith(u"unless it is of ");
}

const PhraseBook &book() {
  static const PhraseBook book("PlanWords", {planPhrases(), verdictPhrases()});
  return book;
}

// A sentence of a plan, or of an Error.
std::optional<QString> known(const QString &words) {
  auto plan = book().translated(words, tellsFamilies(words) ? inNames : inOwnUnits);
  return plan ? plan : knownError(words);
}

// A refusal is several phrases in a row: what stands in the way, then what its library advises. Where the first of them ends.
qsizetype endOfFirst(const QString &words) {
  const QString between = QStringLiteral("; ");
  qsizetype end = words.size();
  while (end > 0 && !known(words.left(end))) // the longest: a phrase may have one of its own
    end = words.lastIndexOf(between, end - 1);
  return end;
}

QString translated(const QString &words) {
  const QString between = QStringLiteral("; ");
  const auto end = endOfFirst(words);
  if (end <= 0)
    return words;
  const QString first = *known(words.left(end));
  return end == words.size()
             ? first
             : first + QCoreApplication::translate("PlanWords", "; ", "between two parts of a sentence") + translated(words.mid(end + between.size()));
}

// A name is written as it is.
bool opensWithValue(const QString &words) {
  const auto end = endOfFirst(words);
  const auto first = words.left(end);
  return end > 0 && book().opensWithValue(first).value_or(errorOpensWithValue(first));
}

QString asSentence(const QString &words) {
  QString text = translated(words);
  const bool opensWithCode = text.section(u' ', 0, 0).endsWith(u"()");
  if (!text.isEmpty() && !opensWithCode && !opensWithValue(words))
    text[0] = text[0].toUpper();
  const QString stop = QCoreApplication::translate("PlanWords", ".", "end of a sentence");
  return text.endsWith(u'.') || text.endsWith(stop) ? text : text + stop;
}

} // namespace

QString planSentence(std::string_view words) { return inConsoleWords(asSentence(fromUtf8(words))); }

QString withoutStop(QString sentence) {
  while (sentence.endsWith(u'.') || sentence.endsWith(u'。') || sentence.endsWith(u' '))
    sentence.chop(1);
  return sentence;
}

QStringList planSentences(const std::vector<std::string> &words) {
  QStringList sentences;
  for (const std::string &sentence : words)
    sentences << planSentence(sentence);
  return sentences;
}

} // namespace lockhouse::ui
