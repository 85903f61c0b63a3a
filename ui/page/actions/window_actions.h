// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <vector>

class QAction;
class QKeySequence;

namespace lockhouse::ui {

/// Every command of the window, once: menus, buttons and keys share these.
class WindowActions : public QObject {
  Q_OBJECT

public:
  explicit WindowActions(QObject *parent);

  QAction *quit, *copy, *filter, *freeze, *readOnly, *release, *shorten, *releaseSelected, *releaseShown, *releaseHolder, *details, *lab, *nodes, *nextPane,
      *previousPane;
  QAction *doubtful, *restoreLayout, *keys, *about;
  QAction *followDesktop, *light, *dark; ///< exclusive
  std::vector<QAction *> views;          ///< one each of lockPresets(), Alt+1 …

  std::vector<QAction *> all() const;

private:
  QAction *make(const QString &text, const QKeySequence &key, const QString &tip);
  void makeViews();
  void makeBulk();
};

} // namespace lockhouse::ui
