// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Qt>

namespace lockhouse::ui {

/// What a cell of a DockTable may say of itself beside its text.

constexpr int wholeEndRole = Qt::UserRole + 1;    ///< QString: the end of its text that stays whole when the text before it is elided
constexpr int needsPersonRole = Qt::UserRole + 2; ///< bool: it says what went wrong, or will
constexpr int amissRole = Qt::UserRole + 3;       ///< bool: it is of a row that is not as it should be, which a cell of it says in words
constexpr int namesHolderRole = Qt::UserRole + 4; ///< bool: its text is a holder's name, to be cut as such

} // namespace lockhouse::ui
