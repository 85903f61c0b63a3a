// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string_view>

namespace lockhouse::ui {

/// A fact of a record's evidence in the language of the window; as core wrote it (made safe) where no translation knows it.
QString evidenceText(std::string_view fact);

} // namespace lockhouse::ui
