// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/locks/lock_row.h"

#include <QString>

namespace lockhouse::ui {

/// What there is to say about a lock, in two or three plain sentences: who holds it, for how long, how deep, whether it renews,
/// who waits. What matters most is marked with strong() (see strong_text.h).
QString lockSentence(const LockRow &row, SteadyTime now);

/// Of a vote that nobody has won: on how many masters tokens of how many lie.
QString splitSentence(const LockRecord &record);

/// Why nobody can tell how many wait for a lock whose `waiters` are unknown; of a family that nobody waits for, just that.
QString waitersUnknown(const LockRow &row);

/// The same facts, one a line and unmarked, for the clipboard.
QString lockAsText(const LockRow &row, SteadyTime now);

} // namespace lockhouse::ui
