// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/tables/node_table_model.h"

#include <QWidget>

namespace lockhouse::ui {

class Prose;

/// Which servers are watched and how well; what is wrong with one, and what to do about it, in words.
class NodesPage : public QWidget {
  Q_OBJECT

public:
  explicit NodesPage(QWidget *parent = nullptr);
  void apply(const LockSnapshot &snapshot, SteadyTime now);
  void setUnwatched(std::vector<std::string> masters) { m_unwatched = std::move(masters); } ///< as of the next apply()

private:
  NodeTableModel m_table;
  Prose *m_sentence = nullptr;
  std::vector<std::string> m_unwatched;
};

} // namespace lockhouse::ui
