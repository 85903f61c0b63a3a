// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release_dialog.h"

#include "ui/model/release_words.h"
#include "ui/page/release_command.h"
#include "ui/page/release_flow.h"
#include "ui/page/release_plan_view.h"
#include "ui/page/release_result_view.h"
#include "ui/widget/plain_text.h"

#include <QKeyEvent>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lockhouse::ui {

ReleaseDialog::ReleaseDialog(Engine &engine, LockRecordPtr lock, QWidget *parent) : QDialog(parent), m_flow(new ReleaseFlow(engine, std::move(lock), this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Release lock"));
  setModal(true);
  build();
  wire();
  follow();
  m_planPage->focusCancel();
}

void ReleaseDialog::build() {
  m_planPage = new ReleasePlanView(this);
  m_resultPage = new ReleaseResultView(this);
  m_resultPage->hide();
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_planPage);
  column->addWidget(m_resultPage);
  setMinimumWidth(fontMetrics().averageCharWidth() * 112);
}

void ReleaseDialog::wire() {
  connect(m_flow, &ReleaseFlow::moved, this, &ReleaseDialog::follow);
  connect(m_planPage, &ReleasePlanView::releaseAsked, this, [this] { m_flow->release(m_planPage->reason()); });
  connect(m_planPage, &ReleasePlanView::planAgainAsked, m_flow, &ReleaseFlow::planAgain);
  connect(m_planPage, &ReleasePlanView::holderChosen, this, [this](int index) { m_flow->chooseHolder(static_cast<std::size_t>(index)); });
  connect(m_planPage, &ReleasePlanView::commandAsked, this, &ReleaseDialog::copyCommand);
  connect(m_planPage, &ReleasePlanView::cancelled, this, &QDialog::reject);
  connect(m_resultPage, &ReleaseResultView::planAgainAsked, m_flow, &ReleaseFlow::planAgain);
  connect(m_resultPage, &ReleaseResultView::reportAsked, this, [this] { copyPlain(reportOf(m_flow->answer(), m_flow->intent())); });
  connect(m_resultPage, &ReleaseResultView::closed, this, &QDialog::accept);
}

void ReleaseDialog::follow() {
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

// As high as the wrapped text asks for at this width; a dialog by itself does not look at that.
void ReleaseDialog::fit() {
  const int width = std::max(this->width(), minimumWidth());
  resize(width, layout()->totalHeightForWidth(width));
}

bool ReleaseDialog::event(QEvent *event) {
  const bool known = QDialog::event(event);
  if (event->type() == QEvent::LayoutRequest)
    fit();
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
  intent.reason = m_planPage->reason().trimmed().toStdString();
  copyPlain(releaseCommand(intent));
}

} // namespace lockhouse::ui
