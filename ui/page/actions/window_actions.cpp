// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/actions/window_actions.h"

#include "ui/model/locks/lock_presets.h"
#include "ui/widget/style/plain_text.h"

#include <QAction>
#include <QActionGroup>
#include <QKeySequence>

namespace lockhouse::ui {

WindowActions::WindowActions(QObject *parent) : QObject(parent) {
  quit = make(tr("&Quit"), QKeySequence::Quit, tr("Close Lockhouse; nothing in Redis changes"));
  copy = make(tr("&Copy"), QKeySequence::Copy, tr("Copy what is known of the selected lock as plain text"));
  filter = make(tr("&Filter"), QKeySequence(Qt::Key_Slash), tr("Type which locks to show"));
  freeze = make(tr("&Freeze"), QKeySequence(Qt::Key_Space), tr("Hold the table still; what changes meanwhile is counted"));
  doubtful =
      make(tr("&Doubtful rows"), {}, tr("Show what looks like data more than like a lock too; nothing that is done to all shown or to a holder touches it"));
  readOnly = make(tr("Read-&only"), QKeySequence(Qt::CTRL | Qt::Key_L), tr("While on, this console changes no lock; only a run of the lab on the demo writes"));
  release = make(tr("&Release…"), QKeySequence::Delete, tr("Plan the release of the selected lock; nothing happens before you say so"));
  shorten = make(tr("S&horten lease…"), QKeySequence(Qt::SHIFT | Qt::Key_Delete),
                 tr("Plan to let the lease of the selected lock end soon: a holder that renews in time keeps it; nothing happens before you say so"));
  makeBulk();
  details = make(tr("&Details"), QKeySequence(Qt::Key_Return), tr("Show what is known of the selected lock"));
  nodes = make(tr("&Nodes"), QKeySequence(Qt::ALT | Qt::Key_7), tr("Which servers are watched, and how well"));
  lab = make(tr("&Lab"), QKeySequence(Qt::ALT | Qt::Key_8), tr("Run virtual clients against a lock and check it"));
  nextPane = make(tr("Next &pane"), QKeySequence(Qt::Key_F6), tr("Move the keyboard to the next part of the window"));
  previousPane = make(tr("Pre&vious pane"), QKeySequence(Qt::SHIFT | Qt::Key_F6), tr("Move the keyboard to the previous part of the window"));
  restoreLayout = make(tr("&Restore default layout"), {}, tr("Put the docks and columns back where they were at first"));
  keys = make(tr("&Keys"), QKeySequence::HelpContents, tr("Every key of this window"));
  about = make(tr("&About Lockhouse"), {}, tr("Version and licence"));
  followDesktop = make(tr("&Follow the desktop"), {}, tr("Light or dark as the desktop is"));
  light = make(tr("&Light"), {}, tr("Light surfaces"));
  dark = make(tr("&Dark"), {}, tr("Dark surfaces"));
  makeViews();

  freeze->setCheckable(true);
  doubtful->setCheckable(true);
  readOnly->setCheckable(true);
  readOnly->setChecked(true);
  auto *appearance = new QActionGroup(this);
  for (QAction *action : {followDesktop, light, dark}) {
    action->setCheckable(true);
    appearance->addAction(action);
  }
}

void WindowActions::makeBulk() {
  releaseSelected = make(tr("Release &selected…"), {}, tr("Plan the release of every selected lock; nothing happens before you say so"));
  releaseShown = make(tr("Release &all shown…"), {}, tr("Plan the release of every lock that the view and the filter show; nothing happens before you say so"));
  releaseHolder =
      make(tr("Release all of this h&older…"), {}, tr("Plan the release of everything that this lock's holder has; nothing happens before you say so"));
}

void WindowActions::makeViews() {
  int number = Qt::Key_1;
  for (const LockPreset &view : lockPresets())
    views.push_back(make(withoutMnemonics(view.title), QKeySequence(Qt::ALT | static_cast<Qt::Key>(number++)), view.explanation));
}

QAction *WindowActions::make(const QString &text, const QKeySequence &key, const QString &tip) {
  auto *action = new QAction(text, this);
  action->setShortcut(key);
  action->setStatusTip(tip);
  action->setToolTip(plainToolTip(tip));
  action->setWhatsThis(plainToolTip(tip));
  return action;
}

std::vector<QAction *> WindowActions::all() const {
  std::vector<QAction *> actions;
  for (QAction *action : findChildren<QAction *>(Qt::FindDirectChildrenOnly))
    actions.push_back(action);
  return actions;
}

} // namespace lockhouse::ui
