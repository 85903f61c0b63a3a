// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/watch/detect/key_facts.h"

namespace lockhouse {

constexpr std::size_t mostRead = 1000; ///< entries of a key; how many there are is told exactly

/// What a key of this type holds, bounded: GETRANGE, HSCAN, LRANGE, SSCAN, ZRANGE.
Command contentOf(ValueType type, const std::string &key);
/// The end of a sorted set: those of the highest scores, bounded.
Command endOfSorted(const std::string &key);
/// How much that is: STRLEN, HLEN, LLEN, SCARD, ZCARD.
Command sizeOf(ValueType type, const std::string &key);
/// The answer to contentOf() or endOfSorted(): a string's `value`, or `members`; of a hash its fields, with values that are numbers as scores.
void takeContent(ValueType type, const Reply &reply, std::string &value, std::vector<Member> &members);
/// A value of a hash's field, of which no more is kept than tells its form: of a long one both ends.
std::string shortened(const std::string &value);
/// The answer to PTTL of a key that is there: nothing if it never expires. A library's "for ever" of a thousand years is cut to a hundred,
/// which our clocks can count.
std::optional<milliseconds> leaseOf(const Reply &reply);
/// How much the key holds, by the answer to contentOf() or endOfSorted(); nothing if there may be more than was asked for.
std::optional<std::uint64_t> wholeSize(ValueType type, const Reply &reply);
std::uint64_t countOf(const Reply &reply); ///< the answer to sizeOf(); 0 for what is no number

} // namespace lockhouse
