// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/ui/docks/live_engine.h"

#include <QDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>

namespace lockhouse::ui::tests {

/// A dialog over a live engine, and what a person sees of it and presses there.
template <class Dialog> class DialogHouse : public LiveEngine {
protected:
  QPointer<Dialog> m_dialog;

  void TearDown() override { delete m_dialog; }

  void openDialog(Dialog *dialog) {
    m_dialog = dialog;
    m_dialog->open();
    m_dialog->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(m_dialog));
  }
  std::vector<LockRecordPtr> waitForAll(int many) {
    const auto all = [&] { return m_snapshot && m_snapshot->locks.size() == static_cast<std::size_t>(many); };
    EXPECT_TRUE(QTest::qWaitFor(all, patience)) << (m_snapshot ? m_snapshot->locks.size() : 0);
    return m_snapshot->locks;
  }
  QPushButton *button(const QString &text) const { return buttonIn(*m_dialog, text); }
  QLineEdit *reason() const { return m_dialog->template findChild<QLineEdit *>(); }
  QString said() const { return saidIn(*m_dialog); }
  bool comesToSay(const QString &text) {
    return QTest::qWaitFor([&] { return said().contains(text); }, patience);
  }
  /// What the box asks that has come up; "" and a failure where there is none.
  QString asked() const {
    const auto *box = m_dialog->template findChild<QMessageBox *>();
    EXPECT_TRUE(box) << "a console that may not write asks first";
    return box ? box->windowTitle() + u'\n' + box->text() + u'\n' + box->informativeText() : QString();
  }
  void answer(const QString &text) {
    if (auto *box = m_dialog->template findChild<QMessageBox *>())
      for (QAbstractButton *answer : box->buttons())
        if (answer->text() == text)
          return answer->click();
    ADD_FAILURE() << "no such answer: " << text.toStdString();
  }
};

} // namespace lockhouse::ui::tests
