// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widget/style/theme.h"

#include <QStyledItemDelegate>

namespace lockhouse::ui {

class LockFilterSortModel;
struct LockRow;

/// Paints every cell of the lock table: badge and word, names in the fixed-width font, the bar that counts down. No widgets in
/// cells. Fonts and colours are worked out once per appearance, not per cell.
class LockDelegate : public QStyledItemDelegate {
  Q_OBJECT

public:
  LockDelegate(const LockFilterSortModel &order, QWidget *parent);

  void restyle(const QPalette &palette, const QFont &font);
  int rowHeight() const;
  /// A width that shows what a column usually holds.
  int usualWidth(int column) const;
  /// The width below which a column does not give to that of the lock's name.
  int leastWidth(int column) const;
  int mostWidth(int column) const; ///< beyond which a column does not take what the lock's name has over
  int readWidth(int column) const; ///< between the two: what can do with less gives up to here first

  void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
  QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
  const LockFilterSortModel &m_order;
  Theme m_theme;
  QFont m_font, m_fixed;
  QFontMetrics m_metrics, m_fixedMetrics;

  QString widest(const std::vector<QString> &samples) const;
  int familyWidth() const; ///< of the widest name that was seen
  void paintGround(QPainter &painter, const QStyleOptionViewItem &option, const LockRow &row) const;
  void paintState(QPainter &painter, const QRect &cell, const LockRow &row) const;
  void paintExpires(QPainter &painter, const QRect &cell, const LockRow &row) const;
  void paintText(QPainter &painter, const QRect &cell, const LockRow &row, int column) const;
  void writeAt(QPainter &painter, const QRect &cell, const QString &text, int column, Qt::Alignment alignment) const;
  QColor inkOf(const LockRow &row, int column) const;
  bool isFixed(int column) const;
};

} // namespace lockhouse::ui
