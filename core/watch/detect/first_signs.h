// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace lockhouse {

/// What a first look at a key can tell, before it is read whole: each by the recogniser that makes a lock of it.

/// Whether a string of this name is worth reading however long it is: what its holder writes there may be.
bool namesHolder(std::string_view key);

/// Whether a string of this name and value could be a token mutex at all: the first look of a sweep, before its time to live is known.
/// `evenOfMany`: also under names of sessions and the like, whose tokens are too many for each to be read.
bool mayBeToken(std::string_view key, std::string_view value, bool evenOfMany = false);

/// Whether a field may be one of RFasterMultiLock's three.
bool mayBeLockedValue(std::string_view field);

/// Whether a string opens as suo's packed holders do.
bool mayBeSuo(std::string_view value);
/// Whether suo's packed holders may be as long as that, in bytes.
bool mayBeSuoOf(std::size_t size);

} // namespace lockhouse
