// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/release/plan/release_plan.h"

#include <QString>

#include <string>
#include <string_view>

namespace lockhouse::ui {

/// One word of a POSIX shell's command line that stands for exactly these bytes: plain, in single quotes, or, when it holds control
/// characters or is not UTF-8, as bash's and zsh's $'…'. The result is printable UTF-8. None stands for a NUL byte.
QString shellWord(std::string_view bytes);

/// The lockhousectl command line that does what `intent` says on the node at `url`: --apply when it has a reason, --plan otherwise.
QString releaseCommand(std::string_view url, const ReleaseIntent &intent);

/// The script call as people read it: its name, keys, what it expects, and how long a lease that is shortened lasts; one a line.
QString scriptText(const ReleasePlan &plan, std::optional<milliseconds> shortenTo = {});

} // namespace lockhouse::ui
