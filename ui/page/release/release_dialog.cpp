// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/release_dialog.h"

#include "ui/bridge/engine.h"
#include "ui/model/text/verdict_text.h"
#include "ui/page/actions/message_boxes.h"
#include "ui/page/release/cli_command.h"
#include "ui/page/release/plan_view.h"
#include "ui/page/release/release_flow.h"
#include "ui/page/release/result_view.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QKeyEvent>
#include <QPushButton>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr int besideIt = 40;       ///< of the screen, for the frame
constexpr int letters = 100;       ///< in a line
constexpr int takenOverIn = 2'000; ///< ms, by a window manager that is slow
constexpr int usualHeight = 420;   ///< at 13 px: what a plan takes as a rule, so that its coming moves nothing

} // namespace

ReleaseDialog::ReleaseDialog(Engine &engine, LockRecordPtr lock, QWidget *parent, std::optional<milliseconds> shortenTo)
    : QDialog(parent), m_engine(engine), m_flow(new ReleaseFlow(engine, std::move(lock), shortenTo, this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setModal(true);
  build();
  wire();
  follow();
  m_planPage->focusCancel();
}

void ReleaseDialog::chooseHolder(std::size_t index) { m_flow->chooseHolder(index); }

void ReleaseDialog::build() {
  m_planPage = new PlanView(this);
  m_resultPage = new ResultView(this);
  m_resultPage->hide();
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_planPage);
  column->addWidget(m_resultPage);
  setMinimumWidth(std::min(fontMetrics().horizontalAdvance(u'0') * letters, screen()->availableGeometry().width() - besideIt));
}

void ReleaseDialog::wire() {
  connect(m_flow, &ReleaseFlow::moved, this, &ReleaseDialog::follow);
  connect(m_flow, &ReleaseFlow::heard, this, [this] { m_planPage->tell(*m_flow); });
  connect(m_planPage, &PlanView::applyAsked, this, &ReleaseDialog::ask);
  connect(m_planPage, &PlanView::otherActionAsked, this, &ReleaseDialog::turnToOtherAction);
  connect(m_planPage, &PlanView::lengthChosen, m_flow, &ReleaseFlow::chooseShortening);
  connect(m_planPage, &PlanView::planAgainAsked, m_flow, &ReleaseFlow::planAgain);
  connect(m_planPage, &PlanView::holderChosen, this, [this](int index) { chooseHolder(static_cast<std::size_t>(index)); });
  connect(m_planPage, &PlanView::commandAsked, this, &ReleaseDialog::copyCommand);
  connect(m_planPage, &PlanView::contentResized, this, &ReleaseDialog::fit, Qt::QueuedConnection);
  connect(m_planPage, &PlanView::cancelled, this, &QDialog::reject);
  connect(m_resultPage, &ResultView::planAgainAsked, m_flow, &ReleaseFlow::planAgain);
  connect(m_resultPage, &ResultView::reportAsked, this, [this] { copyPlain(reportOf(m_flow->answer(), m_flow->intent(), m_flow->families())); });
  connect(m_resultPage, &ResultView::closed, this, &QDialog::accept);
}

void ReleaseDialog::follow() {
  setWindowTitle(m_flow->isShortening() ? tr("Shorten lease") : tr("Release lock"));
  const bool done = m_flow->phase() == ReleaseFlow::Phase::Done;
  const bool turned = m_planPage->isHidden() != done;
  if (done)
    m_resultPage->show(*m_flow);
  else
    m_planPage->show(*m_flow);
  m_planPage->setVisible(!done);
  m_resultPage->setVisible(done);
  if (turned && done)
    m_resultPage->focusClose();
  else if (turned)
    m_planPage->focusCancel();
}

// Another plan, so that nobody presses its verb by going on: Cancel has the focus again.
void ReleaseDialog::turnToOtherAction() {
  if (m_flow->isShortening())
    m_flow->chooseRelease();
  else
    m_flow->chooseShortening(ReleaseFlow::usualLength);
  m_planPage->focusCancel();
}

