// SPDX-License-Identifier: Apache-2.0
// The whole product, which takes long: the label topologies.
#include "tests/contract/world/extent.h"

lockhouse::test::Extent lockhouse::test::extent() { return {.everyTopology = true}; }
