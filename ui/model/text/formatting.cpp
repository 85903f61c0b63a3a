// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/formatting.h"

#include "ui/model/text/count_words.h"
#include "ui/model/text/holder_names.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QTimeZone>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

constexpr QChar thinSpace(u'\u2009');

QString unit(const QString &number, const QString &word) { return number + thinSpace + word; }

namespace words {
QString milli() { return QCoreApplication::translate("Format", "ms", "milliseconds"); }
QString second() { return QCoreApplication::translate("Format", "s", "seconds"); }
QString minute() { return QCoreApplication::translate("Format", "min", "minutes"); }
QString hour() { return QCoreApplication::translate("Format", "h", "hours"); }
QString day() { return QCoreApplication::translate("Format", "d", "days"); }
} // namespace words

QString two(const QString &first, const QString &second) { return first + thinSpace + second; }

QString whole(long long value, const QString &word) { return unit(QString::number(value), word); }

QString grouped(QString digits) {
  for (auto place = digits.size() - 3; place > 0; place -= 3)
    digits.insert(place, thinSpace);
  return digits;
}

QString sayCount(const char *text, std::uint64_t n) {
  return QCoreApplication::translate("Format", text, nullptr, static_cast<int>(std::min<std::uint64_t>(n, 2'000'000'000)));
}

QString goneText(const LockChange &change) {
  if (!change.cause)
    return QCoreApplication::translate("Format", "gone");
  switch (*change.cause) {
  case ChangeCause::Released: return QCoreApplication::translate("Format", "released from here");
  case ChangeCause::Deleted: return QCoreApplication::translate("Format", "released or deleted");
  case ChangeCause::Expired: return QCoreApplication::translate("Format", "expired while held");
  case ChangeCause::Evicted: return QCoreApplication::translate("Format", "evicted by the server");
  case ChangeCause::Flushed: return QCoreApplication::translate("Format", "flushed with its database");
  case ChangeCause::Replaced: return QCoreApplication::translate("Format", "replaced by other data");
  }
  return {};
}

QString membersText(const LockChange &change) {
  const LockRecord *lock = change.after.get();
  const auto isShared = [](const LockRecord &one) { return one.areManyUnder || !one.alsoUnder.empty(); };
  if (lock && change.before && isShared(*lock) && !isShared(*change.before))
    return QCoreApplication::translate("Format", "its holder has other keys too");
  if (!lock || lock->members.empty())
    return QCoreApplication::translate("Format", "on one master alone now");
  return QCoreApplication::translate("Format", "on %1 of %2 masters now").arg(countText(lock->heldOn()), countText(lock->masters));
}

QString numberText(const LockChange &change) {
  if (!change.before || !change.after || change.before->fence == change.after->fence || change.before->holders != change.after->holders)
    return countChanged(change.after.get());
  return change.after->fence ? QCoreApplication::translate("Format", "fence now %1").arg(countText(change.after->fence->value))
                             : QCoreApplication::translate("Format", "its fence is gone");
}

QString queueText(const LockChange &change) {
  const auto ids = [](const LockRecordPtr &record) {
    std::vector<std::string> names;
    if (record)
      for (const Waiter &waiter : record->queue)
        names.push_back(waiter.id);
    return names;
  };
  const auto before = ids(change.before);
  const auto after = ids(change.after);
  if (after.size() == before.size() + 1 && !after.empty() && std::ranges::find(before, after.back()) == before.end())
    return QCoreApplication::translate("Format", "%1 joined the queue").arg(holderName(after.back()));
  if (change.after && change.after->waiters)
    return sayCount(QT_TRANSLATE_N_NOOP("Format", "%n wait"), *change.after->waiters);
  return QCoreApplication::translate("Format", "waiters unknown");
}

QString oneUnit(std::chrono::nanoseconds span) {
  const auto total = std::max(span, 0ns);
  return total < 1min  ? unit(QLocale().toString(static_cast<double>(total / 100ms) / 10, 'f', 1), words::second())
         : total < 1h  ? whole(total / 1min, words::minute())
         : total < 24h ? whole(total / 1h, words::hour())
                       : whole(total / 24h, words::day());
}

} // namespace

QString duration(std::chrono::nanoseconds span) {
  span = std::max(span, 0ns);
  if (span == 0ns)
    return unit(u"0"_s, words::second());
  if (span < 1ms)
    return unit(significant(static_cast<double>(span.count()) / 1e3), u"µs"_s);
  if (span < 1s)
    return unit(significant(static_cast<double>(span.count()) / 1e6), words::milli());
  return seconds1(span);
}

QString seconds1(std::chrono::nanoseconds span) {
  const QString second = words::second();
  const QString minute = words::minute();
  const QString hour = words::hour();
  const QString day = words::day();
  const auto total = std::max(span, 0ns);
  if (total < 59'950ms)
    return unit(QLocale().toString(static_cast<double>(total.count()) / 1e9, 'f', 1), second);
  const auto full = std::chrono::round<seconds>(total).count();
  if (full < 3600)
    return two(whole(full / 60, minute), whole(full % 60, second));
  if (full < 86400)
    return two(whole(full / 3600, hour), whole(full % 3600 / 60, minute));
  return two(whole(full / 86400, day), whole(full % 86400 / 3600, hour));
}

QString unitWord(const QString &english) {
  return english == u"min"_s  ? words::minute()
         : english == u"h"_s  ? words::hour()
         : english == u"d"_s  ? words::day()
         : english == u"ms"_s ? words::milli()
                              : words::second();
}

QString brief(std::chrono::nanoseconds span) {
  const auto full = std::chrono::round<seconds>(std::max(span, 0ns));
  if (full < 10min)
    return seconds1(span);
  if (full < 1h)
    return whole(full / 1min, words::minute());
  if (full >= 10h && full < 24h)
    return whole(full / 1h, words::hour());
  return full >= 240h ? whole(full / 24h, words::day()) : seconds1(span);
}

QString atLeast(std::uint64_t count) { return u"≥"_s + thinSpace + countText(count); }

QString atLeast(std::chrono::nanoseconds span) { return u"≥"_s + thinSpace + oneUnit(span); }

QString roughly(std::chrono::nanoseconds span) { return u"~"_s + thinSpace + oneUnit(span); }

QString countText(std::uint64_t count) { return grouped(QString::number(count)); }

QString withGroups(QString text, std::uint64_t n) { return n < 1000 ? text : text.replace(QString::number(n), countText(n)); }

QString significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value))
    return value == 0 ? u"0"_s : dash();
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  const double step = std::pow(10.0, magnitude - digits);
  const double rounded = std::round(value / step) * step;
  if (magnitude >= digits)
    return (rounded < 0 ? u"−"_s : QString()) + grouped(QString::number(static_cast<qulonglong>(std::llround(std::abs(rounded)))));
  QString text = QLocale().toString(std::abs(rounded), 'f', std::min(digits - magnitude, 6));
  const QString point = QLocale().decimalPoint();
  while (text.contains(point) && text.endsWith(u'0'))
    text.chop(1);
  if (text.endsWith(point))
    text.chop(point.size());
  return rounded < 0 ? u'−' + text : text;
}

