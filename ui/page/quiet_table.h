// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

#include <initializer_list>

namespace lockhouse::ui {

/// A table as the docks have it: whole rows as high as those of the locks, one thin line below each, one baseline for names and
/// words, no frame. One column takes what the others leave, and never less than it needs to be read.
class QuietTable : public QTableView {
  Q_OBJECT

public:
  explicit QuietTable(QWidget *parent = nullptr);

  /// In digits of the fixed-width font, for the columns from the left. `rest` is the one that takes what is left, at the least what
  /// is given for it.
  void setColumnWidths(std::initializer_list<int> digits, int rest);
  /// What is left of `height` when it is filled with whole rows.
  int partOfRow(int height) const;

protected:
  void changeEvent(QEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;

private:
  int m_rest = -1;
  int m_leastRest = 0;

  void dress();
  void shareWidth();
};

} // namespace lockhouse::ui
