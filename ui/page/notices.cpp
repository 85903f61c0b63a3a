// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/notices.h"

#include "ui/model/error_words.h"
#include "ui/page/verb_button.h"
#include "ui/page/window_actions.h"
#include "ui/widget/plain_text.h"

#include <QAction>
#include <QApplication>
#include <QMessageBox>
#include <QPushButton>

namespace lockhouse::ui {
namespace {

struct Notices {
  Q_DECLARE_TR_FUNCTIONS(Notices)
};

QMessageBox *make(QWidget &parent, const QString &title, const QString &sentence, const QString &next) {
  auto *box = new QMessageBox(&parent);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  box->setWindowTitle(title);
  box->setText(sentence);
  box->setInformativeText(next);
  return box;
}

} // namespace

void tell(QWidget &parent, const QString &title, const QString &sentence, const QString &next) {
  QMessageBox *box = make(parent, title, sentence, next);
  box->addButton(new VerbButton(Notices::tr("Close"), box), QMessageBox::RejectRole);
  box->open();
}

void tellKeys(const WindowActions &actions, QWidget &parent) {
  QStringList lines;
  for (const QAction *action : actions.all())
    if (!action->shortcut().isEmpty())
      lines << QStringLiteral("%1   %2").arg(action->shortcut().toString(QKeySequence::NativeText), actionName(action->text()));
  tell(parent, Notices::tr("Keys"), Notices::tr("Every key of this window"), lines.join(u'\n'));
}

void tellAbout(QWidget &parent) {
  tell(parent, Notices::tr("About Lockhouse"), Notices::tr("Lockhouse %1").arg(QApplication::applicationVersion()),
       Notices::tr(
           "See, understand and release the locks kept in Redis.\nThe console is free software under the GNU General Public License, version 3 or later."));
}

void tellFamilies(QWidget &parent, const Error &error) {
  tell(parent, Notices::tr("Families of your own"), errorSentence(error),
       Notices::tr("Locks of the built-in families alone are recognised until the file is mended and the console is opened again."));
}

void confirmChanges(QWidget &parent, std::function<void()> allowed) {
  QMessageBox *box = make(parent, Notices::tr("Allow changes?"), Notices::tr("Until now this console could only look."),
                          Notices::tr("If you allow changes, a release that you confirm is carried out on the server and kept in the audit log."));
  auto *allow = new VerbButton(Notices::tr("Allow changes"), box);
  auto *stay = new VerbButton(Notices::tr("Stay read-only"), box);
  box->addButton(allow, QMessageBox::AcceptRole);
  box->addButton(stay, QMessageBox::RejectRole);
  box->setDefaultButton(stay);
  box->setEscapeButton(stay);
  QObject::connect(allow, &QPushButton::clicked, &parent, std::move(allowed));
  box->open();
}

} // namespace lockhouse::ui
