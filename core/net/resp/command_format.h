// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"

#include <string>

namespace lockhouse {

/// Appends `command` to `out` as Redis reads it: an array of bulk strings, always length-prefixed, never inline.
void appendCommand(std::string &out, const Command &command);

/// The EVAL that stands for the EVALSHA `command` of its script().
Command evalOf(const Command &command);

} // namespace lockhouse
