// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <QString>

#include <functional>

class QWidget;

namespace lockhouse::ui {

class WindowActions;

/// Small message boxes; all of them plain text, with verbs on the buttons.
void tell(QWidget &parent, const QString &title, const QString &sentence, const QString &next);
void tellKeys(const WindowActions &actions, QWidget &parent);
void tellAbout(QWidget &parent);
/// That the settings file with families of one's own is wrong, and that the built-in ones are shown without them.
void tellFamilies(QWidget &parent, const Error &error);
/// Asks before this console may write; the safe answer has the focus. `allowed` runs if the answer is yes.
void confirmChanges(QWidget &parent, std::function<void()> allowed);
/// The same for one change alone: `what`, as a question.
void confirmOnce(QWidget &parent, const QString &what, std::function<void()> allowed);

} // namespace lockhouse::ui
