// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_record.h"

#include <QWidget>

class QComboBox;
class QLineEdit;

namespace lockhouse::ui {

class LeaseLengthPicker;
class PlainLabel;
class PlanButtons;
class BeforeAfter;
class ReleaseFlow;
class ScrollPane;
class Banner;

/// The page that says what would happen and asks why. Cancel has the focus; the verb that does it is dead without a reason. It shows
/// a release, or the shortening of a lease, whichever the flow has planned.
class PlanView : public QWidget {
  Q_OBJECT

public:
  explicit PlanView(QWidget *parent = nullptr);

  static QString titleOf(const ReleaseFlow &flow);    ///< what is planned, as a question
  static QString questionOf(const ReleaseFlow &flow); ///< the same of a plan, and whose hold it is
  void show(const ReleaseFlow &flow);
  void tell(const ReleaseFlow &flow); ///< what goes on meanwhile, alone
  QString reason() const;
  void focusCancel();
  /// The height that shows all of it at `width`; with less, what is read scrolls and the buttons stay.
  int wantedHeight(int width) const;

signals:
  void contentResized(); ///< wantedHeight() is another one
  void applyAsked();
  void otherActionAsked(); ///< shorten the lease instead of the release, or the other way
  void commandAsked();
  void planAgainAsked();
  void holderChosen(int index);
  void lengthChosen(lockhouse::milliseconds length);
  void cancelled();

protected:
  void changeEvent(QEvent *event) override;

private:
  PlainLabel *m_title = nullptr;
  PlainLabel *m_sentence = nullptr;
  QWidget *m_holderRow = nullptr;
  QComboBox *m_holders = nullptr;
  LeaseLengthPicker *m_length = nullptr;
  Banner *m_risks = nullptr;
  Banner *m_notice = nullptr;
  Banner *m_refusal = nullptr; ///< why there is no plan: of any length, so it scrolls where there is no room
  ScrollPane *m_scroll = nullptr;
  BeforeAfter *m_facts = nullptr;
  PlainLabel *m_softer = nullptr; ///< why the softer verb is not among the buttons
  QWidget *m_why = nullptr;
  QLineEdit *m_reason = nullptr;
  PlanButtons *m_buttons = nullptr;

  void build();
  QWidget *makeHolderRow(QWidget *content);
  ScrollPane *makeScroll();
  QWidget *makeReason();
  void wireButtons();
  void dress();
  void fillTitle(const ReleaseFlow &flow);
  static QStringList risksOf(const ReleaseFlow &flow);
  static QStringList refusalOf(const ReleaseFlow &flow);
  static QStringList beforeIt(const ReleaseFlow &flow); ///< what is to be known before it is done
  void fillHolders(const ReleaseFlow &flow);
  void fillLengths(const ReleaseFlow &flow);
  void fillNotice(const ReleaseFlow &flow);
  static QString holderNow(const LockRecord &lock, const std::string &expected);
};

} // namespace lockhouse::ui
