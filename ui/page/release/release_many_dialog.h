// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/tables/holds_to_release.h"
#include "ui/model/text/node_names.h"
#include "ui/page/release/release_many_flow.h"

#include <QDialog>
#include <QTimer>

namespace lockhouse::ui {

class Engine;
class ReleaseManyView;

/// Many locks released, or their leases shortened, as one: preview → reason → progress → a verdict for each lock and node. Opening
/// it writes nothing. Esc and Cancel stop what is under way first, and close it the second time; for
/// a moment after the results have come they do nothing, for what was meant to stop it may come too late. To be shown with open(), never with
/// exec(); deletes itself when closed.
class ReleaseManyDialog : public QDialog {
  Q_OBJECT

public:
  ReleaseManyDialog(Engine &engine, std::vector<HoldToRelease> holds, const NodeNames &names, QWidget *parent = nullptr,
                    std::optional<ReleaseManyFlow::OfHolder> of = {}); ///< `of` as the flow has it
  ~ReleaseManyDialog() override;
  void setLeftOut(std::vector<LockRecordPtr> rows); ///< rows that were meant too, and cannot be released

  void reject() override;

protected:
  void keyPressEvent(QKeyEvent *event) override;

private:
  const Engine &m_engine;
  NodeNames m_names;
  ReleaseManyFlow *m_flow = nullptr;
  ReleaseManyView *m_page = nullptr;
  bool m_wasApplying = false;
  QTimer m_fresh; ///< while it runs nobody can have read the results

  void build();
  void wire();
  void follow();
  void ask();
  void copy();
};

} // namespace lockhouse::ui
