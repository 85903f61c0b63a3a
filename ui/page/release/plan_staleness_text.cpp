// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/plan_staleness_text.h"

#include "ui/model/locks/lock_summary.h"
#include "ui/model/text/formatting.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace lockhouse::ui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(SincePlan)
};

int number(std::uint64_t count) { return static_cast<int>(std::min<std::uint64_t>(count, 2'000'000'000)); }

QString between() { return Words::tr(" ", "between two sentences"); }

QString clockTime(SteadyTime at) { return timeOfDay(wallNow() - std::chrono::duration_cast<WallTime::duration>(SteadyClock::now() - at)); }

} // namespace

QString readAtWords(WallTime readAt) { return Words::tr("The lock was read at %1: times are told as of then.").arg(timeOfDay(readAt)); }

QString newsWords(const NewsSincePlan &news) {
  QStringList said;
  if (news.renewed)
    said << Words::tr("Since then its holder has renewed it, the last time at %1.").arg(clockTime(*news.renewed));
  if (news.isShortened)
    said << Words::tr("Since then its lease was shortened.");
  if (news.waiters)
    said << withGroups(Words::tr("By now %n wait for it: who comes next may have changed.", nullptr, number(*news.waiters)), *news.waiters);
  return said.join(between());
}

QString manyNews(const ReleaseManyFlow &flow) {
  QStringList said{flow.locks() == 1 ? readAtWords(flow.readAt())
                                     : Words::tr("The locks were read at %1: times are told as of then.").arg(timeOfDay(flow.readAt()))};
  if (const auto renewed = flow.renewedSince(); renewed > 0)
    said << withGroups(Words::tr("Since then %n of them were renewed.", nullptr, number(renewed)), renewed);
  return said.join(between());
}

QString minorityWords(const LockRecord &seen) {
  if (!seen.isHeld() || seen.hasMajority())
    return {};
  if (seen.isSplit())
    return splitSentence(seen);
  if (seen.neededVotes > 0 && seen.mayHaveMajority())
    return Words::tr("Its token lies under %1 of its keys, and it takes %2: others may lie on masters of this cluster that are not watched or refuse keys, and "
                     "who holds it is "
                     "not known. What is told of its holder is of whoever took these.")
        .arg(QString::number(seen.votes), QString::number(seen.neededVotes));
  if (seen.neededVotes > 0)
    return Words::tr(
               "Its token lies under %1 of its keys, and it takes %2: nobody holds this lock, unless its clients ask for fewer. What is told of its holder "
               "is of whoever took these.")
        .arg(QString::number(seen.votes), QString::number(seen.neededVotes));
  return Words::tr("Its token lies on %1 of %2 masters: nobody holds this lock, unless its clients ask fewer masters. What is told of its holder is of whoever "
                   "took it there.")
      .arg(QString::number(seen.heldOn()), QString::number(seen.masters));
}

} // namespace lockhouse::ui