QString rate(double perSecond) { return unit(significant(perSecond), QCoreApplication::translate("Format", "/s", "per second")); }

QString percent(double share) {
  const double value = share * 100;
  return unit(value > 0 && value < 0.1 ? u"< "_s + QLocale().toString(0.1, 'f', 1) : significant(value, value < 10 ? 2 : 3), u"%"_s);
}

QString timeOfDay(WallTime at) {
  return QDateTime::fromMSecsSinceEpoch(std::chrono::floor<milliseconds>(at).time_since_epoch().count()).toString(u"HH:mm:ss"_s);
}

QString timeStamp(WallTime at) {
  return QDateTime::fromMSecsSinceEpoch(std::chrono::floor<milliseconds>(at).time_since_epoch().count()).toString(u"yyyy-MM-dd HH:mm:ss"_s);
}

QString timeStampUtc(WallTime at) {
  return QDateTime::fromMSecsSinceEpoch(std::chrono::floor<milliseconds>(at).time_since_epoch().count(), QTimeZone::utc())
      .toString(u"yyyy-MM-dd HH:mm:ss 'UTC'"_s);
}

QString extraName(std::string_view name) {
  static constexpr std::array names{
      std::pair("since", QT_TRANSLATE_NOOP("Extra", "Since")),         std::pair("until", QT_TRANSLATE_NOOP("Extra", "Until")),
      std::pair("host", QT_TRANSLATE_NOOP("Extra", "Host")),           std::pair("pid", QT_TRANSLATE_NOOP("Extra", "Process")),
      std::pair("mac", QT_TRANSLATE_NOOP("Extra", "Network card")),    std::pair("thread", QT_TRANSLATE_NOOP("Extra", "Thread")),
      std::pair("instance", QT_TRANSLATE_NOOP("Extra", "Instance")),   std::pair("worker", QT_TRANSLATE_NOOP("Extra", "Worker")),
      std::pair("process", QT_TRANSLATE_NOOP("Extra", "Process")),     std::pair("job", QT_TRANSLATE_NOOP("Extra", "Job")),
      std::pair("task", QT_TRANSLATE_NOOP("Extra", "Task")),           std::pair("queue", QT_TRANSLATE_NOOP("Extra", "Queue")),
      std::pair("app", QT_TRANSLATE_NOOP("Extra", "Application")),     std::pair("registry", QT_TRANSLATE_NOOP("Extra", "Registry")),
      std::pair("scheduler", QT_TRANSLATE_NOOP("Extra", "Scheduler")), std::pair("note", QT_TRANSLATE_NOOP("Extra", "Note")),
      std::pair("free", QT_TRANSLATE_NOOP("Extra", "Free permits")),   std::pair("permit", QT_TRANSLATE_NOOP("Extra", "Permit")),
      std::pair("left", QT_TRANSLATE_NOOP("Extra", "Left to count")),  std::pair("old_clients", QT_TRANSLATE_NOOP("Extra", "Clients of 2016 that wait")),
      std::pair("session", QT_TRANSLATE_NOOP("Extra", "Session")),     std::pair("value", QT_TRANSLATE_NOOP("Extra", "Value")),
  };
  for (const auto &[known, words] : names)
    if (name == known)
      return QCoreApplication::translate("Extra", words);
  return shown(name, 20);
}

