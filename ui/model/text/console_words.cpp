// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/console_words.h"

#include <QCoreApplication>

namespace lockhouse::ui {

QString inConsoleWords(QString sentence) {
  const QString action = QStringLiteral("release --all --holder");
  if (!sentence.contains(action))
    return sentence;
  const QString menu = QCoreApplication::translate("ConsoleWords", "Lock › Release all of this holder");
  return sentence.replace(action + QStringLiteral(" of this token"), menu).replace(action, menu);
}

} // namespace lockhouse::ui
