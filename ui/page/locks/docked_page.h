// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>

#include <vector>

class QDockWidget;
class QTabBar;

namespace lockhouse::ui {

/// A page with one dock on its right and others below, which share tabs.
class DockedPage : public QMainWindow {
  Q_OBJECT

public:
  explicit DockedPage(QWidget *parent = nullptr);

  QDockWidget *addSideDock(QWidget *content, const QString &title, const QString &name);
  /// Adds a dock below, named as its content.
  QDockWidget *addPage(QWidget *page, const QString &title);
  bool isInSight(const QDockWidget &dock) const;  ///< shown, and not behind another's tab
  QTabBar *tabsOf(const QDockWidget &dock) const; ///< the tabs in which it is open; null: it has none
  virtual void restoreLayout();

protected:
  bool eventFilter(QObject *watched, QEvent *event) override;
  void showEvent(QShowEvent *event) override;

private:
  QDockWidget *m_side = nullptr;
  std::vector<QDockWidget *> m_below;
  bool m_isLaidOut = false;

  QDockWidget *makeDock(QWidget *content, const QString &title, const QString &name);
};

} // namespace lockhouse::ui
