// SPDX-License-Identifier: Apache-2.0
#include "core/lock/pages/composition.h"

#include "core/lock/pages/fallback_lock.toml.h"
#include "core/lock/pages/multi_lock.toml.h"
#include "core/lock/pages/red_lock.toml.h"
#include "core/lock/pages/striped_lock.toml.h"

namespace lockhouse {
namespace {

constexpr std::array infos{pages::redLock, pages::multiLock, pages::stripedLock, pages::fallbackLock};

} // namespace

const PrimitiveInfo &redLockInfo() { return infos[0]; }
const PrimitiveInfo &multiLockInfo() { return infos[1]; }
const PrimitiveInfo &stripedLockInfo() { return infos[2]; }
const PrimitiveInfo &fallbackLockInfo() { return infos[3]; }
std::span<const PrimitiveInfo> compositionInfos() { return infos; }

} // namespace lockhouse
