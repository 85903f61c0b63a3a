// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/watch/text/name_classifier.h"

namespace lockhouse {

/// Few locks are held for longer. A key with a longer lease is more often other data.
constexpr milliseconds longestHold = std::chrono::minutes(5);

/// Whether a name speaks of application data and of no lock: "sessions:user:9", "uploads:recent".
inline bool namesData(const NameEvidence &name) { return !name.lock && (name.contrary || name.attribute || name.data); }

} // namespace lockhouse
