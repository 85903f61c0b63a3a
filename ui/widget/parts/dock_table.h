// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

#include <initializer_list>
#include <vector>

namespace lockhouse::ui {

/// `text` in `width` pixels, shortened where it has to be, but for its `end`.
QString elidedBefore(const QString &end, const QString &text, const QFontMetrics &metrics, Qt::TextElideMode mode, int width);

/// A table as the docks have it: whole rows as high as those of the locks, one thin line below each, one baseline for names and
/// words, no frame. One column takes what the others leave, and never less than it needs to be read.
class DockTable : public QTableView {
  Q_OBJECT

public:
  explicit DockTable(QWidget *parent = nullptr);

  /// In digits of the fixed-width font, for the columns from the left. `rest` is the one that takes what is left, at the least what
  /// is given for it.
  void setColumnWidths(std::initializer_list<int> digits, int rest);
  /// How wide a column may become for its contents, and how narrow when there is no room for all; in digits of the fixed-width font.
  struct Bounds {
    int least, most;
  };
  /// Columns from the left take what their contents and headings take, within these bounds. Where that is more than there is room
  /// for, each gives in proportion to what it has above its least; `rest` takes what the others leave. They never grow narrower for
  /// new contents, and stay as they are once somebody has moved one.
  void setColumnBounds(std::initializer_list<Bounds> bounds, int rest);
  /// What is left of `height` when it is filled with whole rows.
  int partOfRow(int height) const;
  int heightOf(int rows) const; ///< of the whole table with its heading
  int rowsIn(int height) const; ///< how many whole rows a table of this height has

  void setModel(QAbstractItemModel *model) override;

protected:
  void changeEvent(QEvent *event) override;
  void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;
  void paintEvent(QPaintEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;

private:
  int m_rest = -1;
  int m_leastRest = 0;
  std::vector<Bounds> m_bounds; ///< empty unless contents say how wide columns are
  std::vector<int> m_wanted;    ///< what the contents of each column took so far, within its bounds
  bool m_isSharing = false;

  void dress();
  int fixedWidth(int digits) const;
  void measure();
  void fitColumns();
  void shareWidth();
};

} // namespace lockhouse::ui
