// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/truth.h"

#include <QWidget>

namespace lockhouse::ui {

class PlainLabel;
class Prose;
class VerbButton;

/// In place of a table that has nothing to show: what is the case, why, and the one next step as a button.
class EmptyPage : public QWidget {
  Q_OBJECT

public:
  explicit EmptyPage(QWidget *parent = nullptr);
  void setState(const EmptyState &state);
  /// Every lock is filtered out.
  void setFilteredOut(std::size_t hidden);

signals:
  void showAllWanted();
  void nodesWanted();
  void labWanted();

private:
  PlainLabel *m_title = nullptr;
  Prose *m_sentence = nullptr;
  Prose *m_next = nullptr;
  VerbButton *m_verb = nullptr;
  void (EmptyPage::*m_wanted)() = nullptr; ///< the signal that the button is for

  void offer(const QString &verb, void (EmptyPage::*wanted)());
};

} // namespace lockhouse::ui
