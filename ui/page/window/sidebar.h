// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListWidget>

#include <optional>
#include <vector>

namespace lockhouse::ui {

/// The views on the left, each with its live count.
class Sidebar : public QListWidget {
  Q_OBJECT

public:
  /// Lock views come first and are numbered from 0; then the pages.
  static constexpr int nodes = 100;
  static constexpr int lab = 101;

  explicit Sidebar(QWidget *parent = nullptr);
  /// `stale` rows of `locks` are of nodes that are not followed.
  void setCounts(const std::vector<std::size_t> &locks, std::size_t stale, std::size_t nodeCount, bool nodeTrouble);
  void choose(int view);
  int chosen() const;

signals:
  void viewChosen(int view);

protected:
  void changeEvent(QEvent *event) override;

private:
  void addSection(const QString &title);
  void addEntry(int view, const QString &title, const QString &explanation);
  QListWidgetItem *find(int view) const;
  void setCount(int view, const QString &count, bool alarming);
  void dress();
};

} // namespace lockhouse::ui
