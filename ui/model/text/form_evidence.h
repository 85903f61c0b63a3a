// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace lockhouse::ui {

/// By which names and values the libraries' locks are known, as their families' forms and recognisers say it: the phrases in English, whose
/// translations are in the context "Evidence".
std::span<const char *const> formEvidence();

} // namespace lockhouse::ui
