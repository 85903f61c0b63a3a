// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/holder_names.h"

#include "core/base/redisson_names.h"
#include "ui/model/text/formatting.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

bool isHexId(QStringView text) {
  return std::ranges::all_of(text, [](QChar c) { return c.isDigit() || (c >= u'a' && c <= u'f') || (c >= u'A' && c <= u'F') || c == u'-'; });
}

// Base64 and its like: letters of both cases and digits that take turns more often than in any word.
bool isRandom(QStringView text) {
  enum Kind { Lower, Upper, Digit };
  qsizetype many[3] = {}, turns = 0;
  std::optional<Kind> last;
  for (const QChar c : text) {
    const char16_t letter = c.unicode();
    const bool isLower = letter >= u'a' && letter <= u'z', isUpper = letter >= u'A' && letter <= u'Z', isDigit = letter >= u'0' && letter <= u'9';
    if (!isLower && !isUpper && !isDigit) {
      if (!u"+/_=-"_s.contains(c))
        return false;
      continue;
    }
    const Kind kind = isLower ? Lower : isUpper ? Upper : Digit;
    turns += last && *last != kind ? 1 : 0;
    ++many[kind];
    last = kind;
  }
  return many[Lower] > 0 && many[Upper] > 0 && many[Digit] > 0 && turns * 5 >= text.size() * 2;
}

QString shortened(const QString &text) {
  constexpr qsizetype whole = 12; // what a column of holders has room for
  const bool isHex = isHexId(text);
  if (text.size() <= whole || !(isHex || isRandom(text)))
    return text;
  return text.left(isHex ? 6 : 8) + u'…' + text.right(2);
}

QString sayCount(const char *text, std::uint64_t n) {
  return QCoreApplication::translate("Format", text, nullptr, static_cast<int>(std::min<std::uint64_t>(n, 2'000'000'000)));
}

QString onHost(const QString &machine) { return QCoreApplication::translate("Format", "host %1", "a machine's name").arg(machine); }

// Names differ at their ends more often than where they begin.
QString withoutMiddle(const QString &name, qsizetype letters) {
  qsizetype head = std::max<qsizetype>(letters - 1, 0) / 3, tail = std::max<qsizetype>(letters - 1 - head, 0);
  if (head + tail >= name.size())
    return name;
  head -= head > 0 && name[head - 1].isHighSurrogate() ? 1 : 0;
  tail -= tail > 0 && name[name.size() - tail].isLowSurrogate() ? 1 : 0;
  return name.left(head) + u'…' + name.right(tail);
}

} // namespace

QString holderName(std::string_view id) {
  static const QRegularExpression redisson(u"^(.{1,64}):(\\d{1,10})(:write)?$"_s);
  static const QRegularExpression own(u"^(?:(?:[rw]|\\d{1,6})/)?([0-9a-f-]{36}):(\\d{1,10})(?::\\d{10,20})?$"_s); // what for, client, number, fence
  static const QRegularExpression process(
      u"^(.{1,255})_(\\d{1,10})_[0-9a-f]{30}([0-9a-f]{2})(?:_WRITERWAITING)?$"_s); // of DistributedLock: machine, process, id
  const QString text = shown(id, 128);
  if (const auto match = process.match(shown(id, 400)); match.hasMatch())
    return match.captured(1) + u'_' + match.captured(2) + u'…' + match.captured(3);
  if (const auto match = own.match(text); match.hasMatch() && isHexId(match.captured(1)))
    return match.captured(1).left(8) + u':' + match.captured(2);
  if (const auto match = redisson.match(text); match.hasMatch()) {
    const QString client = match.captured(1);
    const QString brief = client.size() == 36 && isHexId(client) ? client.left(8) : shortened(client);
    return brief + u':' + match.captured(2);
  }
  return text.isEmpty() ? u"\"\""_s : shortened(text);
}

QString holderName(std::string_view family, std::string_view id) {
  // What ShedLock wrote is no name, but tells the machine.
  static const QRegularExpression shedlock(u"^ADDED:[^@]{1,40}@(.{1,255}?)(?::[0-9a-fA-F-]{36})?$"_s);
  if (family == "shedlock")
    if (const auto match = shedlock.match(shown(id, 400)); match.hasMatch())
      return onHost(match.captured(1));
  return holderName(redisson::asKnown(family, id));
}

QString holderSummary(const LockRecord &record) {
  const auto count = record.holders.size();
  if (count == 0)
    return dash();
  if (count == 1)
    return holderName(record.family, record.holders.front().id);
  const bool readers = std::ranges::all_of(record.holders, [](const Holder &holder) { return holder.mode == HoldMode::Read; });
  const QString many = readers ? sayCount(QT_TRANSLATE_N_NOOP("Format", "%n readers"), count) : sayCount(QT_TRANSLATE_N_NOOP("Format", "%n holders"), count);
  return record.unread > 0 ? QStringLiteral("≥") + QChar(0x2009) + many : many; // so many were read
}

QString wholeHolders(const LockRecord &record) {
  constexpr std::size_t most = 12;
  QStringList lines;
  for (const Holder &holder : record.holders) {
    if (static_cast<std::size_t>(lines.size()) == most) {
      lines << u"…"_s;
      break;
    }
    lines << (holder.id.empty() ? u"\"\""_s : shown(holder.id));
  }
  return lines.join(u'\n');
}

QString fittingHolder(const QString &name, const QFontMetrics &metrics, int width) {
  if (metrics.horizontalAdvance(name) <= width)
    return name;
  if (const QString word = onHost({}); !word.isEmpty() && name.startsWith(word)) // the name says so itself
    return fittingHolder(name.sliced(word.size()), metrics, width);
  // A machine that is one of several has a number or a hash in its own name; the domain is that of them all.
  static const QRegularExpression machine(u"^((?:[^@]*@)?[A-Za-z0-9-]*\\d[A-Za-z0-9-]*)((?:\\.[A-Za-z0-9-]+)*\\.[A-Za-z]{2,})([^A-Za-z0-9.-].*)?$"_s);
  QString own = name;
  if (const auto parts = machine.match(name); parts.hasMatch()) {
    const int room = width - metrics.horizontalAdvance(parts.captured(1) + parts.captured(3));
    if (room >= metrics.horizontalAdvance(u'…'))
      return parts.captured(1) + metrics.elidedText(parts.captured(2), Qt::ElideRight, room) + parts.captured(3);
    own = parts.captured(1) + parts.captured(3);
  }
  return metrics.elidedText(withoutMiddle(own, width / std::max(metrics.horizontalAdvance(u'0'), 1)), Qt::ElideMiddle, width);
}

} // namespace lockhouse::ui
