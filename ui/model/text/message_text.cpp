// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/message_text.h"

#include "ui/model/text/family_words.h"
#include "ui/model/text/formatting.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>

namespace lockhouse::ui {
namespace {

QString translated(const MessageText &text) { return QCoreApplication::translate(text.context, text.words); }

/// What core has made safe already, which is only made sure of: its escapes are not escaped again.
QString shownOnce(std::string_view safe) {
  constexpr std::size_t most = 2'000;
  QStringList parts;
  for (std::size_t from = 0; from <= safe.size();) {
    const auto end = std::min(safe.find('\\', from), safe.size());
    parts << shown(safe.substr(from, end - from), most);
    from = end + 1;
  }
  return parts.join(u'\\');
}

QString durationText(milliseconds duration) {
  QStringList parts = QString::fromStdString(durationWords(duration)).split(u' ');
  for (qsizetype i = 1; i < parts.size(); i += 2)
    parts[i] = unitWord(parts[i]);
  return parts.join(QChar(0x2009));
}

struct ArgumentText {
  QString operator()(std::int64_t number) const { return QString::number(number); }
  QString operator()(milliseconds duration) const { return durationText(duration); }
  QString operator()(const std::string &text) const { return shownOnce(text); }
  QString operator()(const Families &families) const { return familyNames(FamilyRegistry::builtIn(), families.slugs); }
  QString operator()(const Action &action) const { return translated(action.menu); }
  QString operator()(const std::vector<Message> &messages) const {
    QStringList texts;
    for (const Message &message : messages)
      texts << messageText(message);
    return texts.join(QCoreApplication::translate("PlanWords", "; ", "between two parts of a sentence"));
  }
};

// A name is written as it is, and so is a call: lock().
bool mayBeginInSmallLetters(const Message &message) {
  const std::string_view words = message.text().words;
  if (words.starts_with("%1") && !message.arguments().empty()) {
    const auto *messages = std::get_if<std::vector<Message>>(&message.arguments().front());
    return !messages || messages->empty() || mayBeginInSmallLetters(messages->front());
  }
  return words.substr(0, words.find(' ')).ends_with("()");
}

} // namespace

// Every %N at once: what is filled in may hold a %N of its own.
QString messageText(const Message &message) {
  const auto arguments = message.arguments();
  const QString format = message.empty() ? QString() : translated(message.text());
  QString text;
  for (qsizetype i = 0; i < format.size(); ++i) {
    const int number = format[i] == u'%' && i + 1 < format.size() ? format[i + 1].digitValue() : -1;
    if (number < 1 || static_cast<std::size_t>(number) > arguments.size()) {
      text += format[i];
      continue;
    }
    text += std::visit(ArgumentText(), arguments[static_cast<std::size_t>(number - 1)]);
    ++i;
  }
  return text;
}

QString messageSentence(const Message &message) {
  QString text = messageText(message);
  if (!text.isEmpty() && !mayBeginInSmallLetters(message))
    text[0] = text[0].toUpper();
  const QString stop = QCoreApplication::translate("PlanWords", ".", "end of a sentence");
  return text.endsWith(u'.') || text.endsWith(stop) ? text : text + stop;
}

QStringList messageSentences(std::span<const Message> messages) {
  QStringList sentences;
  for (const Message &message : messages)
    sentences << messageSentence(message);
  return sentences;
}

QString withoutStop(QString sentence) {
  while (sentence.endsWith(u'.') || sentence.endsWith(u'。') || sentence.endsWith(u' '))
    sentence.chop(1);
  return sentence;
}

QString errorText(const Error &error) { return messageText(error.message()); }

} // namespace lockhouse::ui
