// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/pages/primitive_info.h"

namespace lockhouse {

/// What is put together from primitives instead of being one: it has no key format and no scripts of its own, only an arrangement
/// of theirs: over several nodes (RedLock) or several names (MultiLock), of many keys on few locks (StripedLock), or with a lock of the
/// process behind it (FallbackLock).
const PrimitiveInfo &redLockInfo();
const PrimitiveInfo &multiLockInfo();
const PrimitiveInfo &stripedLockInfo();
const PrimitiveInfo &fallbackLockInfo();
/// All of them, in the order in which people are shown them.
std::span<const PrimitiveInfo> compositionInfos();

} // namespace lockhouse
