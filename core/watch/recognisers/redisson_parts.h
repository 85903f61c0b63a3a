// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/key_facts.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockhouse {

/// What the recognisers of Redisson's locks have in common.

/// So many clients listen for the end of the hold, one subscription each however many of their threads wait. None listening proves
/// nothing: who asks again and again waits too.
void noteListeners(std::uint64_t clients, LockRecord &draft);
void noteListeners(std::uint64_t clients, std::uint64_t old, LockRecord &draft); ///< the latter clients of 2016, on a channel of their own

/// Whether more than a hash's own bytes speak for a lock of Redisson's: its name, a key beside it, somebody who listens.
bool isSupported(const KeyFacts &facts);

/// Whether an owner of Redisson's form is of a client as it names itself: by a random UUID.
bool isOfRandomClient(std::string_view owner);

/// The client and the thread of each of its holders, who are Redisson's.
void addOwners(LockRecord &draft);

/// Says once what stands there as a count and is none: 0 or less, more than a number can be, or no number.
void noteOddCount(std::string_view value, LockRecord &draft);

} // namespace lockhouse
