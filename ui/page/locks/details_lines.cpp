// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/locks/details_lines.h"

#include "core/watch/fleet/redlock_holders.h"
#include "core/watch/record/metadata.h"
#include "core/watch/record/queue_positions.h"
#include "core/watch/text/id_time.h"
#include "ui/model/locks/lock_summary.h"
#include "ui/model/text/family_words.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/holder_names.h"
#include "ui/model/text/message_text.h"
#include "ui/model/text/node_names.h"
#include "ui/model/text/strong_text.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <ranges>
#include <set>

namespace lockhouse::ui {
namespace {

using Look = LineList::Look;

struct Words {
  Q_DECLARE_TR_FUNCTIONS(Details)
};

QString modeWord(HoldMode mode) {
  switch (mode) {
  case HoldMode::Exclusive: return {};
  case HoldMode::Read: return Words::tr("reads");
  case HoldMode::Write: return Words::tr("writes");
  }
  return {};
}

// Times are told as every time in this window is; others as they are. Of several holders one after the other.
QString extraText(const std::string &name, const QString &value, QString (*asText)(WallTime)) {
  if (name != "since" && name != "until")
    return shown(value.toStdString(), 128);
  QStringList parts = value.split(QStringLiteral(", "));
  for (QString &part : parts)
    if (const auto at = instantOf(part.toStdString()))
      part = asText(WallTime(*at));
  return parts.join(QStringLiteral(", "));
}

QString placeText(const Waiter &waiter, SteadyTime now) {
  if (!waiter.leavesAt)
    return {};
  return *waiter.leavesAt > now ? Words::tr("leaves in %1").arg(brief(*waiter.leavesAt - now)) : Words::tr("lapsed %1 ago").arg(brief(now - *waiter.leavesAt));
}

LineList::Line wrapping(const QString &text) { return {.left = {text, Look::Soft}, .middle = {}, .right = {}, .beforeRight = {}, .wraps = true}; }

LineList::Line pair(const QString &name, const QString &value, Look look = Look::Soft) { return {{name, Look::Soft}, {}, {value, look}, {}}; }

LineList::Line told(const MetadataEntry &extra) {
  const QString value = fromUtf8(extra.value);
  LineList::Line line = pair(extraName(extra.name), extraText(extra.name, value, timeStamp), Look::Fixed);
  if (const QString utc = extraText(extra.name, value, timeStampUtc); utc != line.right.text)
    line.tip = Words::tr("%1: %2", "what a holder's bytes tell, its value").arg(line.left.text, utc);
  return line;
}

QString andMore(std::uint64_t all) {
  constexpr std::uint64_t mostCounted = 2'000'000'000;
  return Words::tr("and %n more", nullptr, static_cast<int>(std::min(all - mostDetailLines, mostCounted)));
}

// Of those that were not read some may have lapsed.
QString andMoreHolders(const LockRecord &record) {
  if (record.unread == 0)
    return andMore(record.holdersAtMost());
  constexpr std::uint64_t mostCounted = 2'000'000'000;
  return Words::tr("and at most %n more holds", nullptr, static_cast<int>(std::min(record.holdersAtMost() - mostDetailLines, mostCounted)));
}

QString leaseText(const LockMember &member, SteadyTime now) {
  if (member.staleSince)
    return Words::tr("not followed for %1").arg(brief(now - *member.staleSince));
  if (!member.expiresAt)
    return Words::tr("never expires");
  return brief(std::max<std::chrono::nanoseconds>(*member.expiresAt - now, std::chrono::nanoseconds(0)));
}

QString outageText(const NodeStatus &node, std::string_view key) {
  if (node.state == NodeState::Live && mayHaveUnseen(node, key))
    return Words::tr("not known: not all keys can be read");
  return node.state == NodeState::Live ? Words::tr("not there") : Words::tr("not known: %1").arg(nodeStateWord(node.state));
}

bool isMaster(const NodeStatus &node) { return !node.twin && node.role != "replica"; }

// What each of several holders told of himself, in their order; empty: it is the lock's. Of more than eight the rest is not kept, and on
// several masters they stand in another order.
QStringList ofHolders(const LockRecord &record, const MetadataEntry &extra) {
  constexpr qsizetype mostKept = 8;
  const auto holders = static_cast<qsizetype>(record.holders.size());
  if (holders < 2 || !record.members.empty())
    return {};
  const QStringList values = fromUtf8(extra.value).split(QStringLiteral(", "));
  const bool isOfEach = holders <= mostKept ? values.size() == holders : values.size() == mostKept + 1 && values.back() == u'…';
  return isOfEach ? values.first(std::min(holders, mostKept)) : QStringList();
}

void addTold(DetailLines &lines, const LockRecord &record, std::size_t holder) {
  for (const MetadataEntry &extra : record.extras)
    if (const QString value = ofHolders(record, extra).value(static_cast<qsizetype>(holder)); !value.isEmpty() && value != u'-')
      lines.push_back(
          wrapping(Words::tr("%1: %2", "what a holder's bytes tell, its value").arg(extraName(extra.name), extraText(extra.name, value, timeStamp))));
}

// Those whom too few masters have.
void addLesser(DetailLines &lines, const LockRecord &record) {
  const auto lesser = lesserHolders(record);
  for (const auto &[holder, masters] : lesser | std::views::take(mostDetailLines))
    lines.push_back(wrapping(((masters + record.unfollowed) * 2 > record.masters
                                  ? Words::tr("%1: on %2 of %3 masters, and not all are followed: whether it holds it is not known")
                                  : Words::tr("%1: on %2 of %3 masters, too few to hold it"))
                                 .arg(shown(holder.id, 60), QString::number(masters), QString::number(record.masters))));
  if (lesser.size() > mostDetailLines)
    lines.push_back({{andMore(lesser.size()), Look::Soft}, {}, {}, {}});
}

} // namespace

DetailLines holderLines(const LockRow &row, SteadyTime now) {
  const auto &holders = row.record->holders;
  DetailLines lines;
  for (std::size_t i = 0; i < std::min(holders.size(), mostDetailLines); ++i) {
    const Holder &holder = holders[i];
    const QString depth = holder.count == 1 ? QString() : QStringLiteral("×%1").arg(holder.count);
    lines.push_back({.left = {holder.id.empty() ? QStringLiteral("\"\"") : shown(holder.id), Look::Fixed},
                     .middle = {},
                     .right = {depth},
                     .beforeRight = {modeWord(holder.mode), Look::Soft},
                     .wraps = true});
    if (holder.expiresAt && holders.size() > 1) // of one it is the lock's
      lines.push_back(wrapping(*holder.expiresAt > now ? Words::tr("lapses in %1").arg(brief(*holder.expiresAt - now)) : Words::tr("its lease is over")));
    addTold(lines, *row.record, i);
  }
  if (holders.size() > mostDetailLines)
    lines.push_back({{andMoreHolders(*row.record), Look::Soft}, {}, {}, {}});
  return lines;
}

DetailLines queueLines(const LockRow &row, SteadyTime now) {
  const LockRecord &record = *row.record;
  DetailLines lines;
  for (const Waiter &waiter : record.queue) {
    if (lines.size() == mostDetailLines)
      break;
    lines.push_back({{countText(lines.size() + 1), Look::Soft}, {holderName(waiter.id), Look::Fixed}, {placeText(waiter, now), Look::Soft}, {}});
  }
  if (record.queue.size() > mostDetailLines)
    lines.push_back({{}, {andMore(std::max<std::uint64_t>(record.queue.size(), placesIn(record))), Look::Soft}, {}, {}});
  if (!record.waiters)
    lines.push_back(wrapping(waitersUnknown(row)));
  else if (lines.empty() && *record.waiters > 0)
    lines.push_back(wrapping(record.areMoreToWait() ? Words::tr("So many wait at least: more may, and nothing tells who they are.")
                                                    : Words::tr("How many wait is known, but not who they are.")));
  return lines;
}

DetailLines memberLines(const LockRow &row, const std::vector<NodeStatus> &nodes, SteadyTime now) {
  const auto &members = row.record->members;
  const NodeNames names(nodes);
  DetailLines lines;
  for (const NodeStatus &node : nodes) {
    const auto member = std::ranges::find_if(members, [&node](const LockMember &one) { return one.node == node.id && one.db == node.db; });
    if (members.empty() || (member == members.end() && !isMaster(node)))
      continue;
    const QString place = node.db == 0 ? nodeName(node.id) : Words::tr("%1, db %2").arg(nodeName(node.id), QString::number(node.db));
    const bool isPlain = member != members.end() && !member->staleSince;
    lines.push_back({{names.of(node.id), Look::Soft},
                     {place, Look::Fixed},
                     {member == members.end() ? outageText(node, row.record->id.key.bytes()) : leaseText(*member, now), isPlain ? Look::Plain : Look::Soft},
                     {}});
    if (member != members.end() && member->own)
      lines.push_back(wrapping(Words::tr("there held by %1, count %2").arg(shown(member->own->id, 60), QString::number(member->own->count))));
    else if (member != members.end() && member->there)
      lines.push_back(wrapping(Words::tr("there held by %1").arg(holderSummary(*member->there))));
  }
  addLesser(lines, *row.record);
  return lines;
}

DetailLines familyLines(const LockRow &row, const FamilyRegistry &families) {
  const Family *family = families.find(row.record->family);
  const LockRecord &record = *row.record;
  const QString title = Words::tr("%1, %2", "a family, the kind of lock").arg(family ? familyTitle(*family) : row.family, kindWord(record.kind));
  DetailLines lines{{.left = {title}, .middle = {}, .right = {}, .beforeRight = {}, .wraps = true}};
  if (family && !family->about.empty())
    lines.push_back(wrapping(familyAbout(*family)));
  if (!record.mayBe.empty())
    lines.push_back(wrapping(Words::tr("May also be: %1").arg(familyNames(families, record.mayBe))));
  for (const MetadataEntry &extra : record.extras)
    if (ofHolders(record, extra).isEmpty())
      lines.push_back(told(extra));
  for (const Message &fact : record.evidence)
    lines.push_back(wrapping(messageText(fact)));
  lines.push_back(pair(Words::tr("Fence"), record.fence ? countText(record.fence->value) : Words::tr("none", "no fencing token")));
  if (record.members.empty()) {
    lines.push_back(pair(Words::tr("Node"), shown(record.id.node.bytes(), 34), Look::FixedFaint));
    lines.push_back(pair(Words::tr("Database"), QString::number(record.id.db)));
  }
  return lines;
}

DetailLines releasingLines(const LockRow &row, const Family *family) {
  DetailLines lines;
  if (family && (row.record->isHeld() || row.record->number) && !row.releasedAt)
    for (const QString &sentence : releaseAdvice(*family, *row.record))
      lines.push_back(wrapping(sentence));
  return lines;
}

QString whyNotReleased(const LockRow &row) {
  const LockRecord &record = *row.record;
  if (record.isHeld() || row.releasedAt)
    return {};
  if (!record.number)
    return record.unread > 0 ? Words::tr("Nothing to release here: who was not read can be released with lockhousectl release --holder.")
                             : Words::tr("Nothing to release: nobody holds it now.");
  return record.kind == LockKind::Latch ? Words::tr("Nothing to release: a latch is counted down, and nobody holds it.")
                                        : Words::tr("Nothing to release: its permits are a number, and nothing tells who has one.");
}

DetailLines historyLines(const std::vector<LockChange> &changes) {
  DetailLines lines;
  for (const LockChange &change : changes)
    lines.push_back({.left = {timeOfDay(change.at), Look::FixedFaint}, .middle = {changeText(change)}, .right = {}, .beforeRight = {}, .wraps = true});
  return lines;
}

QString selectedSentence(const std::vector<LockRecordPtr> &locks, std::size_t gone) {
  if (locks.empty())
    return Words::tr("Nothing is left of them: each was released, or is over.");
  std::set<std::string_view> holders, nodes;
  int awaited = 0, endless = 0, free = 0;
  bool areMore = false; // who were not read
  for (const LockRecordPtr &lock : locks) {
    areMore |= lock->unread > 0;
    for (const Holder &holder : lock->holders)
      holders.insert(holder.id);
    nodes.insert(lock->id.node.bytes());
    for (const LockMember &member : lock->members)
      nodes.insert(member.node.bytes());
    awaited += lock->waiters.value_or(0) > 0 ? 1 : 0;
    endless += lock->isHeld() && !lock->expiresAt ? 1 : 0;
    free += lock->isHeld() || lock->number ? 0 : 1;
  }
  const auto counted = [](const QString &text, auto n) { return withGroups(text, static_cast<std::uint64_t>(n)); };
  const QString known = counted(Words::tr("%n holders", nullptr, static_cast<int>(holders.size())), holders.size());
  const QString who = areMore ? QStringLiteral("≥ %1").arg(known) : known;
  QStringList said;
  if (!holders.empty())
    said << Words::tr("They are held by %1 on %2.").arg(strong(who), Words::tr("%n nodes", nullptr, static_cast<int>(nodes.size())));
  if (awaited > 0)
    said << strong(counted(Words::tr("Somebody waits for %n of them.", nullptr, awaited), awaited));
  if (endless > 0)
    said << strong(counted(Words::tr("%n of them never expire.", nullptr, endless), endless));
  if (free > 0)
    said << counted(Words::tr("Nobody holds %n of them.", nullptr, free), free);
  if (gone > 0)
    said << counted(Words::tr("%n are gone meanwhile.", nullptr, static_cast<int>(gone)), gone);
  if (!holders.empty())
    said << Words::tr("Released together, those that nobody is known to wait for go first.");
  return said.join(Words::tr(" ", "between two sentences"));
}

QString certainty(const LockRecord &record) {
  const QString count = Words::tr("%n facts", nullptr, static_cast<int>(record.evidence.size()));
  if (record.confidence >= 0.95)
    return (record.mayBe.empty() ? Words::tr("certain, %1") : Words::tr("a lock for certain, %1", "though of which library is not")).arg(count);
  return Words::tr("%1 sure, %2", "percent, number of facts").arg(percent(record.confidence), count);
}

} // namespace lockhouse::ui
