// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/result/script_result.h"

namespace lockhouse {

/// Others may have come or gone by the time a plan's script ran: what it did then, by its answer, in place of what was planned. Of scripts that
/// do not tell, the plan stays as it is.
void tellDone(ReleasePlan &plan, const ScriptResult &answer);

} // namespace lockhouse
