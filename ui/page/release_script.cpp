// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release_script.h"

#include "ui/widget/theme.h"

#include <QEvent>
#include <QScrollBar>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr int padding = 10;

} // namespace

ReleaseScript::ReleaseScript(QWidget *parent) : QPlainTextEdit(parent) {
  setReadOnly(true);
  setLineWrapMode(NoWrap);
  setTabChangesFocus(true);
  setFrameShape(QFrame::StyledPanel);
  setViewportMargins(1, 1, 1, 1); // its focus ring stands clear of the text
  setAccessibleName(tr("What is sent"));
  document()->setDocumentMargin(padding);
  dress();
}

void ReleaseScript::setScript(const QString &text) {
  setPlainText(text);
  fit();
}

void ReleaseScript::fit() {
  const QFontMetrics metrics(font());
  const int lines = std::min(blockCount(), mostLines);
  const bool scrolls = document()->idealWidth() > width() - 2 * frameWidth() - 2;
  setVerticalScrollBarPolicy(blockCount() > lines ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(scrolls ? Qt::ScrollBarAlwaysOn : Qt::ScrollBarAlwaysOff); // its room and itself, or neither
  setFixedHeight(lines * metrics.lineSpacing() + 2 * padding + 2 * frameWidth() + 2 + (scrolls ? horizontalScrollBar()->sizeHint().height() : 0));
}

void ReleaseScript::dress() {
  setFont(fixedFont());
  fit();
}

void ReleaseScript::changeEvent(QEvent *event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::ApplicationFontChange)
    dress();
}

void ReleaseScript::resizeEvent(QResizeEvent *event) {
  QPlainTextEdit::resizeEvent(event);
  fit();
}

} // namespace lockhouse::ui
