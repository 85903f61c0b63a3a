// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_snapshot.h"

#include <QDialog>
#include <QElapsedTimer>

namespace lockhouse::ui {

class Engine;
class ReleaseFlow;
class PlanView;
class ResultView;

/// Plan → reason → result for one lock: its release, or its lease shortened. Opening it writes nothing; Cancel has the focus and
/// always works. To be shown with open(), never with exec(); deletes itself when closed. Never higher or wider than the screen: what
/// is read scrolls, the buttons stay.
class ReleaseDialog : public QDialog {
  Q_OBJECT

public:
  /// `lock` as the operator saw it, with at least one holder; which of several is released is chosen in the dialog. With `shortenTo`
  /// it opens with the plan of a lease that ends so soon, from which there is a way to the release and back.
  ReleaseDialog(Engine &engine, LockRecordPtr lock, QWidget *parent = nullptr, std::optional<milliseconds> shortenTo = {});
  void chooseHolder(std::size_t index); ///< of the lock's; the first until then

  void setVisible(bool visible) override;

protected:
  bool event(QEvent *event) override;
  void keyPressEvent(QKeyEvent *event) override;

private:
  const Engine &m_engine;
  ReleaseFlow *m_flow = nullptr;
  PlanView *m_planPage = nullptr;
  ResultView *m_resultPage = nullptr;
  QPoint m_placedAt;           ///< by place(); elsewhere: somebody has moved it
  QElapsedTimer m_sinceOpened; ///< at first it is a window manager who moves it, and nobody else

  void build();
  void wire();
  void follow();
  void turnToOtherAction();
  void copyCommand();
  void ask();
  void fit();
  QSize frame() const;
  QSize room() const;
  void place(QSize size);
};

} // namespace lockhouse::ui
