// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/cli_command.h"

#include "core/base/encoding.h"
#include "core/base/safe_text.h"
#include "ui/widget/style/plain_text.h"

#include <QStringList>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr std::size_t mostShown = 4'000; ///< of a name, in bytes: it is read before it is sent

bool isPlain(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("_-./:,@%+").contains(c); }

// Whether the bytes are text that a terminal shows as it is: what safeText() has nothing to escape in.
bool isPrintable(std::string_view bytes) { return safeText(bytes, bytes.size() + 1) == bytes; }

QString singleQuoted(std::string_view bytes) {
  QString text = fromUtf8(bytes);
  text.replace(u'\'', QStringLiteral("'\\''"));
  return u'\'' + text + u'\'';
}

QString ansiQuoted(std::string_view bytes) {
  QString text = QStringLiteral("$'");
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\')
      text += u'\\' + QString(QLatin1Char(c));
    else if (byte >= 0x20 && byte < 0x7f)
      text += QLatin1Char(c);
    else // octal: always three digits, so that a digit behind it is never read as part of it
      text += QStringLiteral("\\%1").arg(byte, 3, 8, QLatin1Char('0'));
  }
  return text + u'\'';
}

bool hasNul(std::string_view bytes) { return bytes.contains('\0'); } // which no word of a shell can hold

QString inBase64(std::string_view option, std::string_view bytes) { return fromUtf8(option) + u'=' + shellWord(base64(bytes)); }

} // namespace

QString shellWord(std::string_view bytes) {
  if (!bytes.empty() && std::ranges::all_of(bytes, isPlain))
    return fromUtf8(bytes);
  return isPrintable(bytes) ? singleQuoted(bytes) : ansiQuoted(bytes);
}

QString releaseCommand(std::string_view url, const ReleaseIntent &intent) {
  QStringList words{QStringLiteral("lockhousectl"), QStringLiteral("--url"), shellWord(url),
                    intent.shortenTo ? QStringLiteral("shorten") : QStringLiteral("release")};
  const bool applies = !intent.reason.empty();
  // A name that begins with a dash would be read as an option.
  words << (hasNul(intent.holder) ? inBase64("--holder-b64", intent.holder) : QStringLiteral("--holder=") + shellWord(intent.holder));
  if (intent.count)
    words << QStringLiteral("--count") << QString::number(*intent.count);
  if (intent.fence)
    words << QStringLiteral("--fence") << QString::number(intent.fence->value);
  if (intent.time)
    words << QStringLiteral("--time") << shellWord(*intent.time);
  if (intent.type && !name(*intent.type).empty())
    words << QStringLiteral("--type") << fromUtf8(name(*intent.type));
  if (intent.isVouchedFor) // with a KEY it means that this is a lock, and nothing else of the holder
    words << QStringLiteral("--all");
  if (intent.shortenTo)
    words << QStringLiteral("--to") << QString::number(intent.shortenTo->count());
  if (applies)
    words << QStringLiteral("--reason=") + shellWord(intent.reason);
  words << (applies ? QStringLiteral("--apply") : QStringLiteral("--plan"));
  const auto &key = intent.lock.key.bytes();
  if (hasNul(key))
    words << inBase64("--key-b64", key);
  else
    words << QStringLiteral("--") << shellWord(key);
  return words.join(u' ');
}

QString scriptText(const ReleasePlan &plan, std::optional<milliseconds> shortenTo) {
  const QString name = plan.script ? shown(plan.script->name) : QString();
  QStringList lines{QStringLiteral("EVAL %1 %2").arg(name, QString::number(plan.keys.size()))};
  for (const std::string &key : plan.keys)
    lines << QStringLiteral("  ") + shownName(key, mostShown);
  lines << QStringLiteral("  expect %1 = %2").arg(shownName(plan.expectHolder, mostShown), QString::number(plan.expectCount));
  if (shortenTo)
    lines << QStringLiteral("  leave at most %1 ms").arg(shortenTo->count());
  for (const ReleasePlan &part : plan.parts) // at nodes of their own
    lines << QStringLiteral("EVAL %1 1").arg(shown(part.script->name)) << QStringLiteral("  ") + shownName(part.keys.front(), mostShown);
  return lines.join(u'\n');
}

} // namespace lockhouse::ui
