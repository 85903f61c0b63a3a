// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/ui/docks/dialog_house.h"
#include "ui/model/tables/release_table_model.h"
#include "ui/page/release/release_many_dialog.h"
#include "ui/page/release/release_many_flow.h"

#include <QTableView>

#include <map>

namespace lockhouse::ui::tests {

/// The dialog for many locks, on a real server.
class ReleaseManyHouse : public DialogHouse<ReleaseManyDialog> {
protected:
  std::vector<LockRecordPtr> take(int many) {
    for (int i = 0; i < many; ++i)
      takeLock(nameOf(i));
    return waitForAll(many);
  }
  static std::string nameOf(int number) { return "lock:" + std::to_string(10'000 + number); }
  void open(std::vector<LockRecordPtr> locks, std::optional<milliseconds> shortenTo = {}) {
    openDialog(new ReleaseManyDialog(*m_engine, holdsToRelease(std::move(locks), {}, shortenTo), NodeNames(m_snapshot->nodes)));
  }
  const ReleaseManyFlow &flow() const { return *m_dialog->findChild<ReleaseManyFlow *>(); }
  bool reaches(ReleaseManyFlow::Phase phase) {
    return QTest::qWaitFor([&] { return flow().phase() == phase; }, patience);
  }
  std::map<Verdict, int> verdicts() const {
    std::map<Verdict, int> counts;
    for (const ReleaseResult &result : flow().results())
      ++counts[result.verdict.value_or(Verdict::NotALock)];
    return counts;
  }
  std::vector<std::string> outcomes() const {
    std::vector<std::string> texts;
    const auto *model = m_dialog->findChild<QTableView *>()->model();
    for (int row = 0; row < model->rowCount(); ++row)
      texts.push_back(model->index(row, ReleaseTableModel::Outcome).data().toString().toStdString());
    return texts;
  }
  int left() { return static_cast<int>(m_redis->number({"DBSIZE"})); }
};

} // namespace lockhouse::ui::tests
