// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/cells/lock_delegate.h"

#include "ui/model/locks/lock_filter_sort_model.h"
#include "ui/model/text/count_words.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/holder_names.h"
#include "ui/widget/cells/badge.h"
#include "ui/widget/cells/lease_bar.h"
#include "ui/widget/cells/row_focus.h"

#include <QPainter>
#include <QWidget>

#include <algorithm>
#include <vector>

namespace lockhouse::ui {
namespace {

constexpr int margin = 8;
constexpr int barWidth = 36;
constexpr int leastBarWidth = 16;
constexpr int barGap = 8;
constexpr int barHeight = 6;
constexpr int badgeGap = 7;
constexpr int nameLetters = 21;
constexpr int readNameLetters = 18;
constexpr int leastNameLetters = 14;
constexpr int holderLetters = 12;
constexpr int leastHolderLetters = 11;
constexpr int mostHolderLetters = 25; ///< with so many a client and its thread are read whole, and most names of pods
constexpr int mostFamilyLetters = 22;
constexpr int readFamilyLetters = 18; ///< of average ones: with so many every family that is known here is read whole
constexpr int leastFamilyLetters = 7;

/// The times that a column shows, at their widest.
std::vector<QString> widestTimes() {
  using namespace std::chrono_literals;
  return {brief(59'900ms), brief(9min + 59s), brief(9h + 59min), brief(9 * 24h + 23h)};
}

/// Counts as most tables have them: permits of all, or free, and what a latch has left.
std::vector<QString> usualCounts() {
  LockRecord some;
  some.kind = LockKind::Semaphore;
  some.holders.assign(2, {});
  some.extras = {{"free", "6"}};
  LockRecord latch;
  latch.kind = LockKind::Latch;
  latch.number = 9;
  LockRecord semaphore;
  semaphore.kind = LockKind::Semaphore;
  semaphore.number = 9;
  return {countCell(some), countCell(semaphore), countCell(latch)};
}

} // namespace

LockDelegate::LockDelegate(const LockFilterSortModel &order, QWidget *parent)
    : QStyledItemDelegate(parent), m_order(order), m_metrics(parent->font()), m_fixedMetrics(fixedFont()) {
  restyle(parent->palette(), parent->font());
}

void LockDelegate::restyle(const QPalette &palette, const QFont &font) {
  m_theme = Theme::of(palette);
  m_font = font;
  m_fixed = fixedFont();
  m_metrics = QFontMetrics(m_font);
  m_fixedMetrics = QFontMetrics(m_fixed);
}

int LockDelegate::rowHeight() const { return std::max(scaledLength(m_font, 27), std::max(m_metrics.ascent(), m_fixedMetrics.ascent()) + 10); }

int LockDelegate::usualWidth(int column) const {
  const auto text = [this](const QString &sample) { return m_metrics.horizontalAdvance(sample) + 2 * margin + 2; };
  const auto fixed = [this](int letters) { return m_fixedMetrics.horizontalAdvance(QString(letters, u'0')) + 2 * margin + 2; };
  const auto widest = [&](const std::vector<QString> &samples) { return text(this->widest(samples)); };
  const auto heading = [&] { return text(m_order.table().headerData(column, Qt::Horizontal).toString()) + margin; };
  switch (column) {
  case LockTableModel::State: return badgeSize(m_font) + badgeGap + widest({stateWord(LockState::NeverExpires), stateWord(LockState::Contended), goneWord({})});
  case LockTableModel::Lock: return fixed(nameLetters);
  case LockTableModel::Family: return std::clamp(familyWidth() + 2 * margin + 2, heading(), text(QString(mostFamilyLetters, u'n')));
  case LockTableModel::Node: return heading();
  case LockTableModel::HolderColumn: return std::max(heading(), fixed(holderLetters));
  case LockTableModel::Count: return std::max(heading(), widest(usualCounts()));
  case LockTableModel::Expires: return std::max(heading(), barWidth + barGap + widest(widestTimes()));
  case LockTableModel::HeldFor: return std::max({heading(), widest(widestTimes()), text(atLeast(std::chrono::milliseconds(59'900)))});
  default: return std::max(heading(), text(waitersText(LockRecord())));
  }
}

int LockDelegate::readWidth(int column) const {
  switch (column) {
  case LockTableModel::Lock: return m_fixedMetrics.horizontalAdvance(QString(readNameLetters, u'0')) + 2 * margin + 2;
  case LockTableModel::Family: return std::min(usualWidth(column), m_metrics.horizontalAdvance(QString(readFamilyLetters, u'n')) + 2 * margin + 2);
  case LockTableModel::Expires: return usualWidth(column) - (barWidth - leastBarWidth);
  default: return usualWidth(column);
  }
}

int LockDelegate::leastWidth(int column) const {
  switch (column) {
  case LockTableModel::Lock: return m_fixedMetrics.horizontalAdvance(QString(leastNameLetters, u'0')) + 2 * margin + 2;
  case LockTableModel::Family: return std::min(usualWidth(column), m_metrics.horizontalAdvance(QString(leastFamilyLetters, u'n') + u'…') + 2 * margin + 2);
  case LockTableModel::HolderColumn: return m_fixedMetrics.horizontalAdvance(QString(leastHolderLetters, u'0')) + 2 * margin + 2;
  case LockTableModel::Expires: return usualWidth(column) - barWidth - barGap;
  default: return usualWidth(column);
  }
}

int LockDelegate::mostWidth(int column) const {
  return column == LockTableModel::HolderColumn ? m_fixedMetrics.horizontalAdvance(QString(mostHolderLetters, u'0')) + 2 * margin + 2 : usualWidth(column);
}

QString LockDelegate::widest(const std::vector<QString> &samples) const {
  return *std::ranges::max_element(samples, {}, [this](const QString &sample) { return m_metrics.horizontalAdvance(sample); });
}

int LockDelegate::familyWidth() const {
  int width = 0;
  for (const auto &[slug, name] : m_order.table().familyNames())
    width = std::max(width, m_metrics.horizontalAdvance(name));
  return width;
}

QSize LockDelegate::sizeHint(const QStyleOptionViewItem &, const QModelIndex &index) const { return {usualWidth(index.column()), rowHeight()}; }

void LockDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const {
  const LockRow &row = m_order.row(index.row());
  painter->save();
  paintGround(*painter, option, row);
  const QRect cell = option.rect.adjusted(margin, 0, -margin, 0);
  painter->setFont(isFixed(index.column()) ? m_fixed : m_font);
  switch (index.column()) {
  case LockTableModel::State: paintState(*painter, cell, row); break;
  case LockTableModel::Expires: paintExpires(*painter, cell, row); break;
  default: paintText(*painter, cell, row, index.column()); break;
  }
  paintRowFocus(*painter, option, index, m_theme.accent);
  painter->restore();
}

void LockDelegate::paintGround(QPainter &painter, const QStyleOptionViewItem &option, const LockRow &row) const {
  QColor ground = option.state.testFlag(QStyle::State_Selected) ? m_theme.selection : m_theme.base;
  painter.fillRect(option.rect, ground);
  if (row.record->staleSince && !row.releasedAt)
    painter.fillRect(option.rect, QBrush(blend(ground, m_theme.stale.ink, 0.14), Qt::BDiagPattern));
  painter.setPen(QPen(m_theme.line, 1));
  painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
}

void LockDelegate::paintState(QPainter &painter, const QRect &cell, const LockRow &row) const {
  const int side = badgeSize(m_font);
  paintBadge(painter, QRect(cell.left(), cell.center().y() - side / 2, side, side), row.state, m_theme, row.releasedAt.has_value());
  paintText(painter, cell.adjusted(side + badgeGap, 0, margin, 0), row, LockTableModel::State);
}

void LockDelegate::paintExpires(QPainter &painter, const QRect &cell, const LockRow &row) const {
  const QString text = m_order.table().text(row, LockTableModel::Expires);
  const auto left = row.releasedAt ? std::nullopt : leaseLeft(*row.record, m_order.table().now());
  painter.setPen(inkOf(row, LockTableModel::Expires));
  writeAt(painter, cell, text, LockTableModel::Expires, left ? Qt::AlignRight : Qt::AlignLeft);
  const int written = std::max(m_metrics.horizontalAdvance(widest(widestTimes())), m_metrics.horizontalAdvance(text)); // "9 min 59 s ago" is wider
  const int room = std::min(barWidth, cell.width() - barGap - written);
  if (left && room >= leastBarWidth) // the figure is worth more than the bar
    paintLeaseBar(painter, QRectF(cell.left(), cell.center().y() - barHeight / 2.0 + 0.5, room, barHeight), *left, row.state, m_theme);
}

void LockDelegate::paintText(QPainter &painter, const QRect &cell, const LockRow &row, int column) const {
  painter.setPen(inkOf(row, column));
  writeAt(painter, cell, m_order.table().text(row, static_cast<LockTableModel::Column>(column)), column, LockTableModel::alignment(column));
}

// Every column stands on the same line, whatever its font.
void LockDelegate::writeAt(QPainter &painter, const QRect &cell, const QString &text, int column, Qt::Alignment alignment) const {
  const QFontMetrics &metrics = isFixed(column) ? m_fixedMetrics : m_metrics;
  const QString fits = column == LockTableModel::HolderColumn
                           ? fittingHolder(text, metrics, cell.width())
                           : metrics.elidedText(text, column == LockTableModel::Lock ? Qt::ElideMiddle : Qt::ElideRight, cell.width());
  const int x = alignment.testFlag(Qt::AlignRight) ? cell.right() + 1 - metrics.horizontalAdvance(fits) : cell.left();
  painter.drawText(x, cell.top() + (cell.height() - m_metrics.capHeight()) / 2 + m_metrics.capHeight(), fits);
}

QColor LockDelegate::inkOf(const LockRow &row, int column) const {
  if (row.releasedAt) {
    const double gone = std::chrono::duration<double>(m_order.table().now() - *row.releasedAt) / LockTableModel::fade;
    return blend(m_theme.soft, m_theme.base, 0.6 * std::clamp(gone, 0.0, 1.0));
  }
  switch (column) {
  case LockTableModel::Family:
  case LockTableModel::Node: return m_theme.soft;
  case LockTableModel::Waiters: return row.record->waiters.value_or(0) == 0 ? m_theme.faint : m_theme.text;
  case LockTableModel::Expires: return row.state == LockState::NeverExpires ? m_theme.danger.ink : m_theme.text;
  default: return m_theme.text;
  }
}

bool LockDelegate::isFixed(int column) const { return column == LockTableModel::Lock || column == LockTableModel::HolderColumn; }

} // namespace lockhouse::ui
