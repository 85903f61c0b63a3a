// SPDX-License-Identifier: Apache-2.0
// The label soak.
#include "tests/contract/world/extent.h"

lockhouse::test::Extent lockhouse::test::extent() { return {.races = 100'000}; }
