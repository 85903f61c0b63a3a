// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lock/pages/primitive_info.h"

#include <QString>

namespace lockhouse::ui {

QString primitiveSummary(const PrimitiveInfo &info); ///< what it is, in the user's language

} // namespace lockhouse::ui
