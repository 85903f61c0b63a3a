// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/release/release_plan.h"

#include <QWidget>

class QComboBox;
class QGridLayout;
class QLineEdit;
class QPushButton;
class QScrollArea;

namespace lockhouse::ui {

class PlainLabel;
class ReleaseFlow;
class ReleaseScript;
class TintBox;

/// The page that says what would happen and asks why. Cancel has the focus; the releasing button is dead without a reason.
class ReleasePlanView : public QWidget {
  Q_OBJECT

public:
  explicit ReleasePlanView(QWidget *parent = nullptr);

  void show(const ReleaseFlow &flow);
  QString reason() const;
  void focusCancel();
  /// The height that shows all of it at `width`; with less, what is read scrolls and the buttons stay.
  int wantedHeight(int width) const;

signals:
  void contentResized(); ///< wantedHeight() is another one
  void releaseAsked();
  void commandAsked();
  void planAgainAsked();
  void holderChosen(int index);
  void cancelled();

protected:
  void changeEvent(QEvent *event) override;
  bool eventFilter(QObject *watched, QEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;

private:
  PlainLabel *m_title = nullptr;
  PlainLabel *m_sentence = nullptr;
  QWidget *m_holderRow = nullptr;
  QComboBox *m_holders = nullptr;
  TintBox *m_risks = nullptr;
  TintBox *m_notice = nullptr;
  QScrollArea *m_scroll = nullptr;
  QWidget *m_body = nullptr;
  QWidget *m_why = nullptr;
  QGridLayout *m_facts = nullptr;
  ReleaseScript *m_script = nullptr;
  QLineEdit *m_reason = nullptr;
  QPushButton *m_copy = nullptr;
  QPushButton *m_again = nullptr;
  QPushButton *m_release = nullptr;
  QPushButton *m_cancel = nullptr;
  bool m_canRelease = false;

  void build();
  QWidget *makeHolderRow();
  QScrollArea *makeScroll();
  QWidget *makeBody();
  QWidget *makeReason();
  QWidget *makeButtons();
  void dress();
  void fillHolders(const ReleaseFlow &flow);
  void fillFacts(const ReleaseFlow &flow);
  void addFact(const QString &now, const QString &after);
  void fitScroll();
  void fillNotice(const ReleaseFlow &flow);
  void fillButtons(const ReleaseFlow &flow);
  void enableRelease();
};

} // namespace lockhouse::ui
