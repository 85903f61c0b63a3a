// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace lockhouse::ui {

/// Emphasis inside plain text: two control characters, which safeText() never lets through, so that no name can fake it.
inline constexpr QChar strongBegins(u'\x02');
inline constexpr QChar strongEnds(u'\x03');

inline QString strong(const QString &text) { return strongBegins + text + strongEnds; }

/// `text` without the marks.
inline QString withoutStrong(QString text) { return text.remove(strongBegins).remove(strongEnds); }

} // namespace lockhouse::ui
