// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/lock_record.h"

namespace lockhouse {

/// What a person should weigh before taking `holder`'s hold away, in plain sentences, the gravest first. Nothing is claimed that
/// the record does not show.
std::vector<std::string> releaseRisks(const LockRecord &record, const Holder &holder, SteadyTime now);

} // namespace lockhouse
