// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Qt>

namespace lockhouse::ui {

/// QString: the end of a cell's text that stays whole when the text before it is elided.
constexpr int wholeEndRole = Qt::UserRole + 1;

} // namespace lockhouse::ui
