// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/watch/text/name_classifier.h"

namespace lockhouse {

/// How long most locks are taken for at most; what lies there longer is other data more often.
constexpr milliseconds longestHold = std::chrono::minutes(5);

/// Whether a name speaks of data that applications keep, and of no lock: "sessions:user:9", "uploads:recent".
bool namesData(const NameEvidence &name);

} // namespace lockhouse
