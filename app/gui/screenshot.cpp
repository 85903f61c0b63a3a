// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/screenshot.h"

#include "ui/bridge/engine.h"
#include "ui/page/locks_page.h"
#include "ui/page/main_window.h"
#include "ui/page/views_list.h"

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

/// The most told of all: the lock with the longest queue.
const LockRecord *mostAwaited(const LockSnapshot &snapshot) {
  const auto found = std::ranges::max_element(snapshot.locks, {}, [](const LockRecordPtr &lock) { return lock->isHeld() ? lock->waiters.value_or(0) : 0; });
  return found == snapshot.locks.end() ? nullptr : found->get();
}

} // namespace

Screenshot::Screenshot(MainWindow &window, Engine &engine, QString file, QString page) : m_window(window), m_file(std::move(file)), m_page(std::move(page)) {
  m_settle.setSingleShot(true);
  m_patience.setSingleShot(true);
  connect(&engine, &Engine::snapshotReady, this, [this](const LockSnapshotPtr &snapshot) { look(*snapshot); });
  connect(&m_settle, &QTimer::timeout, this, &Screenshot::prepare);
  connect(&m_patience, &QTimer::timeout, this, &Screenshot::prepare);
  m_patience.start(patience);
}

void Screenshot::look(const LockSnapshot &snapshot) {
  if (!snapshot.nodes.empty() && std::ranges::all_of(snapshot.nodes, hasSettled) && !m_settle.isActive() && m_patience.isActive())
    m_settle.start(settle);
}

void Screenshot::prepare() {
  m_settle.disconnect(this);
  m_patience.disconnect(this);
  if (m_window.snapshot())
    if (const LockRecord *lock = mostAwaited(*m_window.snapshot()))
      m_window.locks().select(lock->id);
  if (m_page == u"nodes")
    m_window.showView(ViewsList::nodes);
  else if (m_page == u"lab")
    m_window.showView(ViewsList::lab);
  else if (m_page == u"release")
    m_window.openRelease();
  else if (auto *dock = m_window.findChild<QDockWidget *>(m_page))
    dock->raise();
  QTimer::singleShot(pageSettles, this, &Screenshot::take);
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
