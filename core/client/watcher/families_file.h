// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/watch/detect/family_registry.h"

#include <memory>
#include <string>

namespace lockhouse {

/// The families of a settings file (core/watch/detect/family_parser.h has its words) together with the built-in ones. `path` empty: the usual
/// one; null where that is not there. Error Usage: the file cannot be read, is longer than 1 MiB, or is wrong, and in which line.
/// Reads the file at once, on the calling thread. Redis: nothing.
Result<std::shared_ptr<const FamilyRegistry>> readFamilies(const std::string &path = {});

/// lockhouse/families.toml in $XDG_CONFIG_HOME or ~/.config; empty if neither is set.
std::string usualFamiliesPath();

} // namespace lockhouse
