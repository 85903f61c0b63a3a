// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/actions/notices.h"

#include "ui/model/text/error_words.h"
#include "ui/page/actions/window_actions.h"
#include "ui/widget/parts/verb_button.h"
#include "ui/widget/style/plain_text.h"

#include <QAction>
#include <QApplication>
#include <QGridLayout>
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

// Wide enough for its title, in which the desktop names the program too, and its button.
void widen(QMessageBox &box) {
  constexpr int letters = 56;
  auto *grid = qobject_cast<QGridLayout *>(box.layout());
  if (grid)
    grid->addItem(new QSpacerItem(box.fontMetrics().averageCharWidth() * letters, 0), grid->rowCount(), 0, 1, grid->columnCount());
}

void ask(QMessageBox *box, const QString &yes, std::function<void()> allowed) {
  auto *allow = new VerbButton(yes, box);
  auto *stay = new VerbButton(Notices::tr("Stay read-only"), box);
  box->addButton(allow, QMessageBox::AcceptRole);
  box->addButton(stay, QMessageBox::RejectRole);
  box->setDefaultButton(stay);
  box->setEscapeButton(stay);
  QObject::connect(allow, &QPushButton::clicked, box, std::move(allowed));
  widen(*box);
  box->open();
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
  ask(make(parent, Notices::tr("Allow changes?"), Notices::tr("Until now this console could only look."),
           Notices::tr("If you allow changes, each release and each shorter lease that you confirm is carried out on the server and kept in the audit log, "
                       "until you make the console read-only again.")),
      Notices::tr("Allow changes"), std::move(allowed));
}

void confirmOnce(QWidget &parent, const QString &what, std::function<void()> allowed) {
  ask(make(parent, Notices::tr("Allow this once?"), what,
           Notices::tr(
               "This console is read-only. Allowed is this alone, this once; it is kept in the audit log, and the console is read-only again afterwards.")),
      Notices::tr("Allow it once"), std::move(allowed));
}

} // namespace lockhouse::ui
