// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/arguments.h"
#include "core/watch/families.h"

namespace lockhouse::ctl {

/// The families of the settings file together with the built-in ones; null where there is no file and none was named. Error Usage says
/// what is wrong in which line, or why the file cannot be read.
Result<std::shared_ptr<const Families>> userFamilies(const Arguments &arguments);

/// lockhouse/families.toml in $XDG_CONFIG_HOME or ~/.config; empty if neither is set.
std::string usualFamiliesPath();

} // namespace lockhouse::ctl
