// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/phrase_book.h"

#include <QCoreApplication>

#include <algorithm>
#include <ranges>
#include <string_view>

namespace lockhouse::ui {
namespace {

// Every %1 … at once: what is filled in may hold a %2 of its own.
QString filled(const QString &translated, const QStringList &values) {
  QString text;
  for (qsizetype i = 0; i < translated.size(); ++i) {
    const int number = translated[i] == u'%' && i + 1 < translated.size() ? translated[i + 1].digitValue() : -1;
    if (number < 1 || number >= values.size()) {
      text += translated[i];
      continue;
    }
    text += values[number];
    ++i;
  }
  return text;
}

qsizetype ownLetters(const char *source) {
  const auto text = std::string_view(source);
  return std::ssize(text) - 2 * std::ranges::count(text, '%');
}

} // namespace

// Those with the most words of their own first: what is filled into another may be these words.
PhraseBook::PhraseBook(const char *context, std::initializer_list<std::span<const char *const>> phrases) : m_context(context) {
  for (const char *source : phrases | std::views::join) {
    QString pattern = QRegularExpression::escape(QString::fromUtf8(source));
    for (const QChar number : {u'1', u'2', u'3', u'4'})
      pattern.replace(QStringLiteral("\\%") + number, QStringLiteral("(.+?)"));
    m_phrases.push_back({source, QRegularExpression(QRegularExpression::anchoredPattern(pattern), QRegularExpression::DotMatchesEverythingOption)});
  }
  std::ranges::stable_sort(m_phrases, std::ranges::greater(), [](const Phrase &phrase) { return ownLetters(phrase.source); });
}

std::optional<QString> PhraseBook::translated(const QString &words, QString (*valueWords)(const QString &)) const {
  for (const Phrase &phrase : m_phrases) {
    const auto match = phrase.pattern.match(words);
    if (!match.hasMatch())
      continue;
    QStringList values = match.capturedTexts();
    for (qsizetype i = 1; i < values.size(); ++i)
      values[i] = valueWords(values[i]);
    return filled(QCoreApplication::translate(m_context, phrase.source), values);
  }
  return {};
}

std::optional<bool> PhraseBook::opensWithValue(const QString &words) const {
  const auto found = std::ranges::find_if(m_phrases, [&words](const Phrase &phrase) { return phrase.pattern.match(words).hasMatch(); });
  return found == m_phrases.end() ? std::nullopt : std::optional(found->source[0] == '%');
}

} // namespace lockhouse::ui
