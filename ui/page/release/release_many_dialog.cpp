// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/release_many_dialog.h"

#include "ui/bridge/engine.h"
#include "ui/page/actions/message_boxes.h"
#include "ui/page/release/release_flow.h"
#include "ui/page/release/release_many_view.h"
#include "ui/page/release/release_many_words.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QKeyEvent>
#include <QPushButton>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace lockhouse::ui {
namespace {

using Phase = ReleaseManyFlow::Phase;

constexpr int besideIt = 40; ///< of the screen, for the frame
constexpr milliseconds freshFor{800};
constexpr QSize usual(900, 860); ///< at 13 px

} // namespace

ReleaseManyDialog::ReleaseManyDialog(Engine &engine, std::vector<HoldToRelease> holds, const NodeNames &names, QWidget *parent,
                                     std::optional<ReleaseManyFlow::OfHolder> of)
    : QDialog(parent), m_engine(engine), m_names(names), m_flow(new ReleaseManyFlow(engine, std::move(holds), this, std::move(of))) {
  setAttribute(Qt::WA_DeleteOnClose);
  setModal(true);
  build();
  wire();
  follow();
  m_page->focusCancel();
}

// Its table shows what the flow has: it goes first. A button that lost the focus while the page is torn down would look through what is half
// gone (Qt 6.8).
ReleaseManyDialog::~ReleaseManyDialog() {
  if (auto *focused = focusWidget())
    focused->clearFocus();
  delete m_page;
}

void ReleaseManyDialog::setLeftOut(std::vector<LockRecordPtr> rows) { m_flow->setLeftOut(std::move(rows)); }

void ReleaseManyDialog::build() {
  m_page = new ReleaseManyView(this);
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_page);
  const QSize room = screen()->availableGeometry().size() - QSize(besideIt, besideIt);
  resize(QSize(scaledLength(font(), usual.width()), scaledLength(font(), usual.height())).boundedTo(room));
}

void ReleaseManyDialog::wire() {
  m_fresh.setSingleShot(true);
  m_fresh.setInterval(freshFor);
  connect(m_flow, &ReleaseManyFlow::moved, this, &ReleaseManyDialog::follow);
  connect(m_flow, &ReleaseManyFlow::progressed, this, [this] { m_page->showProgress(*m_flow); });
  connect(m_flow, &ReleaseManyFlow::heard, this, [this] { m_page->tell(*m_flow); });
  connect(m_page, &ReleaseManyView::applyAsked, this, &ReleaseManyDialog::ask);
  connect(m_page, &ReleaseManyView::stopAsked, m_flow, &ReleaseManyFlow::stop);
  connect(m_page, &ReleaseManyView::planAgainAsked, m_flow, &ReleaseManyFlow::planAgain);
  connect(m_page, &ReleaseManyView::lengthChosen, m_flow, &ReleaseManyFlow::choose);
  connect(m_page, &ReleaseManyView::otherActionAsked, this,
          [this] { m_flow->choose(m_flow->isShortening() ? std::nullopt : std::optional(ReleaseFlow::usualLength)); });
  connect(m_page, &ReleaseManyView::copyAsked, this, &ReleaseManyDialog::copy);
  connect(m_page, &ReleaseManyView::cancelled, this, &ReleaseManyDialog::reject);
}

void ReleaseManyDialog::follow() {
  const bool wasApplying = std::exchange(m_wasApplying, m_flow->phase() == Phase::Applying);
  if (wasApplying && m_flow->phase() == Phase::Done)
    m_fresh.start();
  setWindowTitle(m_flow->isShortening() ? tr("Shorten leases") : tr("Release locks"));
  m_page->show(*m_flow, m_names);
  if (m_flow->phase() == Phase::Done || m_flow->phase() == Phase::Planning)
    m_page->focusCancel();
}

void ReleaseManyDialog::ask() {
  const auto apply = [this] { m_flow->apply(m_page->reason()); };
  const QString holder = manyHolder(*m_flow);
  if (m_flow->needsConsent())
    confirmOnce(*this, holder.isEmpty() ? manyTitle(*m_flow) : manyTitle(*m_flow) + u'\n' + holder, apply);
  else
    apply();
}

void ReleaseManyDialog::copy() { copyPlain(m_flow->phase() == Phase::Done ? manyReport(*m_flow) : manyCommands(*m_flow, m_engine, m_page->reason())); }

void ReleaseManyDialog::reject() {
  if (m_fresh.isActive())
    return;
  const bool isApplying = m_flow->phase() == Phase::Applying && !m_flow->isStopping();
  m_flow->stop();
  if (!isApplying)
    QDialog::reject();
}

// Return presses a focused button only: in the reason it must not cancel and lose what was typed.
void ReleaseManyDialog::keyPressEvent(QKeyEvent *event) {
  const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const auto *button = qobject_cast<QPushButton *>(focusWidget());
  if (isReturn && !(button && button->isDefault()))
    return;
  QDialog::keyPressEvent(event);
}

} // namespace lockhouse::ui
