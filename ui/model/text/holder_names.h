// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_record.h"

#include <QString>

#include <string_view>

class QFontMetrics;

namespace lockhouse::ui {

/// Who holds a lock, as text that is safe to show. What no person reads, as a hash or a random token, is told by its ends; what names
/// a machine or a process is told whole: a few letters of it are those of the next machine, too.

QString holderName(std::string_view family, std::string_view id); ///< as users of his library know him
QString holderName(std::string_view id);                          ///< "web-3:17", "7f3a9c…e1"
QString holderSummary(const LockRecord &record);                  ///< one holder by name, several as "3 readers", none "—"
QString wholeHolders(const LockRecord &record);                   ///< the bytes of each, one a line; of many the first ones
/// `name` in `width`: of the name of a machine first its domain is cut, and of any other more of the end is left than of the beginning.
QString fittingHolder(const QString &name, const QFontMetrics &metrics, int width);

} // namespace lockhouse::ui
