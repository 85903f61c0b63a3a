// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/release/plan/release_plan.h"
#include "core/watch/detect/family_registry.h"

#include <QString>

namespace lockhouse::ui {

/// What came of a release, in words for people.

/// Of the audit log, for what was tried there: "released", "changed, not released", "no outcome recorded" …
QString verdictWord(std::string_view verdict, std::string_view action = "release");
/// "Released", "Changed meanwhile, not released"; of a lease that was to be shortened in the words of that.
QString verdictTitle(const ReleaseResult &result, const ReleaseIntent &intent);
QString verdictExplanation(const ReleaseResult &result); ///< one or two sentences: what was done to the lock, what was not
QString holderNow(const ReleaseResult &result);          ///< who has it now: "held by web-3:17, count 1", "nobody"
QString leaseLength(milliseconds length);                ///< "10 s", "1 min": whole units, as one chooses them
QString reportOf(const ReleaseResult &result, const ReleaseIntent &intent, const FamilyRegistry &families); ///< plain text for a ticket

} // namespace lockhouse::ui
