// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family_registry.h"

namespace lockhouse::test {

inline std::optional<LockRecord> recognise(const KeyFacts &facts) { return FamilyRegistry::builtIn().recognise(facts); }

} // namespace lockhouse::test
