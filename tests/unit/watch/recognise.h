// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/families.h"

namespace lockhouse::test {

inline std::optional<LockRecord> recognise(const KeyFacts &facts) { return Families::builtIn().recognise(facts); }

} // namespace lockhouse::test
