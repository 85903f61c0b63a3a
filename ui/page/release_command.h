// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/release/release_plan.h"

#include <QString>

#include <string>
#include <string_view>

namespace lockhouse::ui {

/// One word of a POSIX shell's command line that stands for exactly these bytes: plain, in single quotes, or, when it holds control
/// characters or is not UTF-8, as bash's and zsh's $'…'. The result is printable UTF-8.
QString shellWord(std::string_view bytes);

/// The URL of a lock's node as far as its name tells: plain TCP or a Unix socket; never with a user or a password.
std::string urlOf(const LockId &lock);

/// The lockhousectl command line that does what `intent` says: --apply when it has a reason, --plan otherwise.
QString releaseCommand(const ReleaseIntent &intent);

/// The script call as people read it: its name, keys and what it expects, one a line.
QString scriptText(const ReleasePlan &plan);

} // namespace lockhouse::ui
