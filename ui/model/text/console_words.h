// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace lockhouse::ui {

/// What the engine advises by a verb of the command line, by what the console's menu has for it.
QString inConsoleWords(QString sentence);

} // namespace lockhouse::ui
