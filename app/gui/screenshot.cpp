// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/screenshot.h"

#include "ui/bridge/engine.h"
#include "ui/page/locks/lock_table_view.h"
#include "ui/page/locks/locks_page.h"
#include "ui/page/stress/stress_page.h"
#include "ui/page/window/main_window.h"
#include "ui/page/window/sidebar.h"

#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QPainter>

#include <algorithm>
#include <cstdio>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

constexpr int pageSettles = 900; // ms for a page that was just opened to ask and be answered

bool hasSettled(const NodeStatus &node) { return node.state == NodeState::Down || (node.state == NodeState::Live && node.scanComplete); }

/// Held, and as little about to change as can be: no lease that ends, else the longest one; nobody waits.
const LockRecord *steadiest(const LockSnapshot &snapshot) {
  const auto steadiness = [](const LockRecordPtr &lock) {
    const bool quiet = lock->isHeld() && lock->holders.size() == 1 && !lock->staleSince && lock->waiters.value_or(0) == 0;
    return !quiet ? SteadyTime::min() : lock->expiresAt.value_or(SteadyTime::max());
  };
  const auto found = std::ranges::max_element(snapshot.locks, {}, steadiness);
  return found == snapshot.locks.end() ? nullptr : found->get();
}

/// The most told of all: the lock with the longest queue.
const LockRecord *mostAwaited(const LockSnapshot &snapshot) {
  const auto found = std::ranges::max_element(snapshot.locks, {}, [](const LockRecordPtr &lock) { return lock->isHeld() ? lock->waiters.value_or(0) : 0; });
  return found == snapshot.locks.end() ? nullptr : found->get();
}

} // namespace

Screenshot::Screenshot(MainWindow &window, Engine &engine, QString file, QString page)
    : m_window(window), m_engine(engine), m_file(std::move(file)), m_page(std::move(page)) {
  m_settle.setSingleShot(true);
  m_patience.setSingleShot(true);
  connect(&engine, &Engine::snapshotReady, this, [this](const LockSnapshotPtr &snapshot) { look(*snapshot); });
  connect(&m_settle, &QTimer::timeout, this, &Screenshot::prepare);
  connect(&m_patience, &QTimer::timeout, this, &Screenshot::prepare);
  m_patience.start(patience);
}

void Screenshot::look(const LockSnapshot &snapshot) {
  if (!snapshot.nodes.empty() && std::ranges::all_of(snapshot.nodes, hasSettled) && !m_settle.isActive() && m_patience.isActive())
    m_settle.start(m_page == u"charts" ? chartsSettle : settle);
}

void Screenshot::prepare() {
  for (QObject *source : std::initializer_list<QObject *>{&m_settle, &m_patience, &m_engine})
    source->disconnect(this);
  choose();
  if (m_page == u"lab" && m_engine.isDemo())
    return runLab();
  open();
  QTimer::singleShot(pageSettles, this, &Screenshot::take);
}

void Screenshot::choose() {
  if (!m_window.snapshot())
    return;
  const LockSnapshot &snapshot = *m_window.snapshot();
  if (const LockRecord *lock = m_page == u"release" ? steadiest(snapshot) : mostAwaited(snapshot))
    m_window.locks().select(lock->id);
}

void Screenshot::open() {
  if (m_page == u"nodes")
    m_window.showView(Sidebar::nodes);
  else if (m_page == u"lab")
    m_window.showView(Sidebar::lab);
  else if (m_page == u"release")
    m_window.openRelease();
  else if (auto *dock = m_window.findChild<QDockWidget *>(m_page))
    dock->raise();
  else
    spreadTable();
}

// The table is what this one shows: of every family, and two more rows.
void Screenshot::spreadTable() {
  LockTableView &view = m_window.locks().view();
  view.sortByColumn(LockTableModel::Family, Qt::AscendingOrder);
  view.scrollToTop();
  view.scrollTo(view.currentIndex());
  if (auto *below = m_window.findChild<QDockWidget *>(u"charts"_s))
    m_window.locks().resizeDocks({below}, {below->height() - 2 * view.rowHeight(0)}, Qt::Vertical);
}

void Screenshot::runLab() {
  open();
  const auto takeSoon = [this] { m_settle.start(pageSettles); };
  connect(&m_engine, &Engine::stressFinished, this, takeSoon);
  connect(&m_settle, &QTimer::timeout, this, &Screenshot::take);
  connect(&m_patience, &QTimer::timeout, this, &Screenshot::take);
  m_patience.start(patience);
  m_window.findChild<StressPage *>()->start();
}

void Screenshot::take() {
  QPixmap picture = m_window.grab();
  if (auto *dialog = m_window.findChild<QDialog *>(); dialog != nullptr && dialog->isVisible()) {
    QPainter painter(&picture);
    painter.fillRect(m_window.rect(), QColor(0, 0, 0, 90));
    const QPixmap above = dialog->grab();
    painter.drawPixmap((m_window.width() - above.width()) / 2, (m_window.height() - above.height()) / 3, above);
  }
  finish(picture);
}

void Screenshot::finish(const QPixmap &picture) {
  const bool written = picture.save(m_file, "PNG");
  if (!written)
    std::fprintf(stderr, "lockhouse: the picture cannot be written at %s; choose another file\n", qUtf8Printable(m_file));
  QApplication::exit(written ? 0 : 2);
}

} // namespace lockhouse::ui
