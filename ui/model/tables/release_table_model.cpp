// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/tables/release_table_model.h"

#include "core/base/redisson_names.h"
#include "core/release/result/script_result.h"
#include "ui/model/locks/cell_roles.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/holder_names.h"
#include "ui/model/text/message_text.h"
#include "ui/model/text/verdict_text.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace lockhouse::ui {
namespace {

bool isInTheWay(const ReleaseResult &result) {
  return result.verdict ? !isAsAsked(result.verdict) || !result.unrecorded.empty() : !result.plan || result.plan->refusal;
}

std::optional<std::uint64_t> waitersOf(const ReleaseResult &result) {
  if (!result.plan->isWaitedFor)
    return 0;
  return result.now ? result.now->waiters : std::nullopt;
}

QString freedText(std::size_t holds, std::optional<std::uint64_t> known) {
  const int count = static_cast<int>(holds), waiters = static_cast<int>(std::min<std::uint64_t>(known.value_or(0), 2'000'000'000));
  const QString told = ReleaseTableModel::tr("free after all %n holds of it: %1", "what is so then", count);
  return told.arg(!known         ? ReleaseTableModel::tr("whether anybody waits is not known")
                  : waiters == 0 ? ReleaseTableModel::tr("nobody waits")
                                 : ReleaseTableModel::tr("%n wait", nullptr, waiters));
}

QString plannedText(const ReleaseResult &result, const ReleaseIntent &intent, bool allGo) {
  if (result.plan->refusal)
    return messageSentence(*result.plan->refusal);
  if (intent.shortenTo)
    return ReleaseTableModel::tr("ends in %1 unless it is renewed").arg(leaseLength(*intent.shortenTo));
  if (result.plan->next && result.plan->isNextUnheard)
    return ReleaseTableModel::tr("%1 alone may take it next, and nobody was seen to listen for it").arg(holderName(*result.plan->next));
  if (result.plan->next)
    return ReleaseTableModel::tr("%1 gets it next").arg(holderName(*result.plan->next));
  const bool isShared = result.now && result.now->holders.size() > 1;
  if (isShared && allGo)
    return freedText(result.now->holders.size(), waitersOf(result));
  const auto known = waitersOf(result);
  const int waiters = static_cast<int>(std::min<std::uint64_t>(known.value_or(0), 2'000'000'000));
  if (waiters > 0)
    return isShared ? ReleaseTableModel::tr("this hold ends; %n wait", nullptr, waiters)
                    : ReleaseTableModel::tr("%n wait: whoever tries first gets it", nullptr, waiters);
  if (!known)
    return isShared ? ReleaseTableModel::tr("this hold ends; whether anybody waits is not known")
                    : ReleaseTableModel::tr("free; whether anybody waits is not known");
  return isShared ? ReleaseTableModel::tr("this hold ends; nobody waits") : ReleaseTableModel::tr("free; nobody waits");
}

} // namespace

std::set<LockId> freedBy(std::span<const ReleaseResult> results) {
  std::map<LockId, std::set<std::string_view>> going;
  for (const ReleaseResult &result : results)
    if (!isInTheWay(result) && result.plan && !result.verdict)
      going[result.lock].insert(result.plan->expectHolder);
  std::set<LockId> freed;
  for (const ReleaseResult &result : results)
    if (result.now && result.now->unread == 0 && going.contains(result.lock) &&
        std::ranges::all_of(result.now->holders, [&](const Holder &holder) { return going[result.lock].contains(holder.id); }))
      freed.insert(result.lock);
  return freed;
}

QString outcomeText(const ReleaseResult &result, const ReleaseIntent &intent, bool allGo) {
  if (!result.verdict && result.plan)
    return plannedText(result, intent, allGo);
  const QString detail = result.detail.empty() ? QString() : messageSentence(result.detail);
  const QString title = verdictTitle(result, intent);
  const bool isTold = isAsAsked(result.verdict) || result.detail.is(nodeNotFollowed) || result.verdict == Verdict::AlreadyFree ||
                      result.verdict == Verdict::Changed || result.verdict == Verdict::Unreleasable;
  const bool isWhole = detail.isEmpty() || result.verdict == Verdict::Stopped;
  const QString said = isWhole ? title : isTold ? detail : ReleaseTableModel::tr("%1: %2", "a verdict, its reason").arg(title, detail);
  if (!result.unrecorded.empty()) // first, since what stands behind it may not be seen
    return ReleaseTableModel::tr("Not recorded: %1").arg(said);
  const bool isHolderTold = tellsHolder(result.detail);
  const bool isOthers = result.verdict == Verdict::Changed && !isHolderTold && result.now && result.now->isHeld();
  return isOthers ? said + ReleaseTableModel::tr(" ", "between two sentences") + ReleaseTableModel::tr("Now held by %1.").arg(holderNow(result)) : said;
}

ReleaseTableModel::ReleaseTableModel(QObject *parent) : QAbstractTableModel(parent) {}

void ReleaseTableModel::show(std::vector<const ReleaseIntent *> intents, std::span<const ReleaseResult> results, const NodeNames &names, bool isDone) {
  beginResetModel();
  m_isDone = isDone;
  m_intents = std::move(intents);
  m_results = results;
  m_names = names;
  m_order.resize(results.size());
  std::iota(m_order.begin(), m_order.end(), std::size_t{0});
  m_freed = freedBy(m_results);
  std::ranges::stable_partition(m_order, [this](std::size_t place) { return isInTheWay(m_results[place]); });
  endResetModel();
}

void ReleaseTableModel::clear() { show({}, {}, m_names); }

int ReleaseTableModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : static_cast<int>(m_order.size()); }

int ReleaseTableModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : Columns; }

QVariant ReleaseTableModel::data(const QModelIndex &index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid))
    return {};
  const std::size_t place = m_order[static_cast<std::size_t>(index.row())];
  switch (role) {
  case Qt::DisplayRole: return text(place, index.column());
  case Qt::ToolTipRole: return plainToolTip(whole(place, index.column()));
  case Qt::AccessibleTextRole: return index.column() == Outcome ? text(place, Outcome) : whole(place, index.column());
  case Qt::FontRole: return index.column() == Lock || index.column() == HolderColumn ? QVariant(fixedFont()) : QVariant();
  case Qt::TextAlignmentRole: return QVariant::fromValue((index.column() == Count ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  case namesHolderRole: return index.column() == HolderColumn;
  case needsPersonRole: return index.column() == Outcome && isInTheWay(m_results[place]);
  default: return {};
  }
}

QString ReleaseTableModel::text(std::size_t place, int column) const {
  const ReleaseIntent &intent = *m_intents[place];
  const ReleaseResult &result = m_results[place];
  switch (column) {
  case Lock: return shownName(intent.lock.key.bytes(), 120);
  case Node: return m_names.of(intent.lock.node);
  case HolderColumn: return holderName(result.family, intent.holder);
  case Count: return result.plan ? QString::number(result.plan->expectCount) : intent.count ? QString::number(*intent.count) : dash();
  case Outcome: return outcomeText(result, intent, m_freed.contains(intent.lock));
  default: return {};
  }
}

// Of the outcome everything that the plan of this one hold says.
QString ReleaseTableModel::whole(std::size_t place, int column) const {
  const ReleaseIntent &intent = *m_intents[place];
  const ReleaseResult &result = m_results[place];
  switch (column) {
  case Lock: return shownName(intent.lock.key.bytes());
  case Node: return tr("%1, db %2").arg(nodeName(intent.lock.node), QString::number(intent.lock.db));
  case HolderColumn: return shown(redisson::asKnown(result.family, intent.holder));
  case Outcome: {
    QStringList said{text(place, Outcome)};
    if (result.plan && !result.verdict)
      said << messageSentences(textsOf(result.plan->effects)) << messageSentences(result.plan->warnings);
    return said.join(u'\n');
  }
  default: return text(place, column);
  }
}

const ReleasePlan *ReleaseTableModel::planOf(int row) const {
  if (row < 0 || row >= rowCount())
    return nullptr;
  const ReleaseResult &result = m_results[m_order[static_cast<std::size_t>(row)]];
  return result.plan && !result.verdict ? &*result.plan : nullptr;
}

const ReleaseIntent &ReleaseTableModel::intentOf(int row) const { return *m_intents[m_order[static_cast<std::size_t>(row)]]; }

QVariant ReleaseTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal)
    return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue((section == Count ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole)
    return {};
  switch (static_cast<Column>(section)) {
  case Lock: return tr("Lock");
  case Node: return tr("Node");
  case HolderColumn: return tr("Holder");
  case Count: return tr("Count");
  case Outcome: return m_isDone ? tr("Verdict") : tr("After");
  case Columns: break;
  }
  return {};
}

} // namespace lockhouse::ui
