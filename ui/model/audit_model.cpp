// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/audit_model.h"

#include "ui/model/cell_roles.h"
#include "ui/model/format.h"
#include "ui/model/release_words.h"
#include "ui/widget/plain_text.h"
#include "ui/widget/theme.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <unordered_map>

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

QString countWord(const AuditRecord &intent) { return isMany(intent) ? QString() : u" ×"_s + QString::number(intent.count); }

QString holderWord(const AuditRecord &intent) { return isMany(intent) && intent.holder.empty() ? dash() : holderName(intent.holder); }

constexpr qsizetype mostListed = 20;

/// A record of many lists its locks: the first of them, each as `line` says it.
template <class Line> QStringList listed(const std::string &json, Line line) {
  const QJsonArray all = QJsonDocument::fromJson(QByteArray::fromStdString(json)).array();
  QStringList lines;
  for (qsizetype i = 0; i < std::min(all.size(), mostListed); ++i)
    lines << line(all[i].toObject());
  if (all.size() > mostListed)
    lines << AuditModel::tr("and %n more", nullptr, static_cast<int>(all.size() - mostListed));
  return lines;
}

QString lockIn(const QJsonObject &hold) { return shown(hold.value(u"key"_s).toString().toStdString(), 120); }

} // namespace

AuditModel::AuditModel(QObject *parent) : QAbstractTableModel(parent) {}

void AuditModel::take(const std::vector<AuditRecord> &records) {
  std::vector<Row> rows = joined(records);
  const std::int64_t newest = m_rows.empty() ? 0 : m_rows.back().intent.seq;
  const auto firstNew = std::ranges::find_if(rows, [&](const Row &row) { return row.intent.seq > newest; });
  for (auto row = rows.begin(); row != firstNew; ++row) {
    const auto known = std::ranges::find(m_rows, row->intent.seq, [](const Row &other) { return other.intent.seq; });
    if (known == m_rows.end() || known->verdict == row->verdict)
      continue;
    known->verdict = row->verdict;
    known->others = row->others;
    const int place = static_cast<int>(m_rows.end() - known) - 1;
    emit dataChanged(index(place, Verdict), index(place, Verdict));
  }
  if (firstNew == rows.end())
    return;
  beginInsertRows({}, 0, static_cast<int>(rows.end() - firstNew) - 1);
  m_rows.insert(m_rows.end(), std::make_move_iterator(firstNew), std::make_move_iterator(rows.end()));
  endInsertRows();
}

// An outcome whose intent is older than what was loaded stands for itself.
std::vector<AuditModel::Row> AuditModel::joined(const std::vector<AuditRecord> &records) {
  std::vector<Row> rows;
  std::unordered_map<std::string, std::size_t> byId;
  for (const AuditRecord &record : records) {
    if (const auto intent = byId.find(record.subject); !record.subject.empty() && intent != byId.end()) {
      rows[intent->second].verdict = record.verdict;
      rows[intent->second].others = record.before;
      continue;
    }
    byId.emplace(record.id, rows.size());
    rows.push_back({record, record.verdict, {}});
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
  case wholeEndRole: return index.column() == HolderColumn ? QVariant(countWord(row.intent)) : QVariant();
  case Qt::FontRole: return index.column() == Lock || index.column() == HolderColumn || index.column() == Id ? QVariant(fixedFont()) : QVariant();
  default: return {};
  }
}

QString AuditModel::text(const Row &row, int column) const {
  const AuditRecord &intent = row.intent;
  switch (column) {
  case Time: return timeStamp(intent.at);
  case Lock:
    return !isMany(intent)     ? shown(intent.key, 120)
           : intent.count == 1 ? listed(intent.before, lockIn).join(u' ')
                               : tr("%n locks", nullptr, static_cast<int>(intent.count));
  case HolderColumn: return holderWord(intent) + countWord(intent);
  case Node: return intent.node.empty() ? dash() : m_names.of(NodeId(intent.node));
  case Verdict: return verdictWord(row.verdict, intent.action);
  case Reason: return shown(intent.reason);
  case Who: return shown(userAndHost(intent.who), 80);
  case Id: return shown(numberOf(intent.id), 40);
  default: return {};
  }
}

QString AuditModel::whole(const Row &row, int column) const {
  const AuditRecord &intent = row.intent;
  if (isMany(intent))
    return wholeOfMany(row, column);
  switch (column) {
  case Lock: return shown(intent.key);
  case HolderColumn: return tr("%1, count %2").arg(intent.holder.empty() ? u"\"\""_s : shown(intent.holder), QString::number(intent.count));
  case Node: return shown(intent.node);
  case Who: return shown(intent.who);
  case Id: return shown(intent.id);
  default: return text(row, column);
  }
}

// The locks that were sent together, and those to which something else came than to most of them.
QString AuditModel::wholeOfMany(const Row &row, int column) const {
  if (column == Lock)
    return (QStringList(text(row, Lock)) + listed(row.intent.before, lockIn)).join(u'\n');
  if (column != Verdict)
    return text(row, column);
  const auto line = [&row](const QJsonObject &hold) {
    return tr("%1: %2", "a lock, its verdict").arg(lockIn(hold), verdictWord(hold.value(u"verdict"_s).toString().toStdString(), row.intent.action));
  };
  return (QStringList(text(row, Verdict)) + listed(row.others, line)).join(u'\n');
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
