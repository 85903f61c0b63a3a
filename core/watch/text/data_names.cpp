// SPDX-License-Identifier: Apache-2.0
#include "core/watch/text/data_names.h"

namespace lockhouse {

bool namesData(const NameEvidence &name) { return !name.lock && (name.contrary || name.attribute || name.data); }

} // namespace lockhouse
