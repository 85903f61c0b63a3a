// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/tables/event_list_model.h"

#include "ui/model/locks/cell_roles.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/holder_names.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QTimer>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr std::size_t shownOfName = 120;

std::size_t cost(const LockChange &change) { return sizeof(LockChange) + change.id.key.bytes().size() + change.id.node.bytes().size(); }

QString preciseTime(WallTime at) {
  const auto within = std::chrono::floor<milliseconds>(at.time_since_epoch() % seconds(1)).count();
  return timeOfDay(at) + QStringLiteral(".%1").arg(within, 3, 10, QLatin1Char('0'));
}

// Who the change is about: the holder it leaves, or the one that it ends.
const LockRecordPtr &about(const LockChange &change) {
  const bool ended = !change.after || !change.after->isHeld();
  return ended && change.before ? change.before : change.after;
}

QString holderOf(const LockChange &change) { return about(change) ? holderSummary(*about(change)) : dash(); }

QString whole(const LockChange &change, int column) {
  if (column == EventListModel::HolderColumn)
    return about(change) ? wholeHolders(*about(change)) : QString();
  return column == EventListModel::Lock ? shownName(change.id.key.bytes()) : column == EventListModel::What ? changeText(change) : QString();
}

} // namespace

EventListModel::EventListModel(QObject *parent) : QAbstractTableModel(parent) {}

void EventListModel::take(const std::vector<LockChange> &changes, quint64 dropped) {
  m_dropped += dropped;
  const std::size_t skipped = changes.size() - std::min(changes.size(), most);
  m_waiting.insert(m_waiting.end(), changes.begin() + static_cast<std::ptrdiff_t>(skipped), changes.end());
  const std::size_t over = m_waiting.size() - std::min(m_waiting.size(), most);
  m_waiting.erase(m_waiting.begin(), m_waiting.begin() + static_cast<std::ptrdiff_t>(over));
  m_dropped += skipped + over;
  if (!m_paused && !m_batchDue)
    insertBatch();
  emit counted();
}

void EventListModel::setNodes(const NodeNames &names) {
  if (names == m_names)
    return;
  m_names = names;
  if (!m_rows.empty())
    emit dataChanged(index(0, Node), index(rowCount() - 1, Node), {Qt::DisplayRole});
}

void EventListModel::setPaused(bool paused) {
  m_paused = paused;
  if (!m_paused && !m_batchDue)
    insertBatch();
  emit counted();
}

void EventListModel::insertBatch() {
  m_batchDue = false;
  const std::size_t rows = std::min(batch, m_waiting.size());
  if (m_paused || rows == 0)
    return;
  makeRoomFor(rows);
  beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(rows) - 1);
  for (std::size_t i = 0; i < rows; ++i) {
    m_bytes += cost(m_waiting.front());
    m_rows.push_back(std::move(m_waiting.front()));
    m_waiting.pop_front();
  }
  endInsertRows();
  emit counted();
  m_batchDue = !m_waiting.empty();
  if (m_batchDue)
    QTimer::singleShot(0, this, &EventListModel::insertBatch);
}

void EventListModel::makeRoomFor(std::size_t rows) {
  std::size_t coming = 0;
  for (std::size_t i = 0; i < rows; ++i)
    coming += cost(m_waiting[i]);
  std::size_t gone = 0, freed = 0;
  while (gone < m_rows.size() && (m_rows.size() - gone + rows > most || m_bytes - freed + coming > mostBytes))
    freed += cost(m_rows[gone++]);
  if (gone == 0)
    return;
  beginRemoveRows({}, 0, static_cast<int>(gone) - 1);
  m_rows.erase(m_rows.begin(), m_rows.begin() + static_cast<std::ptrdiff_t>(gone));
  m_bytes -= freed;
  endRemoveRows();
}

int EventListModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

int EventListModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : Columns; }

QVariant EventListModel::data(const QModelIndex &index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid))
    return {};
  const LockChange &change = m_rows[static_cast<std::size_t>(index.row())];
  switch (role) {
  case Qt::DisplayRole: return text(change, index.column());
  case Qt::ToolTipRole: return plainToolTip(whole(change, index.column()));
  case namesHolderRole: return index.column() == HolderColumn;
  case Qt::FontRole: return index.column() == What || index.column() == Node ? QVariant() : QVariant(fixedFont());
  default: return {};
  }
}

QString EventListModel::text(const LockChange &change, int column) const {
  switch (column) {
  case Time: return preciseTime(change.at);
  case Lock: return shownName(change.id.key.bytes(), shownOfName);
  case What: return changeText(change);
  case HolderColumn: return holderOf(change);
  case Node: return m_names.of(change.id.node);
  default: return {};
  }
}

QVariant EventListModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal)
    return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole)
    return {};
  switch (section) {
  case Time: return tr("Time");
  case Lock: return tr("Lock");
  case What: return tr("What happened");
  case HolderColumn: return tr("Holder");
  case Node: return tr("Node");
  default: return {};
  }
}

} // namespace lockhouse::ui
