// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRegularExpression>
#include <QString>

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace lockhouse::ui {

/// Sentences of core with what was filled in, and what the translations make of them.
class PhraseBook {
public:
  /// `phrases` in English, with %1 … where something is filled in; the translations have them in `context`.
  PhraseBook(const char *context, std::initializer_list<std::span<const char *const>> phrases);

  /// `words` in the language of the window, what is filled in as `valueWords` says it; nothing if they are none of the phrases.
  std::optional<QString> translated(const QString &words, QString (*valueWords)(const QString &)) const;
  /// Whether they begin with something filled in, which is written as it is; nothing if they are none of the phrases.
  std::optional<bool> opensWithValue(const QString &words) const;

private:
  struct Phrase {
    const char *source;
    QRegularExpression pattern;
  };

  const char *m_context;
  std::vector<Phrase> m_phrases;
};

} // namespace lockhouse::ui