void ReleaseDialog::ask() {
  const auto apply = [this] { m_flow->apply(m_planPage->reason()); };
  if (m_flow->needsConsent())
    confirmOnce(*this, PlanView::questionOf(*m_flow), apply);
  else
    apply();
}

// As high as the wrapped text asks for at this width; a dialog by itself does not look at that.
void ReleaseDialog::fit() {
  const int width = std::max(this->width(), minimumWidth());
  const bool done = m_resultPage->isVisible();
  const bool isShort = done || m_flow->phase() == ReleaseFlow::Phase::NoPlan;
  const int planned = m_planPage->wantedHeight(width);
  const int wanted = done ? m_resultPage->heightForWidth(width) : isShort ? planned : std::max(planned, scaledLength(font(), usualHeight));
  place(QSize(width, isShort ? wanted : std::max(wanted, height())).boundedTo(room()));
}

// Until a window manager has put one around it, it is taken to be that of its window: it comes when all is placed.
QSize ReleaseDialog::frame() const {
  const QSize own = frameGeometry().size() - size();
  const QWidget *window = own.isEmpty() && parentWidget() ? parentWidget()->window() : this;
  return window->frameGeometry().size() - window->size();
}

QSize ReleaseDialog::room() const { return screen()->availableGeometry().size() - frame(); }

// Over the middle of its window as long as nobody has moved it, and in any case where every part of it can be reached.
void ReleaseDialog::place(QSize size) {
  const QPoint was = pos();
  if (size != this->size())
    resize(size);
  const QRect screenRoom = screen()->availableGeometry();
  const QSize frame = this->size() + this->frame();
  QPoint at = was;
  if (parentWidget() && (m_placedAt.isNull() || was == m_placedAt)) {
    const QRect under = parentWidget()->window()->frameGeometry();
    at = under.topLeft() + QPoint((under.width() - frame.width()) / 2, (under.height() - frame.height()) / 3);
  }
  at.setX(std::clamp(at.x(), screenRoom.left(), std::max(screenRoom.left(), screenRoom.right() + 1 - frame.width())));
  at.setY(std::clamp(at.y(), screenRoom.top(), std::max(screenRoom.top(), screenRoom.bottom() + 1 - frame.height())));
  if (at != pos())
    move(at);
  m_placedAt = pos();
}

// Placed before it is there: what is moved while a window manager takes it over may come to lie anywhere.
void ReleaseDialog::setVisible(bool visible) {
  if (visible && !isVisible()) {
    fit();
    m_sinceOpened.start();
  }
  QDialog::setVisible(visible);
}

bool ReleaseDialog::event(QEvent *event) {
  const bool known = QDialog::event(event);
  const auto type = event->type();
  const bool isAtFirst = isVisible() && m_sinceOpened.elapsed() < takenOverIn;
  if (type == QEvent::LayoutRequest || type == QEvent::Show)
    fit();
  else if (isAtFirst && (type == QEvent::Move || type == QEvent::WindowActivate)) // of a frame that is put around it no event tells
    QMetaObject::invokeMethod(this, &ReleaseDialog::fit, Qt::QueuedConnection);
  return known;
}

// Return presses a focused button only: in the reason it must not cancel and lose what was typed.
void ReleaseDialog::keyPressEvent(QKeyEvent *event) {
  const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const auto *button = qobject_cast<QPushButton *>(focusWidget());
  if (isReturn && !(button && button->isDefault()))
    return;
  QDialog::keyPressEvent(event);
}

void ReleaseDialog::copyCommand() {
  ReleaseIntent intent = m_flow->intent();
  seeAs(m_flow->answer(), intent);
  intent.reason = m_planPage->reason().trimmed().toStdString();
  copyPlain(releaseCommand(m_engine.urlOf(intent.lock), intent));
}

} // namespace lockhouse::ui
