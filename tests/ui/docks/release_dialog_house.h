// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/ui/docks/dialog_house.h"
#include "ui/page/release/release_dialog.h"
#include "ui/page/release/result_view.h"
#include "ui/widget/parts/banner.h"

#include <QComboBox>

namespace lockhouse::ui::tests {

/// A release dialog over a live engine, and what a person sees of it.
class ReleaseDialogHouse : public DialogHouse<ReleaseDialog> {
protected:
  void openFor(const std::string &key, std::optional<milliseconds> shortenTo = {}, const char *holder = token) {
    takeLock(key, holder);
    const LockRecordPtr lock = waitForLock(key, holder);
    ASSERT_TRUE(lock);
    openDialog(new ReleaseDialog(*m_engine, lock, nullptr, shortenTo));
  }
  void releaseAndAllow(const QString &action = QStringLiteral("Unlock writing and release")) {
    button(action)->click();
    answer(QStringLiteral("Allow it once"));
  }
  QComboBox *visibleCombo() const {
    for (QComboBox *combo : m_dialog->findChildren<QComboBox *>())
      if (combo->isVisible())
        return combo;
    return nullptr;
  }
  /// Whether what came of it is told on the ground of what is as it should be.
  bool isGood() const {
    const auto boxes = m_dialog->findChild<ResultView *>()->findChildren<Banner *>();
    return boxes.size() == 2 && boxes[0]->isVisible() && !boxes[1]->isVisible();
  }
  bool isPlanned() { return comesToSay(QStringLiteral("This is what would happen.")); }
};

} // namespace lockhouse::ui::tests
