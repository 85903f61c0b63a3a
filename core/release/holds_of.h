// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/lock_record.h"

namespace lockhouse {

/// The holds of `lock` that go where many are released: all, or those of `holder`. Of a Redisson thread these are its reads, its writes,
/// its values and its transactions, whatever they are named; readers first, so that nobody is let in between its read and its write.
std::vector<Holder> holdsOf(const LockRecord &lock, const std::optional<std::string> &holder);

} // namespace lockhouse
