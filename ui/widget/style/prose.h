// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextLayout>
#include <QWidget>

namespace lockhouse::ui {

/// Wrapped plain text whose strong() parts are bold. There is no markup in it that a name could bring along.
class Prose : public QWidget {
  Q_OBJECT

public:
  explicit Prose(QWidget *parent = nullptr);
  void setText(const QString &text);
  QString text() const { return m_text; } ///< without marks

  QSize sizeHint() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;

protected:
  void paintEvent(QPaintEvent *event) override;

private:
  QString m_marked;
  QString m_text;
  QList<QTextLayout::FormatRange> m_bold;

  double layOut(QTextLayout &layout, int width) const;
};

} // namespace lockhouse::ui
