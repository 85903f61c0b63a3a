// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/locks/lock_table_model.h"

#include "core/watch/record/hold_begin.h"
#include "ui/model/locks/lock_summary.h"
#include "ui/model/text/count_words.h"
#include "ui/model/text/family_words.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/holder_names.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <algorithm>
#include <ranges>

namespace lockhouse::ui {
namespace {

std::vector<LockRecordPtr> confident(const std::vector<LockRecordPtr> &locks) {
  std::vector<LockRecordPtr> kept;
  kept.reserve(locks.size());
  std::ranges::copy_if(locks, std::back_inserter(kept), [](const LockRecordPtr &record) { return !record->isDoubtful(); });
  return kept;
}

QString expiresText(const LockRow &row, SteadyTime now) {
  const LockRecord &record = *row.record;
  if (row.releasedAt || !record.isHeld())
    return dash();
  if (record.staleSince)
    return LockTableModel::tr("%1 ago").arg(brief(now - record.seenAt));
  const auto left = timeLeft(record, now);
  return left ? brief(*left) : LockTableModel::tr("never");
}

QString heldForText(const LockRow &row, SteadyTime now) {
  const auto held = row.heldFor(now);
  if (!held || row.record->staleSince)
    return dash();
  return row.sinceByHolder ? roughly(*held) : row.record->heldSinceExact ? brief(*held) : atLeast(*held);
}

/// Each node that the lock lies on, letter and address, one a line.
QString nodesOf(const LockRecord &record, const NodeNames &names) {
  QStringList lines;
  for (const NodeId &node : names.inOrder(record))
    lines << LockTableModel::tr("%1: %2", "a node's letter, its address").arg(names.of(node), nodeName(node));
  if (record.seenLastOn() > 0)
    lines << LockTableModel::tr("on %1 of %2 masters, %3 of them as last seen")
                 .arg(countText(record.heldOn()), countText(record.masters), countText(record.seenLastOn()));
  else if (!record.members.empty())
    lines << LockTableModel::tr("on %1 of %2 masters").arg(countText(record.heldOn()), countText(record.masters));
  return lines.join(u'\n');
}

} // namespace

LockTableModel::LockTableModel(const FamilyRegistry &families, QObject *parent) : QAbstractTableModel(parent), m_families(families) {}

void LockTableModel::apply(const LockSnapshotPtr &snapshot, SteadyTime now) {
  m_now = now;
  rename(snapshot->nodes);
  std::vector<LockRecordPtr> locks = m_showsDoubtful ? snapshot->locks : confident(snapshot->locks);
  std::vector<LockRecordPtr> fresh;
  std::vector<int> changed, left;

  const auto gone = [&](const LockRecordPtr &record) {
    const int row = m_index.at(record->id);
    at(row).releasedAt = now;
    changed.push_back(row);
    left.push_back(row);
  };
  const auto present = [&](const LockRecordPtr &record) {
    const auto known = m_index.find(record->id);
    if (known == m_index.end())
      return fresh.push_back(record);
    update(at(known->second), record);
    changed.push_back(known->second);
  };

  // Both lists are sorted by id; records that did not change are the same object, so most steps compare two pointers.
  auto before = m_last.cbegin();
  auto after = locks.cbegin();
  while (before != m_last.cend() || after != locks.cend()) {
    if (before != m_last.cend() && after != locks.cend() && *before == *after) {
      ++before, ++after;
    } else if (after == locks.cend() || (before != m_last.cend() && (*before)->id < (*after)->id)) {
      gone(*before++);
    } else {
      if (before != m_last.cend() && (*before)->id == (*after)->id)
        ++before;
      present(*after++);
    }
  }

  m_last = std::move(locks);
  announce(changed);
  append(fresh);
  for (const int row : left) {
    m_movedTo.erase(at(row).record->id);
    if (auto rest = restOf(*at(row).record))
      m_movedTo.emplace(at(row).record->id, std::move(*rest));
  }
  std::erase_if(m_movedTo, [this](const auto &moved) { return rowOf(moved.second) < 0; });
  std::erase_if(left, [this](int row) { return m_keepFaded || rowNow(at(row).record->id) == row; });
  std::ranges::sort(left);
  removeRowsAt(left); // not gone: told with others of its masters
  tick(now);
}

void LockTableModel::setShowsDoubtful(bool shows) {
  m_showsDoubtful = shows;
  if (shows)
    return;
  std::erase_if(m_last, [](const LockRecordPtr &record) { return record->isDoubtful(); });
  std::vector<int> doubtful; // not gone: out of sight, at once
  for (int i = 0; i < rowCount(); ++i)
    if (at(i).record->isDoubtful())
      doubtful.push_back(i);
  removeRowsAt(doubtful);
}

void LockTableModel::tick(SteadyTime now) {
  m_now = now;
  m_fading = false;
  std::vector<int> changed;
  std::vector<int> faded;
  for (int i = 0; i < rowCount(); ++i) {
    LockRow &row = at(i);
    if (row.releasedAt) {
      const bool over = !m_keepFaded && now - *row.releasedAt >= fade;
      m_fading |= !over;
      if (over)
        faded.push_back(i);
    } else if (const LockState state = stateAt(*row.record, now); state != row.state) {
      row.state = state;
      changed.push_back(i);
    }
  }
  announce(changed);
  removeRowsAt(faded);
  emit settled();
}

void LockTableModel::note(const std::vector<LockChange> &changes) {
  for (const LockChange &change : changes) {
    // What is left of it on other masters may be a row of another id.
    const auto &id = change.before ? change.before->id : change.id;
    const bool isGone = change.kind == ChangeKind::Vanished || change.id != id;
    if (const auto known = m_index.find(id); known != m_index.end() && isGone)
      at(known->second).cause = change.cause; // until update(): a snapshot may be older than the changes told with it
  }
}

int LockTableModel::rowNow(const LockId &id) const {
  const int own = rowOf(id);
  if (own >= 0 && !row(own).releasedAt)
    return own;
  const auto isIt = [&id](const LockMember &member) { return member.node == id.node && member.db == id.db; };
  for (const NodeId &node : m_names.all()) {
    const int other = rowOf({node, id.db, id.key});
    if (other >= 0 && !row(other).releasedAt && std::ranges::any_of(row(other).record->members, isIt))
      return other;
  }
  const auto moved = m_movedTo.find(id);
  const int there = moved == m_movedTo.end() ? -1 : rowOf(moved->second);
  return there >= 0 && !row(there).releasedAt ? there : own;
}

// Its first master has it no more, and others that had it do.
std::optional<LockId> LockTableModel::restOf(const LockRecord &gone) const {
  const auto hasHim = [](const LockRecord &record, const Holder &holder) {
    return std::ranges::find(record.holders, holder.id, &Holder::id) != record.holders.end();
  };
  for (const LockMember &member : gone.members) {
    const int other = rowOf({member.node, member.db, gone.id.key});
    const bool isOther = other >= 0 && !row(other).releasedAt && row(other).record->id != gone.id;
    if (isOther && std::ranges::any_of(gone.holders, [&](const Holder &holder) { return hasHim(*row(other).record, holder); }))
      return row(other).record->id;
  }
  return std::nullopt;
}

int LockTableModel::rowOf(const LockId &id) const {
  const auto found = m_index.find(id);
  if (found == m_index.end())
    return -1;
  // While removals are announced, rows behind them have moved up and the index has not been told yet.
  int row = std::min(found->second, rowCount() - 1);
  while (row >= 0 && m_rows[static_cast<std::size_t>(row)]->record->id != id)
    --row;
  return row;
}

LockRow LockTableModel::describe(const LockRecordPtr &record) {
  LockRow row;
  row.key = shown(record->id.key.bytes());
  update(row, record);
  return row;
}

const QString &LockTableModel::nameOf(const std::string &family) {
  const auto known = m_familyNames.find(family);
  return known != m_familyNames.end() ? known->second : m_familyNames.emplace(family, familyName(m_families, family)).first->second;
}

void LockTableModel::update(LockRow &row, const LockRecordPtr &record) {
  row.releasedAt.reset();
  // Of a lock on several masters one more that goes is no reason to forget why: only another hold is.
  if (!row.record || row.record->heldSince != record->heldSince || row.record->holders != record->holders)
    row.cause.reset();
  row.record = record;
  row.state = stateAt(*record, m_now);
  row.sinceByHolder = sinceByHolder(*record, m_now, wallNow());
  row.family = nameOf(record->family);
  const auto *family = m_families.find(record->family);
  row.waits = family ? family->waits : Waits::Unseen;
  row.kin = family;
  row.holder = holderSummary(*record);
  nameNodes(row);
}

void LockTableModel::nameNodes(LockRow &row) const {
  row.node = m_names.of(row.record->id.node);
  row.otherNodes.clear();
  if (row.record->members.empty())
    return;
  for (const NodeId &node : m_names.inOrder(*row.record))
    row.otherNodes << m_names.of(node);
  row.node = row.otherNodes.takeFirst();
}

void LockTableModel::rename(const std::vector<NodeStatus> &nodes) {
  NodeNames names(nodes);
  if (names == m_names)
    return;
  m_names = std::move(names);
  for (const auto &row : m_rows)
    nameNodes(*row);
  if (!m_rows.empty())
    emit dataChanged(index(0, Node), index(rowCount() - 1, Node));
}

void LockTableModel::append(const std::vector<LockRecordPtr> &records) {
  if (records.empty())
    return;
  const int first = rowCount();
  beginInsertRows({}, first, first + static_cast<int>(records.size()) - 1);
  m_rows.reserve(m_rows.size() + records.size());
  for (const LockRecordPtr &record : records)
    m_rows.push_back(std::make_unique<LockRow>(describe(record)));
  reindex(first);
  endInsertRows();
}

void LockTableModel::announce(std::vector<int> &rows) {
  std::ranges::sort(rows);
  for (auto first = rows.begin(); first != rows.end();) {
    auto last = first;
    while (std::next(last) != rows.end() && *std::next(last) <= *last + 1)
      ++last;
    emit dataChanged(index(*first, 0), index(*last, Columns - 1));
    first = std::next(last);
  }
}

void LockTableModel::removeRowsAt(const std::vector<int> &rows) {
  if (rows.empty())
    return;
  emit aboutToRemove(rows);
  for (auto last = rows.rbegin(); last != rows.rend();) {
    auto first = last;
    while (std::next(first) != rows.rend() && *std::next(first) == *first - 1)
      ++first;
    beginRemoveRows({}, *first, *last);
    const auto from = m_rows.begin() + *first;
    const auto to = m_rows.begin() + *last + 1;
    for (auto row = from; row != to; ++row)
      m_index.erase((*row)->record->id);
    m_rows.erase(from, to);
    endRemoveRows();
    last = std::next(first);
  }
  reindex(rows.front());
  emit removed(rows);
}

void LockTableModel::reindex(int from) {
  for (std::size_t i = static_cast<std::size_t>(from); i < m_rows.size(); ++i)
    m_index[m_rows[i]->record->id] = static_cast<int>(i);
}

int LockTableModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

int LockTableModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : Columns; }

