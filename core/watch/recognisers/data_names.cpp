// SPDX-License-Identifier: Apache-2.0
#include "core/watch/recognisers/data_names.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr double unsure = 0.4;

} // namespace

bool namesData(const NameEvidence &name) { return !name.lock && (name.contrary || name.attribute || name.data); }

void doubtAsData(LockRecord &draft) {
  draft.confidence = std::min(draft.confidence, unsure);
  draft.evidence.emplace_back("the name speaks of other data, whose members may have ends too");
}

} // namespace lockhouse
