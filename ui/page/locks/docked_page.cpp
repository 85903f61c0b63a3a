// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/locks/docked_page.h"

#include "ui/widget/style/plain_text.h"

#include <QDockWidget>
#include <QEvent>
#include <QTabBar>

#include <algorithm>
#include <array>
#include <utility>

namespace lockhouse::ui {
namespace {

constexpr int sideWidth = 330;
constexpr int belowHeight = 318;

} // namespace

DockedPage::DockedPage(QWidget *parent) : QMainWindow(parent, Qt::Widget) {
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
  setDocumentMode(true);
  setContextMenuPolicy(Qt::NoContextMenu);
}

QDockWidget *DockedPage::makeDock(QWidget *content, const QString &title, const QString &name) {
  auto *dock = new QDockWidget(withoutMnemonics(title), this);
  dock->setObjectName(name);
  dock->setWidget(content);
  dock->setFeatures(QDockWidget::DockWidgetClosable);
  dock->setTitleBarWidget(new QWidget(dock)); // the tab has the title
  dock->installEventFilter(this);
  return dock;
}

QDockWidget *DockedPage::addSideDock(QWidget *content, const QString &title, const QString &name) {
  m_side = makeDock(content, title, name);
  addDockWidget(Qt::RightDockWidgetArea, m_side);
  return m_side;
}

QDockWidget *DockedPage::addPage(QWidget *page, const QString &title) {
  QDockWidget *dock = makeDock(page, title, page->objectName());
  addDockWidget(Qt::BottomDockWidgetArea, dock);
  if (!m_below.empty())
    tabifyDockWidget(m_below.back(), dock);
  m_below.push_back(dock);
  m_below.front()->raise();
  return dock;
}

bool DockedPage::isInSight(const QDockWidget &dock) const { return dock.isVisible() && rect().intersects(dock.geometry()); }

QTabBar *DockedPage::tabsOf(const QDockWidget &dock) const {
  for (QTabBar *tabs : findChildren<QTabBar *>(Qt::FindDirectChildrenOnly))
    if (tabs->isVisible() && tabs->count() > 0 && tabs->tabText(tabs->currentIndex()) == dock.windowTitle())
      return tabs;
  return nullptr;
}

void DockedPage::restoreLayout() {
  if (m_side)
    m_side->show();
  for (QDockWidget *dock : m_below)
    dock->show();
  if (!m_below.empty()) {
    m_below.front()->raise();
    resizeDocks({m_below.front()}, {belowHeight}, Qt::Vertical);
  }
  if (m_side)
    resizeDocks({m_side}, {sideWidth}, Qt::Horizontal);
}

// A dock behind another tab is outside of the page and must not take keys. Qt reports that only by moving the dock.
bool DockedPage::eventFilter(QObject *watched, QEvent *event) {
  static constexpr std::array moved{QEvent::Move, QEvent::Resize, QEvent::Show, QEvent::Hide};
  const bool isHandled = QMainWindow::eventFilter(watched, event);
  if (const auto *dock = qobject_cast<QDockWidget *>(watched); dock && std::ranges::find(moved, event->type()) != moved.end())
    dock->widget()->setEnabled(isInSight(*dock));
  return isHandled;
}

void DockedPage::showEvent(QShowEvent *event) {
  QMainWindow::showEvent(event);
  if (!event->spontaneous() && !std::exchange(m_isLaidOut, true))
    restoreLayout();
}

} // namespace lockhouse::ui
