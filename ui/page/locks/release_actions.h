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

/// The window's actions that release: which holds of which locks they mean, and the dialog that plans them. To open one writes nothing.
class ReleaseActions : public QObject {
  Q_OBJECT

public:
  ReleaseActions(Engine &engine, WindowActions &actions, LocksPage &locks, QWidget &window);

  /// Releases the selected locks, or lets their leases end in `shortenTo`. If the filter names a holder, only its holds.
  void openSelected(std::optional<milliseconds> shortenTo = {});
  void openShown();  ///< every lock that the view and the filter pass; if the filter names a holder, only its holds
  void openHolder(); ///< all locks of the selected lock's holder, shown or not; if it has several, a person chooses one

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
  QString whyNotLookedFor() const; ///< why openHolder() is disabled; empty: it is not
  QString whyNotShortened() const; ///< as far as the selected record says; empty: it may be
  void open(std::vector<LockRecordPtr> locks, const std::optional<std::string> &holder, std::optional<milliseconds> shortenTo,
            std::vector<LockRecordPtr> hiding = {}, std::vector<LockRecordPtr> leftOut = {});
  void openMany(std::vector<HoldToRelease> holds, std::optional<ReleaseManyFlow::OfHolder> of = {}, std::vector<LockRecordPtr> leftOut = {});
  bool isMeant(const LockRecord &lock, const Holder &holder) const; ///< false: the filter names other holders of it
  std::size_t firstMeant(const LockRecord &lock, const std::vector<Holder> &holders) const;
};

} // namespace lockhouse::ui
