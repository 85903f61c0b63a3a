// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/locks/lock_summary.h"

#include "core/release/plan/hold_selection.h"
#include "core/watch/record/queue_positions.h"
#include "ui/model/text/count_words.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/holder_names.h"
#include "ui/model/text/message_text.h"
#include "ui/model/text/strong_text.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

QString sayCount(std::uint64_t n, const char *text) {
  return QCoreApplication::translate("LockSentence", text, nullptr, static_cast<int>(std::min<std::uint64_t>(n, 2'000'000'000)));
}

bool isMark(const LockRecord &record) { return record.kind == LockKind::Mutex && record.holders.size() == 1 && namesNobody(record.holders.front().id); }

// Of one of which not all was read, and all that was has lapsed.
QString unreadSentence(const LockRecord &record) {
  return sayCount(record.unread,
                  QT_TRANSLATE_N_NOOP("LockSentence", "All holds that were read have lapsed, and %n entries were not read: whether it is held is not known."));
}

QString heldSentence(const LockRow &row, SteadyTime now) {
  const LockRecord &record = *row.record;
  const QString span = strong(seconds1(now - record.heldSince));
  const QString who = strong(row.holder);
  if (record.holders.size() > 1)
    return (record.heldSinceExact ? QCoreApplication::translate("LockSentence", "%1 have shared this for %2.")
                                  : QCoreApplication::translate("LockSentence", "%1 have shared this for at least %2."))
        .arg(who, span);
  const Holder &holder = record.holders.front();
  if (isMark(record))
    return (record.heldSinceExact
                ? QCoreApplication::translate("LockSentence", "It has been held for %1 by whoever took it: its value is a mark that names nobody.")
                : QCoreApplication::translate("LockSentence", "It has been held for at least %1 by whoever took it: its value is a mark that names nobody."))
        .arg(span);
  const QString sentence = record.heldSinceExact ? QCoreApplication::translate("LockSentence", "%1 has held this for %2")
                                                 : QCoreApplication::translate("LockSentence", "%1 has held this for at least %2");
  QString text = sentence.arg(who, span);
  if (holder.mode == HoldMode::Read)
    text += QCoreApplication::translate("LockSentence", ", for reading");
  else if (holder.mode == HoldMode::Write)
    text += QCoreApplication::translate("LockSentence", ", for writing");
  if (record.kind == LockKind::Semaphore)
    text += holder.count > 1 ? sayCount(static_cast<std::uint64_t>(holder.count), QT_TRANSLATE_N_NOOP("LockSentence", ", with %n permits")) : QString();
  else if (record.kind != LockKind::Mutex)
    text += sayCount(static_cast<std::uint64_t>(std::max<std::int64_t>(holder.count, 0)), QT_TRANSLATE_N_NOOP("LockSentence", ", %n levels deep"));
  return text + QCoreApplication::translate("LockSentence", ".", "end of a sentence");
}

// Of a lock on several masters, or under several keys: on how many it lies, and what too few of them mean.
QString memberSentence(const LockRecord &record) {
  if (record.neededVotes > 0) {
    const QString text =
        record.hasMajority() ? QCoreApplication::translate("LockSentence", "Its token lies under %1 of its keys.")
        : record.mayHaveMajority()
            ? strong(QCoreApplication::translate("LockSentence", "Its token lies under %1 of its keys, and it takes %2: others may lie on masters of this "
                                                                 "cluster that are not watched or refuse keys, and who holds it is not known."))
            : strong(QCoreApplication::translate("LockSentence", "Its token lies under %1 of its keys only: without %2 of them nobody holds this lock."));
    return record.hasMajority() ? text.arg(QString::number(record.votes)) : text.arg(QString::number(record.votes), QString::number(record.neededVotes));
  }
  if (record.isSplit())
    return strong(splitSentence(record));
  const QString on = QString::number(record.heldOn()), of = QString::number(record.masters);
  if (!record.hasMajority() && record.mayHaveMajority())
    return strong(QCoreApplication::translate("LockSentence",
                                              "Its token lies on %1 of %2 masters, of which %3 are not followed or refuse keys: who holds it is not known.")
                      .arg(on, of, QString::number(record.unfollowed)));
  if (!record.hasMajority() && record.heldOn() > 1) // how many masters its Redlock has is known to its clients alone
    return strong(QCoreApplication::translate("LockSentence",
                                              "Its token lies on %1 of %2 masters only: nobody holds this lock, unless no more than %3 masters are its own.")
                      .arg(on, of, QString::number(2 * record.heldOn() - 1)));
  if (record.hasMajority() && record.seenLastOn() > 0)
    return (record.sharedOn > 0 ? QCoreApplication::translate(
                                      "LockSentence", "Its holders lie on %1 of %2 masters, each of them on most, and on %3 as last seen (not followed).")
                                : QCoreApplication::translate("LockSentence", "Its token lies on %1 of %2 masters, on %3 of them as last seen (not followed)."))
        .arg(on, of, strong(QString::number(record.seenLastOn())));
  const QString text =
      record.sharedOn > 0 && record.hasMajority() ? QCoreApplication::translate("LockSentence", "Its holders lie on %1 of %2 masters, each of them on most.")
      : record.hasMajority()
          ? QCoreApplication::translate("LockSentence", "Its token lies on %1 of %2 masters.")
          : strong(QCoreApplication::translate("LockSentence",
                                               "Its token lies on %1 of %2 masters only: nobody holds this lock, unless its clients use this master alone."));
  return text.arg(on, of);
}

// Of what is a number and keeps no holders.
QString numberSentence(const LockRecord &record) {
  const QString text = record.kind == LockKind::Latch ? QCoreApplication::translate("LockSentence", "Left to count down: %1.")
                                                      : QCoreApplication::translate("LockSentence", "Free permits: %1; nothing tells who holds the others.");
  return text.arg(strong(QString::number(*record.number)));
}

QString leaseSentence(const LockRow &row, SteadyTime now) {
  const LockRecord &record = *row.record;
  if (record.isOver)
    return strong(QCoreApplication::translate("LockSentence", "The end that it names is past: whoever asks next may take it."));
  if (!record.expiresAt)
    return strong(QCoreApplication::translate("LockSentence", "It never expires: if its holder is gone, nothing will free it."));
  if (record.renewals == 0)
    return QCoreApplication::translate("LockSentence", "No renewal was seen.");
  QString text = sayCount(record.renewals, QT_TRANSLATE_N_NOOP("LockSentence", "It renewed %n times"));
  const auto since = record.renewedAt ? now - *record.renewedAt : std::chrono::nanoseconds(0);
  if (row.state == LockState::Suspect)
    return text + QCoreApplication::translate("LockSentence", ", but %1 for %2; its holder may be gone.")
                      .arg(strong(QCoreApplication::translate("LockSentence", "not any more")), strong(seconds1(since)));
  if (record.renewalPeriod && record.renewedAt && since < *record.renewalPeriod)
    return text + QCoreApplication::translate("LockSentence", "; the next renewal is due in %1.").arg(seconds1(*record.renewalPeriod - since));
  return text + QCoreApplication::translate("LockSentence", ", the last time %1 ago.").arg(seconds1(since));
}

QString queueSentence(const LockRow &row, SteadyTime now) {
  const LockRecord &record = *row.record;
  if (!record.waiters)
    return waitersUnknown(row);
  if (*record.waiters == 0 && record.areMoreToWait())
    return QCoreApplication::translate("LockSentence", "Whether anybody waits is not known: not all who may are counted.");
  if (*record.waiters == 0)
    return QCoreApplication::translate("LockSentence", "Nobody waits.");
  const QString waits = strong(sayCount(*record.waiters, record.areMoreToWait() ? QT_TRANSLATE_N_NOOP("LockSentence", "At least %n wait")
                                                                                : QT_TRANSLATE_N_NOOP("LockSentence", "%n wait")));
  const auto *first = firstWaiter(record, now);
  if (!first)
    return waits + QCoreApplication::translate("LockSentence", ".", "end of a sentence");
  return QCoreApplication::translate("LockSentence", "%1; the first is %2.").arg(waits, holderName(first->id));
}

QString goneSentence(std::optional<ChangeCause> cause) {
  if (!cause)
    return QCoreApplication::translate("LockSentence", "This lock has been gone for %1; why was not told.");
  switch (*cause) {
  case ChangeCause::Released: return QCoreApplication::translate("LockSentence", "This lock was released from here %1 ago.");
  case ChangeCause::Deleted: return QCoreApplication::translate("LockSentence", "This lock was deleted %1 ago: released by its holder, or by hand.");
  case ChangeCause::Expired: return QCoreApplication::translate("LockSentence", "This lock expired %1 ago: its lease ran out while it was held.");
  case ChangeCause::Evicted: return QCoreApplication::translate("LockSentence", "The server evicted this lock %1 ago, to free memory.");
  case ChangeCause::Flushed: return QCoreApplication::translate("LockSentence", "This lock went %1 ago, when its database was flushed.");
  case ChangeCause::Replaced: return QCoreApplication::translate("LockSentence", "Other data took the place of this lock %1 ago.");
  }
  return {};
}

QStringList goneSentences(const LockRow &row, SteadyTime now) {
  QStringList said{goneSentence(row.cause).arg(strong(seconds1(now - *row.releasedAt)))};
  if (row.record->isHeld())
    said << QCoreApplication::translate("LockSentence", "It was held by %1.").arg(strong(row.holder));
  return said;
}

// Of one whose node is not followed what was so is told, of a number and a queue too.
QStringList staleSentences(const LockRow &row, SteadyTime now) {
  const LockRecord &record = *row.record;
  const QString lost = strong(QCoreApplication::translate("LockSentence", "Not followed for %1.").arg(seconds1(now - *record.staleSince)));
  const QString seen = seconds1(now - record.seenAt);
  if (record.isHeld())
    return {lost, QCoreApplication::translate("LockSentence", "Its node's feed broke; the lock was last seen %1 ago, held by %2, and may have changed since.")
                      .arg(seen, row.holder)};
  QStringList said{lost, QCoreApplication::translate(
                             "LockSentence", "Its node's feed broke; what follows was so when the lock was last seen, %1 ago, and may have changed since.")
                             .arg(seen)};
  if (record.number)
    said << numberSentence(record);
  else
    said << (record.unread > 0 ? unreadSentence(record) : QCoreApplication::translate("LockSentence", "Nobody held it."));
  return record.waiters.value_or(0) > 0 ? said << queueSentence(row, now) : said;
}

QStringList sentences(const LockRow &row, SteadyTime now) {
  const LockRecord &record = *row.record;
  if (row.releasedAt)
    return goneSentences(row, now);
  if (record.staleSince)
    return staleSentences(row, now);
  if (record.number)
    return {numberSentence(record), queueSentence(row, now)};
  if (!record.isHeld() && record.unread > 0)
    return {unreadSentence(record), queueSentence(row, now)};
  if (!record.isHeld())
    return {QCoreApplication::translate("LockSentence", "Nobody holds this now."), queueSentence(row, now)};
  if (!record.hasMajority())
    return {memberSentence(record), QCoreApplication::translate("LockSentence", "It was taken by %1, or is left of an older hold.").arg(strong(row.holder))};
  QStringList said{heldSentence(row, now), leaseSentence(row, now), queueSentence(row, now)};
  if (const auto told = row.heldFor(now); told && row.sinceByHolder)
    said.insert(1, QCoreApplication::translate("LockSentence", "By its holder's own clock it was taken %1 ago.").arg(strong(seconds1(*told))));
  if (!record.members.empty() || record.neededVotes > 0)
    said.insert(1, memberSentence(record));
  if (freePermits(record))
    said.insert(1, countMeaning(record) + QCoreApplication::translate("LockSentence", ".", "end of a sentence"));
  return said;
}

} // namespace

QString splitSentence(const LockRecord &record) {
  const QString of = QString::number(record.holders.size()), on = QString::number(record.heldOn()), masters = QString::number(record.masters);
  if (record.unfollowed > 0)
    return QCoreApplication::translate("LockSentence", "Tokens of %1 holders lie on %2 of %3 masters, and %4 are not followed or refuse keys: who holds "
                                                       "this lock is not known.")
        .arg(of, on, masters, QString::number(record.unfollowed));
  return QCoreApplication::translate("LockSentence", "Tokens of %1 holders lie on %2 of %3 masters, none of them on most: nobody is seen to hold this lock.")
      .arg(of, on, masters);
}

QString waitersUnknown(const LockRow &row) {
  if (row.record->mayWaitStill())
    return QCoreApplication::translate("LockSentence",
                                       "Who waits is unknown: places in its queue have lapsed, or it is gone, and their clients may wait still.");
  if (row.record->family == "redisson-fair")
    return QCoreApplication::translate("LockSentence", "Who waits is unknown: its queue could not be read.");
  switch (row.waits) {
  case Waits::Never: return QCoreApplication::translate("LockSentence", "Nobody waits for it: whoever does not get it goes on without it.");
  case Waits::Listening:
    return QCoreApplication::translate("LockSentence",
                                       "Who waits is unknown: clients of this family wait as subscribers of its channel, and how many is not known here.");
  case Waits::Queued: return QCoreApplication::translate("LockSentence", "Who waits is unknown: no queue lies beside it.");
  case Waits::Blocked:
    return QCoreApplication::translate("LockSentence", "Who waits is unknown: clients of this family wait blocked on a list, and how many is not known here.");
  case Waits::Unseen: break;
  }
  return QCoreApplication::translate("LockSentence", "Who waits is unknown: this family leaves no trace of waiters.");
}

QString lockSentence(const LockRow &row, SteadyTime now) {
  return sentences(row, now).join(QCoreApplication::translate("LockSentence", " ", "between two sentences"));
}

QString lockAsText(const LockRow &row, SteadyTime now) {
  const LockRecord &record = *row.record;
  QStringList lines{shownName(row.record->id.key.bytes()), withoutStrong(lockSentence(row, now))};
  const auto add = [&lines](const QString &label, const QString &value) {
    lines << QCoreApplication::translate("LockSentence", "%1: %2", "label: value").arg(label, value);
  };
  add(QCoreApplication::translate("LockSentence", "State"), row.releasedAt ? goneWord(row.cause) : stateWord(row.state));
  add(QCoreApplication::translate("LockSentence", "Family"), row.family);
  if (record.members.empty())
    add(QCoreApplication::translate("LockSentence", "Node"), nodeName(record.id.node));
  for (const LockMember &member : record.members)
    add(QCoreApplication::translate("LockSentence", "Node"), nodeName(member.node));
  for (const Holder &holder : record.holders)
    add(QCoreApplication::translate("LockSentence", "Holder"), u"%1 ×%2"_s.arg(shown(holder.id), QString::number(holder.count)));
  for (const Waiter &waiter : record.queue)
    add(QCoreApplication::translate("LockSentence", "Waiter"), shown(waiter.id));
  for (const Message &fact : record.evidence)
    add(QCoreApplication::translate("LockSentence", "Evidence"), messageText(fact));
  return lines.join(u'\n');
}

} // namespace lockhouse::ui
