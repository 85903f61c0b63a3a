// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_record.h"
#include "ui/model/tables/holds_to_release.h"
#include "ui/page/release/release_many_flow.h"

#include <QObject>

#include <functional>
#include <optional>

class QAction;
class QWidget;

namespace lockhouse::ui {

class Engine;
class LocksPage;
class WindowActions;

/// What the window's releasing commands mean: which holds, of which locks, and the dialog that plans them. Opening one writes nothing.
class ReleaseActions : public QObject {
  Q_OBJECT

public:
  ReleaseActions(Engine &engine, WindowActions &actions, LocksPage &locks, QWidget &window);

  /// The selected lock or locks: their release, or leases that end in `shortenTo`. Where the filter names a holder, what he has of them.
  void openSelected(std::optional<milliseconds> shortenTo = {});
  void openShown();  ///< every lock that the view and the filter let through; where the filter names a holder, what he has of them
  void openHolder(); ///< everything that the selected lock's holder has, shown or not; of several the one who is chosen

private:
  Engine &m_engine;
  WindowActions &m_actions;
  LocksPage &m_locks;
  QWidget &m_window;

  void wire();
  void offer();
  static void allow(QAction &action, const QString &refused);
  void openAllOf(const std::string &holder);
  static QString nobodyWords();
  void chooseHolder(const LockRecord &lock, std::vector<Holder> owners);
  void chooseHold(const LockRecordPtr &lock, std::vector<Holder> holds, std::optional<milliseconds> shortenTo);
  /// Asks for one of `names`; `meant` is offered first.
  void choose(const QString &title, const QString &question, const QStringList &names, std::size_t meant, std::function<void(std::size_t)> onChosen);
  QString whyNotLookedFor() const; ///< by its holder; empty: it may be
  QString whyNotShortened() const; ///< as far as the record of the one that is selected tells; empty: it may be
  void open(std::vector<LockRecordPtr> locks, const std::optional<std::string> &holder, std::optional<milliseconds> shortenTo,
            std::vector<LockRecordPtr> hiding = {}, std::vector<LockRecordPtr> leftOut = {});
  void openMany(std::vector<HoldToRelease> holds, std::optional<ReleaseManyFlow::OfHolder> of = {}, std::vector<LockRecordPtr> leftOut = {});
  bool isMeant(const LockRecord &lock, const Holder &holder) const; ///< false: the filter names others who hold it
  std::size_t firstMeant(const LockRecord &lock, const std::vector<Holder> &holders) const;
};

} // namespace lockhouse::ui
