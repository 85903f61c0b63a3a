// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/truth.h"

#include <QWidget>

class QPushButton;

namespace lockhouse::ui {

class PlainLabel;
class Prose;

/// In place of a table that has nothing to show: what is the case, why, and the one next step.
class EmptyPage : public QWidget {
  Q_OBJECT

public:
  explicit EmptyPage(QWidget *parent = nullptr);
  void setState(const EmptyState &state);
  /// All that matched is filtered out: the next step is a button.
  void setFilteredOut(std::size_t hidden);

signals:
  void showAllWanted();

private:
  PlainLabel *m_title = nullptr;
  Prose *m_sentence = nullptr;
  Prose *m_next = nullptr;
  QPushButton *m_showAll = nullptr;
};

} // namespace lockhouse::ui
