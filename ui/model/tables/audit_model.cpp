// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/tables/audit_model.h"

#include "core/base/redisson_names.h"
#include "core/release/result/audit_holds.h"
#include "ui/model/locks/cell_roles.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/holder_names.h"
#include "ui/model/text/verdict_text.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

// "user@host, pid 4711": the process has long ended when somebody reads this.
std::string_view userAndHost(std::string_view who) { return who.substr(0, who.rfind(", pid ")); }

// "a-000001-1f3c9d2e": its number alone tells it from the others of this log.
std::string_view numberOf(std::string_view id) {
  const auto hash = id.rfind('-');
  return hash == 0 || hash == id.find('-') ? id : id.substr(0, hash);
}

bool isMany(const AuditRecord &intent) { return intent.action.ends_with("-many"); }

QString timeWithUtc(WallTime at) { return AuditModel::tr("%1 (%2)", "a local time, the same in UTC").arg(timeStamp(at), timeStampUtc(at)); }

QString countWord(const AuditRecord &intent) { return isMany(intent) ? QString() : u" ×"_s + QString::number(intent.count); }

QString holderWord(const AuditRecord &intent) { return isMany(intent) && intent.holder.empty() ? dash() : holderName(intent.family, intent.holder); }

QString wholeHolder(const std::string &holder) { return holder.empty() ? AuditModel::tr("an empty token") : shown(holder); }

constexpr qsizetype mostListed = 20;

std::string_view verdictOf(const AuditRecord &intent, const std::optional<AuditRecord> &outcome) { return outcome ? outcome->verdict : intent.verdict; }

} // namespace

AuditModel::AuditModel(QObject *parent) : QAbstractTableModel(parent) {}

void AuditModel::take(const std::vector<AuditRecord> &records) {
  std::vector<Row> rows = joined(records);
  // The outcome of something that is older than what was loaded is in its row already.
  std::erase_if(rows, [this](const Row &row) {
    return !row.intent.subject.empty() && std::ranges::any_of(m_rows, [&row](const Row &shown) { return shown.intent.id == row.intent.subject; });
  });
  const std::int64_t oldest = rows.empty() ? 0 : rows.front().intent.seq;
  const auto from = static_cast<std::size_t>(std::ranges::count_if(m_rows, [oldest](const Row &row) { return row.intent.seq < oldest; }));
  const std::size_t known = m_rows.size() - from;
  const auto seqOf = [](const Row &row) { return row.intent.seq; };
  if (known > rows.size() || !std::ranges::equal(m_rows.begin() + static_cast<std::ptrdiff_t>(from), m_rows.end(), rows.begin(),
                                                 rows.begin() + static_cast<std::ptrdiff_t>(known), {}, seqOf, seqOf))
    return replaceFrom(from, std::move(rows));
  for (std::size_t i = 0; i < known; ++i) {
    if (m_rows[from + i] == rows[i])
      continue;
    m_rows[from + i] = std::move(rows[i]);
    const int place = static_cast<int>(m_rows.size() - from - i) - 1;
    emit dataChanged(index(place, 0), index(place, Columns - 1));
  }
  if (known == rows.size())
    return;
  beginInsertRows({}, 0, static_cast<int>(rows.size() - known) - 1);
  std::move(rows.begin() + static_cast<std::ptrdiff_t>(known), rows.end(), std::back_inserter(m_rows));
  endInsertRows();
}

// Records are gone from the file, or others are there.
void AuditModel::replaceFrom(std::size_t place, std::vector<Row> rows) {
  beginResetModel();
  m_rows.resize(place);
  std::ranges::move(rows, std::back_inserter(m_rows));
  endResetModel();
}

void AuditModel::setMisfit(std::optional<std::int64_t> record) {
  if (std::exchange(m_misfit, record) != record && !m_rows.empty())
    emit dataChanged(index(0, 0), index(rowCount() - 1, Columns - 1));
}

bool AuditModel::isMisfit(const Row &row) const { return m_misfit && (row.intent.seq == *m_misfit || (row.outcome && row.outcome->seq == *m_misfit)); }

AuditModel::Row AuditModel::rowOf(const AuditRecord &intent) {
  Row row{.intent = intent, .outcome = {}, .key = intent.key, .locks = 1, .nodes = {}};
  if (!isMany(intent)) {
    row.nodes = {intent.node};
    return row;
  }
  const auto holds = auditHolds(intent.before);
  row.locks = holds.empty() ? static_cast<std::size_t>(std::max<std::int64_t>(intent.count, 0)) : locksAmong(holds).size();
  row.key = holds.empty() ? std::string() : holds.front().key;
  for (const AuditHold &hold : holds)
    if (std::ranges::find(row.nodes, hold.node) == row.nodes.end())
      row.nodes.push_back(hold.node);
  return row;
}

// An outcome whose intent is older than what was loaded stands for itself.
std::vector<AuditModel::Row> AuditModel::joined(const std::vector<AuditRecord> &records) {
  std::vector<Row> rows;
  std::unordered_map<std::string, std::size_t> byId;
  for (const AuditRecord &record : records) {
    if (const auto intent = byId.find(record.subject); !record.subject.empty() && intent != byId.end()) {
      rows[intent->second].outcome = record;
      continue;
    }
    byId.emplace(record.id, rows.size());
    rows.push_back(rowOf(record));
  }
  return rows;
}

void AuditModel::setNodes(const NodeNames &names) {
  if (names == m_names)
    return;
  m_names = names;
  if (!m_rows.empty())
    emit dataChanged(index(0, Node), index(rowCount() - 1, Node), {Qt::DisplayRole});
}

int AuditModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

int AuditModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : Columns; }

QVariant AuditModel::data(const QModelIndex &index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid))
    return {};
  const Row &row = at(index.row());
  switch (role) {
  case Qt::DisplayRole: return text(row, index.column());
  case Qt::ToolTipRole: return plainToolTip(whole(row, index.column()));
  case Qt::AccessibleTextRole: return whole(row, index.column());
  case amissRole: return isMisfit(row);
  case needsPersonRole: return index.column() == Verdict && isMisfit(row);
  case namesHolderRole: return index.column() == HolderColumn;
  case wholeEndRole: return index.column() == HolderColumn ? QVariant(countWord(row.intent)) : index.column() == Lock ? QVariant(andMore(row)) : QVariant();
  case Qt::FontRole: return index.column() == Lock || index.column() == HolderColumn || index.column() == Id ? QVariant(fixedFont()) : QVariant();
  default: return {};
  }
}

QString AuditModel::andMore(const Row &row) const {
  if (row.key.empty() || row.locks < 2)
    return {};
  return tr(" +%1", "how many more locks, behind the name of one").arg(countText(row.locks - 1)); // short: it is never cut
}

QString AuditModel::text(const Row &row, int column) const {
  const AuditRecord &intent = row.intent;
  switch (column) {
  case Time: return timeStamp(intent.at);
  case Lock: return row.key.empty() && row.locks != 1 ? tr("%n locks", nullptr, static_cast<int>(row.locks)) : shownName(row.key, 120) + andMore(row);
  case HolderColumn: return holderWord(intent) + countWord(intent);
  case Node: return nodesText(row);
  case Verdict: return verdictText(row);
  case Reason: return shown(intent.reason);
  case Who: return shown(userAndHost(intent.who), 80);
  case Id: return shown(numberOf(intent.id), 40);
  default: return {};
  }
}

QString AuditModel::whole(const Row &row, int column) const {
  const AuditRecord &intent = row.intent;
  if (isMany(intent) && column != Time && column != Who && column != Id)
    return wholeOfMany(row, column);
  switch (column) {
  case Time: return timeWithUtc(intent.at);
  case Lock: return shownName(intent.key);
  case HolderColumn: return tr("%1, count %2").arg(wholeHolder(redisson::asKnown(intent.family, intent.holder)), QString::number(intent.count));
  case Node: return shown(intent.node);
  case Who: return shown(intent.who);
  case Id: return shown(intent.id);
  default: return text(row, column);
  }
}

QString AuditModel::verdictText(const Row &row) const {
  const QString verdict = verdictWord(verdictOf(row.intent, row.outcome), row.intent.action);
  return isMisfit(row) ? tr("does not fit: %1", "a record that breaks the chain, its verdict").arg(verdict) : verdict;
}

QString AuditModel::nodesText(const Row &row) const {
  QStringList names;
  for (const std::string &node : row.nodes)
    if (!node.empty())
      names << m_names.of(NodeId(node));
  names.sort(); // as the user named them
  return names.isEmpty() ? dash() : names.join(u' ');
}

QStringList AuditModel::holdLines(const Row &row, bool withHolders) const {
  auto holds = auditHolds(row.intent.before);
  if (row.outcome)
    tellVerdicts(holds, row.outcome->verdict, row.outcome->before);
  QStringList lines;
  for (const AuditHold &hold : holds) {
    const QString verdict = verdictWord(hold.verdict.empty() ? row.intent.verdict : hold.verdict, row.intent.action);
    const QString key = shownName(hold.key, 120), node = m_names.of(NodeId(hold.node));
    lines << (withHolders ? tr("%1 on %2, held by %3: %4", "a lock, its node, its holder, its verdict").arg(key, node, wholeHolder(hold.holder), verdict)
                          : tr("%1 on %2: %3", "a lock, its node, its verdict").arg(key, node, verdict));
  }
  return lines;
}

QString AuditModel::holdsText(const Row &row) const {
  QStringList lines = holdLines(row, false);
  const auto more = lines.size() - mostListed;
  if (more > 0)
    lines = lines.first(mostListed) << tr("and %n more", nullptr, static_cast<int>(more));
  return lines.join(u'\n');
}

QString AuditModel::report(int row) const {
  const Row &told = at(row);
  QStringList lines;
  for (int column = 0; column < Columns; ++column) {
    const bool isListed = isMany(told.intent) && (column == Lock || column == Verdict);
    const QString value = isListed ? text(told, column) : whole(told, column).split(u'\n').join(u' ');
    lines << tr("%1: %2", "label: value").arg(headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(), value);
  }
  if (isMany(told.intent))
    lines << QString() << holdLines(told, true);
  return lines.join(u'\n');
}

// Each of those that were sent together, where it was and what came of it.
QString AuditModel::wholeOfMany(const Row &row, int column) const {
  if (column == Lock || column == Verdict)
    return text(row, column) + u'\n' + holdsText(row);
  if (column != Node)
    return text(row, column);
  QStringList nodes;
  for (const std::string &node : row.nodes)
    nodes << shown(node);
  return nodes.join(u'\n');
}

QVariant AuditModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal)
    return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole)
    return {};
  switch (section) {
  case Time: return tr("Time");
  case Lock: return tr("Lock");
  case HolderColumn: return tr("Holder");
  case Node: return tr("Node");
  case Verdict: return tr("Verdict");
  case Reason: return tr("Reason");
  case Who: return tr("By");
  case Id: return tr("Record");
  default: return {};
  }
}

} // namespace lockhouse::ui
