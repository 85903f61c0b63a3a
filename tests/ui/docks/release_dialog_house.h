// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/ui/docks/live_engine.h"
#include "ui/page/release_dialog.h"
#include "ui/page/release_result_view.h"
#include "ui/page/tint_box.h"

#include <QComboBox>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>

namespace lockhouse::ui::tests {

/// A release dialog over a live engine, and what a person sees of it.
class ReleaseDialogHouse : public LiveEngine {
protected:
  QPointer<ReleaseDialog> m_dialog;

  void TearDown() override { delete m_dialog; }

  void openFor(const std::string &key, std::optional<milliseconds> shortenTo = {}, const char *holder = token) {
    takeLock(key, holder);
    const LockRecordPtr lock = waitForLock(key, holder);
    ASSERT_TRUE(lock);
    m_dialog = new ReleaseDialog(*m_engine, lock, nullptr, shortenTo);
    m_dialog->open();
    m_dialog->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(m_dialog));
  }
  QPushButton *button(const QString &text) const { return buttonIn(*m_dialog, text); }
  QLineEdit *reason() const { return m_dialog->findChild<QLineEdit *>(); }
  QString said() const { return saidIn(*m_dialog); }
  bool comesToSay(const QString &text) {
    return QTest::qWaitFor([&] { return said().contains(text); }, patience);
  }
  void releaseAndAllow(const QString &verb = QStringLiteral("Unlock writing and release")) {
    button(verb)->click();
    auto *box = m_dialog->findChild<QMessageBox *>();
    ASSERT_TRUE(box) << "a console that may not write asks first";
    for (QAbstractButton *answer : box->buttons())
      if (answer->text() == u"Allow changes")
        return answer->click();
    ADD_FAILURE() << "nothing to allow it with";
  }
  QComboBox *visibleCombo() const {
    for (QComboBox *combo : m_dialog->findChildren<QComboBox *>())
      if (combo->isVisible())
        return combo;
    return nullptr;
  }
  /// Whether what came of it is told on the ground of what is as it should be.
  bool isGood() const {
    const auto boxes = m_dialog->findChild<ReleaseResultView *>()->findChildren<TintBox *>();
    return boxes.size() == 2 && boxes[0]->isVisible() && !boxes[1]->isVisible();
  }
  bool isPlanned() { return comesToSay(QStringLiteral("This is what would happen.")); }
};

} // namespace lockhouse::ui::tests