QVariant LockTableModel::data(const QModelIndex &index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid))
    return {};
  const auto column = static_cast<Column>(index.column());
  switch (role) {
  case Qt::DisplayRole:
  case Qt::AccessibleTextRole: return text(row(index.row()), column);
  case Qt::ToolTipRole: return plainToolTip(toolTip(row(index.row()), column));
  case Qt::TextAlignmentRole: return QVariant::fromValue(alignment(index.column()));
  default: return {};
  }
}

QVariant LockTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= Columns)
    return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(alignment(section));
  if (role == Qt::ToolTipRole && section == Count)
    return plainToolTip(tr("Levels that its holder is deep (×), readers, permits that are taken (of all), permits that are free, or what is left to count "
                           "down: the tip of each row says which"));
  if (role != Qt::DisplayRole)
    return {};
  switch (static_cast<Column>(section)) {
  case State: return tr("State");
  case Lock: return tr("Lock");
  case Family: return tr("Family");
  case Node: return tr("Node");
  case HolderColumn: return tr("Holder");
  case Count: return tr("Count");
  case Expires: return tr("Expires in");
  case HeldFor: return tr("Held for");
  case Waiters: return tr("Waiters");
  case Columns: break;
  }
  return {};
}

QString LockTableModel::text(const LockRow &row, Column column) const {
  switch (column) {
  case State: return row.releasedAt ? goneWord(row.cause) : stateWord(row.state);
  case Lock: return shownName(row.record->id.key.bytes());
  case Family: return row.record->isDoubtful() ? tr("? %1", "in a narrow column: a family that is doubtful").arg(row.family) : row.family;
  case Node: return row.otherNodes.isEmpty() ? row.node : QStringLiteral("%1 +%2").arg(row.node, QString::number(row.otherNodes.size()));
  case HolderColumn: return row.holder;
  case Count: return countCell(*row.record);
  case Expires: return expiresText(row, m_now);
  case HeldFor: return heldForText(row, m_now);
  case Waiters: return waitersText(*row.record, row.waits != Waits::Never);
  case Columns: break;
  }
  return {};
}

QString LockTableModel::toolTip(const LockRow &row, Column column) const {
  if (column == Family)
    return (row.record->isDoubtful() ? tr("This looks like data more than like a lock.") + u'\n' : QString()) + familyToolTip(m_families, row.record->family);
  if (column == Count)
    return countMeaning(*row.record);
  if (column == Node)
    return nodesOf(*row.record, m_names);
  if (column == HeldFor && row.sinceByHolder)
    return tr("By its holder's own clock: it was here already when it was first seen.");
  if (column == Waiters && !row.record->waiters)
    return waitersUnknown(row);
  if (column == HolderColumn)
    return wholeHolders(*row.record);
  return column == Lock ? text(row, column) : QString();
}

Qt::Alignment LockTableModel::alignment(int column) {
  return (column == Count || column == HeldFor || column == Waiters ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
}

} // namespace lockhouse::ui
