// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/page/release/release_many_flow.h"

#include <QString>

namespace lockhouse::ui {

/// Of which time a plan is, and what has gone on since, in sentences; empty where there is nothing to say.
QString newsWords(const NewsSincePlan &news);
QString readAtWords(WallTime readAt);          ///< of one lock
QString manyNews(const ReleaseManyFlow &flow); ///< of many: both

/// Of a row whose token lies on too few masters, or under too few of its keys: what a plan means by its holder.
QString minorityWords(const LockRecord &seen);

} // namespace lockhouse::ui
