// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/locks/health_summary.h"

#include <QWidget>

namespace lockhouse::ui {

class PlainLabel;
class Prose;
class ActionButton;

/// Shown instead of an empty table: the state, the reason, and the next step as a button. It scrolls if it has little room.
class EmptyPage : public QWidget {
  Q_OBJECT

public:
  explicit EmptyPage(QWidget *parent = nullptr);
  void setState(const EmptyState &state);
  /// The filter hides every lock. It passes `doubtful` rows, which are hidden as doubtful. For `stale` rows this is not known.
  void setFilteredOut(std::size_t hidden, std::size_t doubtful, std::size_t stale);

signals:
  void showAllWanted();
  void showDoubtfulWanted();
  void nodesWanted();
  void labWanted();

protected:
  void resizeEvent(QResizeEvent *event) override;

private:
  QWidget *m_content = nullptr;
  PlainLabel *m_title = nullptr;
  Prose *m_sentence = nullptr;
  Prose *m_next = nullptr;
  ActionButton *m_action = nullptr;
  ActionButton *m_showAll = nullptr;       ///< the second button, if the first has another purpose
  void (EmptyPage::*m_wanted)() = nullptr; ///< the signal of the button

  void build();
  void offer(const QString &action, void (EmptyPage::*wanted)());
};

} // namespace lockhouse::ui
