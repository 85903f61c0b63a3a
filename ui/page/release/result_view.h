// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QGridLayout;
class QPushButton;

namespace lockhouse::ui {

class PlainLabel;
class ReleaseFlow;
class Banner;

/// What came of it: the verdict in words, who holds the lock now, the audit record.
class ResultView : public QWidget {
  Q_OBJECT

public:
  explicit ResultView(QWidget *parent = nullptr);

  void show(const ReleaseFlow &flow);
  void focusClose();

signals:
  void reportAsked();
  void planAgainAsked();
  void closed();

private:
  PlainLabel *m_title = nullptr;
  Banner *m_good = nullptr;
  Banner *m_bad = nullptr;
  QGridLayout *m_facts = nullptr;
  QPushButton *m_copy = nullptr;
  QPushButton *m_again = nullptr;
  QPushButton *m_close = nullptr;

  void build();
  QWidget *makeButtons();
  void addFact(const QString &what, const QString &value);
};

} // namespace lockhouse::ui
