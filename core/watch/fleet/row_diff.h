// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_change.h"

#include <span>
#include <vector>

namespace lockhouse {

/// What happened to a lock, by the rows of its name: those that were told and those that there are now, each with the masters that it lies on, and
/// the changes of single masters since. Every row that was told is the `before` of one change, or stays as it is. Pure.
std::vector<LockChange> changesBetween(std::span<const LockRecordPtr> told, std::span<const LockRecordPtr> rows, std::span<const LockChange> raw);

} // namespace lockhouse
