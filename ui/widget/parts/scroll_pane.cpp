// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/parts/scroll_pane.h"

#include "ui/widget/style/theme.h"

#include <QKeyEvent>
#include <QLayout>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr int ring = 2; ///< around what scrolls, so that the ring stands clear of it

} // namespace

ScrollPane::ScrollPane(Stop stop, QWidget *parent) : QScrollArea(parent) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setViewportMargins(ring, ring, ring, ring);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  if (stop == Stop::WhileItScrolls) {
    setFocusPolicy(Qt::NoFocus);
    connect(verticalScrollBar(), &QScrollBar::rangeChanged, this, [this](int, int most) { setFocusPolicy(most > 0 ? Qt::StrongFocus : Qt::NoFocus); });
  }
  connect(this, &ScrollPane::contentResized, this, &ScrollPane::fit, Qt::QueuedConnection);
}

int ScrollPane::wantedHeight(int width) const {
  const QLayout *content = widget()->layout();
  const int room = width - 2 * ring;
  const int least = content->totalMinimumSize().height(); // below which no scroll area lets it be
  return 2 * ring + std::max(least, content->hasHeightForWidth() ? content->totalHeightForWidth(room) : content->totalSizeHint().height());
}

// By itself it keeps a bar that only the bar makes necessary: beside it the text is narrower, hence higher.
void ScrollPane::fit() { setVerticalScrollBarPolicy(height() >= wantedHeight(width()) ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded); }

void ScrollPane::reveal(QWidget &part, const QRect &place) {
  const QRect at(part.mapTo(widget(), place.topLeft()), place.size());
  const int top = verticalScrollBar()->value(), room = viewport()->height();
  if (at.top() < top)
    verticalScrollBar()->setValue(at.top());
  else if (at.bottom() >= top + room)
    verticalScrollBar()->setValue(std::min(at.top(), at.bottom() + 1 - room));
}

bool ScrollPane::event(QEvent *event) {
  const bool known = QScrollArea::event(event);
  if (event->type() == QEvent::Paint && hasFocus()) {
    QPainter painter(this);
    painter.setPen(QPen(Theme::of(palette()).accent, ring));
    painter.drawRect(rect().adjusted(ring / 2, ring / 2, -ring / 2, -ring / 2));
  }
  return known;
}

// It keeps it to itself that what is in it has grown.
bool ScrollPane::eventFilter(QObject *watched, QEvent *event) {
  if (watched == widget() && event->type() == QEvent::LayoutRequest)
    emit contentResized();
  return QScrollArea::eventFilter(watched, event);
}

void ScrollPane::keyPressEvent(QKeyEvent *event) {
  if (event->key() == Qt::Key_Home || event->key() == Qt::Key_End)
    return verticalScrollBar()->triggerAction(event->key() == Qt::Key_Home ? QAbstractSlider::SliderToMinimum : QAbstractSlider::SliderToMaximum);
  QScrollArea::keyPressEvent(event);
}

void ScrollPane::resizeEvent(QResizeEvent *event) {
  QScrollArea::resizeEvent(event);
  fit();
  emit resized();
}

} // namespace lockhouse::ui
