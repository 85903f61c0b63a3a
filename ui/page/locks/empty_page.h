// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/locks/health_summary.h"

#include <QWidget>

namespace lockhouse::ui {

class PlainLabel;
class Prose;
class ActionButton;

/// In place of a table that has nothing to show: what is the case, why, and the next step as a button. Scrolls where it has little room.
class EmptyPage : public QWidget {
  Q_OBJECT

public:
  explicit EmptyPage(QWidget *parent = nullptr);
  void setState(const EmptyState &state);
  /// Every lock is filtered out; `doubtful` rows are not, and are hidden because they are doubtful. Of `stale` ones it is not known.
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
  ActionButton *m_showAll = nullptr;       ///< beside it, where it is for something else
  void (EmptyPage::*m_wanted)() = nullptr; ///< the signal that the button is for

  void build();
  void offer(const QString &action, void (EmptyPage::*wanted)());
};

} // namespace lockhouse::ui
