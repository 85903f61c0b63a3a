// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "ui/model/text/node_names.h"

#include <QWidget>

class QLineEdit;
class QProgressBar;
class QPushButton;

namespace lockhouse::ui {

class LeaseLengthPicker;
class PlainLabel;
class Prose;
class DockTable;
class PlanButtons;
class ReleaseManyFlow;
class ReleaseTableModel;
class ScriptView;
class ScrollPane;
class Banner;

/// The page of many releases: a sentence first, what they risk, each of them in a table with what is
/// sent for the current one, why; then how far they have come, and what
/// came of each. Cancel has the focus; the verb that does it is dead without a reason.
class ReleaseManyView : public QWidget {
  Q_OBJECT

public:
  explicit ReleaseManyView(QWidget *parent = nullptr);

  void show(const ReleaseManyFlow &flow, const NodeNames &names);
  void showProgress(const ReleaseManyFlow &flow);
  void tell(const ReleaseManyFlow &flow); ///< what goes on meanwhile, alone
  QString reason() const;
  void focusCancel();

signals:
  void applyAsked();
  void otherActionAsked(); ///< shorten the leases instead of the releases, or the other way
  void lengthChosen(lockhouse::milliseconds length);
  void stopAsked();
  void copyAsked(); ///< the plans as commands, or the results as a report
  void planAgainAsked();
  void cancelled();

protected:
  void changeEvent(QEvent *event) override;

private:
  PlainLabel *m_title = nullptr;
  PlainLabel *m_sentence = nullptr;
  LeaseLengthPicker *m_length = nullptr;
  ScrollPane *m_scroll = nullptr;
  Banner *m_risks = nullptr;
  Banner *m_good = nullptr;
  Banner *m_notice = nullptr;
  ReleaseTableModel *m_model = nullptr;
  DockTable *m_table = nullptr;
  Banner *m_ownRisks = nullptr; ///< of the current row, as are those that follow
  Prose *m_effects = nullptr;
  ScriptView *m_script = nullptr;
  QWidget *m_running = nullptr;
  QProgressBar *m_bar = nullptr;
  PlainLabel *m_howFar = nullptr;
  QPushButton *m_stop = nullptr;
  bool m_isOfMany = false; ///< so that what one of them risks is not what all do
  QWidget *m_why = nullptr;
  QLineEdit *m_reason = nullptr;
  PlanButtons *m_buttons = nullptr;

  void build();
  void buildTable(QWidget *content);
  void buildScroll();
  QWidget *makeRunning();
  QWidget *makeReason();
  void wire();
  void dress();
  void fillTable(const ReleaseManyFlow &flow, const NodeNames &names);
  void fitTable();
  void showPlan(int row);
  void fillNotice(const ReleaseManyFlow &flow);
  void fillButtons(const ReleaseManyFlow &flow);
};

} // namespace lockhouse::ui
