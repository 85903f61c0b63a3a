// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace lockhouse::ui {

/// What a plan, a refusal or an outcome says in English, %1 … being what was filled in. The translations have all of it, in the context PlanWords.
std::span<const char *const> planPhrases();
/// Of these what opens with a verdict: released, changed, already free, refused.
std::span<const char *const> verdictPhrases();

} // namespace lockhouse::ui
