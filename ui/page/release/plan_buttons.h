// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QPushButton;

namespace lockhouse::ui {

class ReleaseFlow;

/// The verbs below a plan, of one or of many: do it, do the other of releasing and shortening instead, copy it as a command, plan
/// again, cancel. The verb that does it is dead without a reason, and never pressed by Return.
class PlanButtons : public QWidget {
  Q_OBJECT

public:
  explicit PlanButtons(QWidget *parent = nullptr);

  /// What stands on them. Where nothing does there is no button.
  struct Words {
    QString release, shorten, other, copy, again, cancel;
  };
  void show(const Words &words, bool canApply);
  void show(const ReleaseFlow &flow);
  static QString releaseInstead(); ///< the other verb, of one lock
  static QString shortenInstead();
  void setReasonGiven(bool given);
  void focusCancel();

signals:
  void applyAsked();
  void otherActionAsked();
  void commandAsked();
  void planAgainAsked();
  void cancelled();

private:
  QPushButton *m_copy = nullptr;
  QPushButton *m_again = nullptr;
  QPushButton *m_other = nullptr;
  QPushButton *m_release = nullptr; ///< in red
  QPushButton *m_shorten = nullptr; ///< the softer one
  QPushButton *m_cancel = nullptr;
  bool m_canApply = false;
  bool m_hasReason = false;

  void build();
  void wire();
  void enableAction();
};

} // namespace lockhouse::ui
