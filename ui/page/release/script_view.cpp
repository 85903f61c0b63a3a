// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/script_view.h"

#include "ui/widget/parts/scroll_pane.h"
#include "ui/widget/style/theme.h"

#include <QEvent>
#include <QKeyEvent>
#include <QTextBlock>
#include <QtMath>

namespace lockhouse::ui {
namespace {

constexpr int padding = 10;

} // namespace

ScriptView::ScriptView(QWidget *parent) : QPlainTextEdit(parent) {
  setReadOnly(true);
  setWordWrapMode(QTextOption::WrapAnywhere); // a name need not have a place to break at
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTabChangesFocus(true);
  setFrameShape(QFrame::StyledPanel);
  setViewportMargins(1, 1, 1, 1); // its focus ring stands clear of the text
  setAccessibleName(tr("What is sent"));
  document()->setDocumentMargin(padding);
  dress();
}

void ScriptView::setScript(const QString &text) {
  setPlainText(text);
  fit();
}

// As it is laid out, in which a line of another script may be the higher one.
void ScriptView::fit() {
  constexpr int spare = 2; // with less the last line counts as out of sight
  qreal height = padding;  // that below is the last block's
  for (QTextBlock block = document()->firstBlock(); block.isValid(); block = block.next())
    height += blockBoundingRect(block).height();
  setFixedHeight(qCeil(height) + 2 * frameWidth() + 2 + spare);
}

void ScriptView::dress() {
  setFont(fixedFont());
  fit();
}

void ScriptView::changeEvent(QEvent *event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::ApplicationFontChange)
    dress();
}

// By itself a scroll area shows the place of the cursor alone.
void ScriptView::focusInEvent(QFocusEvent *event) {
  QPlainTextEdit::focusInEvent(event);
  const bool isByKey = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
  for (QWidget *around = isByKey ? parentWidget() : nullptr; around; around = around->parentWidget())
    if (auto *pane = qobject_cast<ScrollPane *>(around))
      pane->reveal(*this, rect());
}

void ScriptView::keyPressEvent(QKeyEvent *event) {
  switch (event->key()) {
  case Qt::Key_Up:
  case Qt::Key_Down:
  case Qt::Key_PageUp:
  case Qt::Key_PageDown:
  case Qt::Key_Home:
  case Qt::Key_End: return event->ignore();
  default: QPlainTextEdit::keyPressEvent(event);
  }
}

void ScriptView::resizeEvent(QResizeEvent *event) {
  QPlainTextEdit::resizeEvent(event);
  fit();
}

} // namespace lockhouse::ui
