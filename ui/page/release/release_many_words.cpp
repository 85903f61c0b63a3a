// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/release_many_words.h"

#include "core/release/warnings/warning_summary.h"
#include "ui/bridge/engine.h"
#include "ui/model/tables/release_table_model.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/message_text.h"
#include "ui/model/text/node_trouble.h"
#include "ui/model/text/verdict_text.h"
#include "ui/page/release/cli_command.h"
#include "ui/page/release/plan_staleness_text.h"
#include "ui/page/release/release_many_flow.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <tuple>

namespace lockhouse::ui {
namespace {

using Phase = ReleaseManyFlow::Phase;

constexpr std::size_t mostRisks = 60;
constexpr std::size_t mostOfMany = 8; // above their table, which is to be seen too; each line has all of its own
constexpr std::size_t mostNamed = 4;

struct Words {
  Q_DECLARE_TR_FUNCTIONS(ReleaseMany)
};

int number(std::size_t count) { return static_cast<int>(std::min<std::size_t>(count, 2'000'000'000)); }

QString lengthOf(const ReleaseManyFlow &flow) { return leaseLength(flow.length()); }

// Of the rows that were meant and are in none of the plans: those without a holder, or those that may be no locks.
QString leftOutSentence(const std::vector<LockRecordPtr> &rows, bool areDoubtful) {
  std::size_t count = 0;
  QStringList names;
  for (const LockRecordPtr &row : rows) {
    if (row->isDoubtful() != areDoubtful || ++count > mostNamed)
      continue;
    names << shownName(row->id.key.bytes(), 64);
  }
  if (count == 0)
    return {};
  const QString told = areDoubtful ? Words::tr("%n rows are doubtful, and are not released together with others (%1).", nullptr, number(count))
                                   : Words::tr("%n rows have no holder to release (%1).", nullptr, number(count));
  QString named = names.join(Words::tr(", ", "between two names"));
  if (count > mostNamed)
    named = Words::tr("%1 and %n more", "names", number(count - mostNamed)).arg(named);
  return withGroups(told, count).arg(named);
}

// A lock of which some holds alone would be ended is not freed by that.
QString releasedSentence(const ReleaseManyFlow &flow) {
  const auto whole = flow.wholeLocks(), part = flow.openLocks() - whole;
  if (whole == 0)
    return withGroups(Words::tr("Of %n locks only some holds would be ended, and the rest stay. Nothing has been changed.", nullptr, number(part)), part);
  const QString said =
      withGroups(flow.isOfOneHolder() ? Words::tr("This holder's holds of %n locks would be ended. Nothing has been changed.", nullptr, number(whole))
                                      : Words::tr("%n locks would be freed. Nothing has been changed.", nullptr, number(whole)),
                 whole);
  return part == 0 ? said
                   : said + Words::tr(" ", "between two sentences") +
                         withGroups(Words::tr("Of %n more only some holds would be ended, and the rest stay.", nullptr, number(part)), part);
}

QString nodesText(std::span<const NodeId> nodes) {
  QStringList names;
  for (const NodeId &node : nodes | std::views::take(mostNamed))
    names << nodeName(node);
  const QString named = names.join(Words::tr(", ", "between two names"));
  return nodes.size() <= mostNamed ? named : Words::tr("%1 and %n more", "names", number(nodes.size() - mostNamed)).arg(named);
}

// Where some masters of a lock would keep it: too few to keep anybody out.
QString keptSentence(const ReleaseManyFlow &flow) {
  const auto locks = flow.doneOnMost();
  if (locks.empty())
    return {};
  const auto &[place, left, masters] = locks.front();
  const QString told =
      flow.isShortening()
          ? Words::tr("The leases of %n locks would stay as they are on some masters. The first is that of %1, on %2: %3 of %4, too few to keep anybody out.",
                      nullptr, number(locks.size()))
          : Words::tr("%n locks would stay on some masters. The first is %1, on %2: %3 of %4, too few to keep anybody out.", nullptr, number(locks.size()));
  return withGroups(told, locks.size())
      .arg(shownName(flow.holds()[place].intent.lock.key.bytes(), 64), nodesText(left), countText(left.size()), countText(masters));
}

QString plannedSentence(const ReleaseManyFlow &flow) {
  const auto open = flow.openLocks();
  const auto left = flow.locks() - open;
  QString said = open == 0 ? Words::tr("None of them can be done as you saw it. Nothing has been changed.")
                 : flow.isShortening()
                     ? withGroups(Words::tr("%n leases would end in %1, unless they are renewed. Nothing has been changed.", nullptr, number(open)), open)
                           .arg(lengthOf(flow))
                     : releasedSentence(flow);
  if (open > 0 && left > 0)
    said += Words::tr(" ", "between two sentences") +
            withGroups(Words::tr("%n would stay as they are: what stands in the way comes first.", nullptr, number(left)), left);
  if (const QString kept = keptSentence(flow); !kept.isEmpty())
    said += Words::tr(" ", "between two sentences") + kept;
  for (const QString &sentence : {leftOutSentence(flow.leftOut(), false), leftOutSentence(flow.leftOut(), true)})
    if (!sentence.isEmpty())
      said += Words::tr(" ", "between two sentences") + sentence;
  if (const QString holder = manyHolder(flow); open > 0 && !holder.isEmpty())
    said += Words::tr(" ", "between two sentences") + holder;
  if (open > 0)
    said += Words::tr(" ", "between two sentences") + manyNews(flow);
  return said;
}

// Of rows whose token too few masters have: what is told of their holders.
QStringList lesserRows(const ReleaseManyFlow &flow) {
  std::map<std::size_t, const LockRecord *> rows;
  for (std::size_t place = 0; place < flow.results().size(); ++place)
    if (const LockRecord &seen = *flow.holds()[place].seen; flow.isOpen(place) && !seen.hasMajority())
      rows.emplace(flow.holds()[place].lock, &seen);
  if (rows.empty())
    return {};
  if (flow.locks() == 1)
    return {minorityWords(*rows.begin()->second)};
  return {
      withGroups(Words::tr("Of %n locks the token lies on too few masters, or under too few keys: unless their clients ask fewer of them, nobody holds them by "
                           "it, and what is told of their holders is of whoever took it there. The first is %1.",
                           nullptr, number(rows.size())),
                 rows.size())
          .arg(shownName(rows.begin()->second->id.key.bytes(), 64))};
}

// Why some nodes would refuse it, and which, unless all would.
QString refusalWords(const ReleaseManyFlow &flow, const WarningGroup &risk) {
  std::set<NodeId> all, refusing;
  for (const ReleaseResult &result : flow.results()) {
    all.insert(result.lock.node);
    if (result.plan && result.plan->refusal == risk.first)
      refusing.insert(result.lock.node);
  }
  const QString said = messageSentence(risk.first);
  return refusing.size() == all.size()
             ? said
             : Words::tr("On %1: %2", "nodes, why they would refuse it").arg(nodesText(std::vector(refusing.begin(), refusing.end())), said);
}

// It says whose it is, unless it is everybody's.
QString riskWords(const ReleaseManyFlow &flow, const WarningGroup &risk) {
  QString said = risk.isRefusal ? refusalWords(flow, risk) : messageSentence(risk.first);
  if (risk.differs)
    said = Words::tr("%1 (and the like).", "a risk without its stop, which others have with other names or figures").arg(withoutStop(said));
  if (risk.names == risk.of)
    return said;
  QStringList names;
  for (const LockName &name : risk.named)
    names << shown(name.bytes(), 64);
  const auto about = [&said](const QString &whose) { return Words::tr("About %1: %2", "whose locks, what they risk").arg(whose, said); };
  if (risk.names == risk.named.size())
    return about(names.join(Words::tr(", ", "between two names")));
  return about(withGroups(Words::tr("%n of %1 lock names (%2 first)", "how many of how many, a name", number(risk.names)), risk.names)
                   .arg(countText(risk.of), names.front()));
}

} // namespace

QString manyTitle(const ReleaseManyFlow &flow) {
  const auto open = flow.phase() == Phase::Planning ? 0 : flow.openLocks();
  const auto locks = flow.phase() == Phase::Done || open == 0 ? flow.locks() : open; // as many as its verb does
  if (flow.locks() == 1 && flow.phase() != Phase::Done) {                            // on several masters, or of several holders: it has a name
    const QString name = shownName(flow.holds().front().intent.lock.key.bytes(), 64);
    return flow.isShortening()    ? Words::tr("Shorten the lease of %1 to %2?").arg(name, lengthOf(flow))
           : flow.isOfOneHolder() ? Words::tr("Release this holder's holds of %1?").arg(name)
                                  : Words::tr("Release %1?").arg(name);
  }
  if (flow.phase() != Phase::Done)
    return flow.isShortening() ? withGroups(Words::tr("Shorten the leases of %n locks to %1?", nullptr, number(locks)), locks).arg(lengthOf(flow))
                               : withGroups(flow.isOfOneHolder() ? Words::tr("Release this holder's holds of %n locks?", nullptr, number(locks))
                                                                 : Words::tr("Release %n locks?", nullptr, number(locks)),
                                            locks);
  const QString done = flow.isShortening()    ? Words::tr("%1 of %n leases shortened", nullptr, number(locks))
                       : flow.isOfOneHolder() ? Words::tr("This holder's holds released: of %1 of %n locks", nullptr, number(locks))
                                              : Words::tr("%1 of %n locks released", nullptr, number(locks));
  return withGroups(done, locks).arg(countText(open));
}

QString manyHolder(const ReleaseManyFlow &flow) {
  const bool isAny = flow.isOfOneHolder() && !flow.holds().empty();
  return isAny ? Words::tr("The holder is %1.").arg(shown(flow.holder(), 64)) : QString();
}

QString manySentence(const ReleaseManyFlow &flow) {
  switch (flow.phase()) {
  case Phase::Planning: return Words::tr("Reading the locks and making a plan for each. Nothing has been changed.");
  case Phase::Planned: return plannedSentence(flow);
  case Phase::Applying:
    return Words::tr("It is under way: each only if holder and count are still these, those that somebody waits for last. Its results are in the audit log.");
  case Phase::Done:
    return manyUnrecorded(flow).empty() ? Words::tr("The verdict of each lock and node is below; the audit log has the verdicts of all that was sent, too.")
                                        : Words::tr("The verdict of each lock and node is below.");
  }
  return {};
}

QStringList manyRisks(const ReleaseManyFlow &flow) {
  const auto warnings = warningGroups(flow.results());
  QStringList said = lesserRows(flow);
  const auto most = flow.locks() > 1 ? mostOfMany : mostRisks;
  for (const WarningGroup &risk : warnings | std::views::take(most))
    said << riskWords(flow, risk);
  if (warnings.size() > most)
    said << Words::tr("And %n other risks: the tooltip of each line has all of its own.", nullptr, number(warnings.size() - most));
  if (const auto &hiding = flow.hiding(); !hiding.empty())
    said << withGroups(Words::tr("Of %n locks not every hold was read: whether some of the rest are of this holder is not known. The first is %1.", nullptr,
                                 number(hiding.size())),
                       hiding.size())
                .arg(shownName(hiding.front()->id.key.bytes(), 64));
  said << manyUnread(flow);
  if (const QString unwatched = unwatchedText(flow.unwatched()); !unwatched.isEmpty())
    said << unwatched;
  return said;
}

QStringList manyUnread(const ReleaseManyFlow &flow) {
  const auto &unread = flow.unread();
  if (unread.empty())
    return {};
  const int locks = number(unread.size());
  const QString told =
      flow.isShortening()
          ? Words::tr("Of %n locks not every hold was read, and those that were not stay as they are. The first is %1, with %2 of them.", nullptr, locks)
          : Words::tr("Of %n locks not every hold was read, and those that were not stay: release these locks again. The first is %1, with %2 of them.",
                      nullptr, locks);
  return {withGroups(told, unread.size()).arg(shownName(unread.front().lock.key.bytes(), 64), countText(unread.front().holds))};
}

QStringList manyOnMost(const ReleaseManyFlow &flow) {
  const auto locks = flow.doneOnMost();
  if (locks.empty())
    return {};
  const int count = number(locks.size());
  const QString told =
      flow.isShortening()
          ? Words::tr(
                "%n leases are shortened, though not on every master. The first is that of %1, longer or not known on %2 of %3, too few to keep anybody out.",
                nullptr, count)
      : flow.isOfOneHolder()
          ? Words::tr(
                "This holder's holds of %n locks are ended, though not on every master. The first is %1, there or not known on %2 of %3, too few to hold it.",
                nullptr, count)
          : Words::tr("%n locks are free, though not on every master. The first is %1, there or not known on %2 of %3, too few to keep anybody out.", nullptr,
                      count);
  const auto &[place, left, masters] = locks.front();
  return {withGroups(told, locks.size()).arg(shownName(flow.holds()[place].intent.lock.key.bytes(), 64), countText(left.size()), countText(masters))};
}

QStringList manyUnrecorded(const ReleaseManyFlow &flow) {
  const auto &results = flow.results();
  const auto isUnrecorded = [](const ReleaseResult &result) { return !result.unrecorded.empty(); };
  const auto first = std::ranges::find_if(results, isUnrecorded);
  if (first == results.end())
    return {};
  const auto holds = static_cast<std::size_t>(std::ranges::count_if(results, isUnrecorded));
  return {withGroups(Words::tr("The audit log has no outcome of %n holds: %1", nullptr, number(holds)), holds).arg(messageSentence(first->unrecorded))};
}

QStringList manyVerdicts(const ReleaseManyFlow &flow) {
  using Came = std::pair<Verdict, bool>; ///< to what, and whether that is in doubt
  std::map<Came, std::size_t> counts;
  for (const ReleaseResult &result : flow.results())
    if (result.verdict)
      ++counts[{*result.verdict, result.inDoubt}];
  std::vector<std::pair<Came, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<Came, std::size_t>::second);
  QStringList said;
  for (const auto &[came, times] : sorted) {
    ReleaseResult one;
    std::tie(one.verdict, one.inDoubt) = came;
    said << Words::tr("%1 × %2", "how often, verdict").arg(countText(times), verdictTitle(one, flow.holds().front().intent));
  }
  return said;
}

QString manyReport(const ReleaseManyFlow &flow) {
  QStringList lines{manyTitle(flow)};
  lines << manyVerdicts(flow) << manyUnrecorded(flow) << manyOnMost(flow) << manyUnread(flow)
        << Words::tr("Reason: %1").arg(fromUtf8(flow.holds().front().intent.reason)) << QString();
  for (std::size_t place = 0; place < flow.results().size(); ++place) {
    const ReleaseIntent &intent = flow.holds()[place].intent;
    const ReleaseResult &result = flow.results()[place];
    lines << QStringList{shownName(intent.lock.key.bytes()), nodeName(intent.lock.node), shown(intent.holder), outcomeText(result, intent),
                         result.auditId.empty() ? dash() : fromUtf8(result.auditId)}
                 .join(u'\t');
  }
  return lines.join(u'\n');
}

QString manyCommands(const ReleaseManyFlow &flow, const Engine &engine, const QString &reason) {
  QStringList lines;
  for (std::size_t place = 0; place < flow.results().size(); ++place) {
    if (!flow.isOpen(place))
      continue;
    ReleaseIntent intent = flow.holds()[place].intent;
    intent.count = flow.results()[place].plan->expectCount;
    seeAs(flow.results()[place], intent);
    intent.reason = reason.trimmed().toStdString();
    lines << releaseCommand(engine.urlOf(intent.lock), intent);
  }
  return lines.join(u'\n');
}

} // namespace lockhouse::ui