QString kindWord(LockKind kind) {
  switch (kind) {
  case LockKind::Mutex: return QCoreApplication::translate("Format", "mutex");
  case LockKind::Reentrant: return QCoreApplication::translate("Format", "re-entrant");
  case LockKind::Fair: return QCoreApplication::translate("Format", "fair");
  case LockKind::ReadWrite: return QCoreApplication::translate("Format", "read-write");
  case LockKind::Semaphore: return QCoreApplication::translate("Format", "semaphore");
  case LockKind::Latch: return QCoreApplication::translate("Format", "latch");
  }
  return {};
}

QString nodeName(const NodeId &node) { return shown(node.bytes(), 60); }

QString nodeStateWord(NodeState state) {
  switch (state) {
  case NodeState::Connecting: return QCoreApplication::translate("Format", "connecting");
  case NodeState::Live: return QCoreApplication::translate("Format", "live");
  case NodeState::Stale: return QCoreApplication::translate("Format", "stale");
  case NodeState::Down: return QCoreApplication::translate("Format", "down");
  }
  return {};
}

QString feedWord(FeedKind feed) {
  switch (feed) {
  case FeedKind::None: return QCoreApplication::translate("Format", "no feed");
  case FeedKind::Tracking: return QCoreApplication::translate("Format", "tracking");
  case FeedKind::Keyspace: return QCoreApplication::translate("Format", "notifications");
  case FeedKind::Poll: return QCoreApplication::translate("Format", "polling");
  }
  return {};
}

QString goneWord(std::optional<ChangeCause> cause) {
  if (!cause)
    return QCoreApplication::translate("Format", "Gone");
  switch (*cause) {
  case ChangeCause::Released: return QCoreApplication::translate("Format", "Released");
  case ChangeCause::Deleted: return QCoreApplication::translate("Format", "Deleted");
  case ChangeCause::Expired: return QCoreApplication::translate("Format", "Expired");
  case ChangeCause::Evicted: return QCoreApplication::translate("Format", "Evicted");
  case ChangeCause::Flushed: return QCoreApplication::translate("Format", "Flushed");
  case ChangeCause::Replaced: return QCoreApplication::translate("Format", "Replaced");
  }
  return {};
}

QString changeText(const LockChange &change) {
  switch (change.kind) {
  case ChangeKind::Appeared:
    if (!change.after || !change.after->isHeld())
      return queueText(change);
    return (change.after->heldSinceExact ? QCoreApplication::translate("Format", "acquired by %1") : QCoreApplication::translate("Format", "found, held by %1"))
        .arg(holderSummary(*change.after));
  case ChangeKind::Holder:
    if (!change.after || !change.after->isHeld())
      return QCoreApplication::translate("Format", "free now; others wait");
    return QCoreApplication::translate("Format", "now held by %1").arg(holderSummary(*change.after));
  case ChangeKind::Count: return numberText(change);
  case ChangeKind::Lease: return QCoreApplication::translate("Format", "renewed");
  case ChangeKind::Shortened:
    return change.before && !change.before->expiresAt ? QCoreApplication::translate("Format", "lease set: it never expired before")
                                                      : QCoreApplication::translate("Format", "lease shortened");
  case ChangeKind::Waiters: return queueText(change);
  case ChangeKind::Members: return membersText(change);
  case ChangeKind::Vanished: return goneText(change);
  case ChangeKind::Stale: return QCoreApplication::translate("Format", "no longer followed: its node's feed broke");
  case ChangeKind::Live: return QCoreApplication::translate("Format", "followed again");
  }
  return {};
}

QString waitersText(const LockRecord &record, bool mayWait) {
  if (record.waiters)
    return record.areMoreToWait() ? atLeast(*record.waiters) : countText(*record.waiters);
  return mayWait ? QCoreApplication::translate("Format", "unknown") : QCoreApplication::translate("Format", "none", "who wait");
}

QString dash() { return u"—"_s; }

} // namespace lockhouse::ui
