// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/actions/message_boxes.h"

#include "ui/model/text/message_text.h"
#include "ui/page/actions/window_actions.h"
#include "ui/widget/parts/action_button.h"
#include "ui/widget/style/plain_text.h"

#include <QAction>
#include <QApplication>
#include <QGridLayout>
#include <QMessageBox>
#include <QPushButton>

namespace lockhouse::ui {
namespace {

struct MessageBoxes {
  Q_DECLARE_TR_FUNCTIONS(MessageBoxes)
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
  auto *allow = new ActionButton(yes, box);
  auto *stay = new ActionButton(MessageBoxes::tr("Stay read-only"), box);
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
  box->addButton(new ActionButton(MessageBoxes::tr("Close"), box), QMessageBox::RejectRole);
  box->open();
}

void tellKeys(const WindowActions &actions, QWidget &parent) {
  QStringList lines;
  for (const QAction *action : actions.all())
    if (!action->shortcut().isEmpty())
      lines << QStringLiteral("%1   %2").arg(action->shortcut().toString(QKeySequence::NativeText), actionName(action->text()));
  tell(parent, MessageBoxes::tr("Keys"), MessageBoxes::tr("Every key of this window"), lines.join(u'\n'));
}

void tellAbout(QWidget &parent) {
  tell(parent, MessageBoxes::tr("About Lockhouse"), MessageBoxes::tr("Lockhouse %1").arg(QApplication::applicationVersion()),
       MessageBoxes::tr(
           "See, understand and release the locks kept in Redis.\nThe console is free software under the GNU General Public License, version 3 or later."));
}

void tellFamilies(QWidget &parent, const Error &error) {
  tell(parent, MessageBoxes::tr("Families of your own"), errorText(error),
       MessageBoxes::tr("Locks of the built-in families alone are recognised until the file is mended and the console is opened again."));
}

void confirmChanges(QWidget &parent, std::function<void()> allowed) {
  ask(make(
          parent, MessageBoxes::tr("Allow changes?"), MessageBoxes::tr("Until now this console could only look."),
          MessageBoxes::tr("If you allow changes, each release and each shorter lease that you confirm is carried out on the server and kept in the audit log, "
                           "until you make the console read-only again.")),
      MessageBoxes::tr("Allow changes"), std::move(allowed));
}

void confirmOnce(QWidget &parent, const QString &what, std::function<void()> allowed) {
  ask(make(parent, MessageBoxes::tr("Allow this once?"), what,
           MessageBoxes::tr(
               "This console is read-only. Allowed is this alone, this once; it is kept in the audit log, and the console is read-only again afterwards.")),
      MessageBoxes::tr("Allow it once"), std::move(allowed));
}

} // namespace lockhouse::ui
