// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/locks/row_query.h"

#include <QLineEdit>
#include <QTimer>

class QLabel;

namespace lockhouse::ui {

class PlainLabel;

/// The box one types a filter into. What cannot be read is said inside the box, beside the text, and the filter before stays; what
/// can be, but was perhaps not meant so, is said there too, quietly.
class FilterBox : public QLineEdit {
  Q_OBJECT

public:
  explicit FilterBox(QWidget *parent = nullptr);
  const std::optional<QueryError> &error() const { return m_error; }
  void setDoubt(const QString &sentence); ///< about what was read last; empty: none

signals:
  void queryChanged(const lockhouse::ui::LockQuery &query);
  void complained(const QString &sentence); ///< why the text cannot be read; empty: it can
  void left();                              ///< Escape on an empty box, or Down: back to the table

protected:
  void keyPressEvent(QKeyEvent *event) override;
  void paintEvent(QPaintEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;
  void changeEvent(QEvent *event) override;

private:
  PlainLabel *m_remark = nullptr; ///< the error, else the doubt
  std::optional<QueryError> m_error;
  QString m_doubt;
  QTimer m_pause; ///< a moment after the last key

  void read();
  QString remark() const { return m_error ? m_error->sentence : m_doubt; }
  void showRemark();
  void placeRemark();
  void dress();
};

} // namespace lockhouse::ui
