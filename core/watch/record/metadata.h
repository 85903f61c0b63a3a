// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_record.h"
#include "core/watch/text/pattern.h"

#include <array>

namespace lockhouse {

/// Captures that are told as they are, by their names.
inline constexpr std::array<std::string_view, 15> plainMetadata{"host",  "pid", "thread",   "worker",    "instance", "process", "job",    "task",
                                                                "queue", "app", "registry", "scheduler", "note",     "value",   "session"};

/// Of a Redisson lock: how many of its waiters are clients of 2016, which listen to a channel of another name (redisson::oldLockChannel, oldRwChannel).
inline constexpr std::string_view oldClients = "old_clients";

/// What the evidence of a string says of its time to live.
inline constexpr auto hasLease = LH_MESSAGE("Evidence", "it has a lease"), neverExpires = LH_MESSAGE("Evidence", "it never expires");

/// The evidence of a count that is one and is none of its library's: 0 or less. Its holder's client frees it all the same.
inline constexpr auto unwrittenCount = LH_MESSAGE("Evidence", "its count is %1, which its library never writes");
/// Of what stands in a count's place and is none.
inline constexpr auto tooLargeCount = LH_MESSAGE("Evidence", "its count is %1, more than a count can be");
inline constexpr auto noCount = LH_MESSAGE("Evidence", "its count is no number");
inline constexpr auto timeAsCount = LH_MESSAGE("Evidence", "its count is a time, such as that at which a client was last seen");
/// Of a companion key.
inline constexpr auto companionIsMissing = LH_MESSAGE("Evidence", "%1 beside it is missing");

/// What captures tell a person beside who holds a lock, by their names:
///   since, until  times, whatever their form; told as 2026-11-21T10:00:00.000Z
///   v1            a time-based UUID: told as since, and as mac where it holds the address of a network card
///   snowflake     a number of Lockhouse's: told as since and worker
///   info          what stands between the braces of a job's JSON: told as since, queue and worker, where it names them
///   those of plainMetadata  as they are
/// Others are told nothing of, nor is a since that cannot be one at the server's time `now` (see mayBePast).
std::vector<MetadataEntry> metadataOf(const Captures &captures, milliseconds now);

/// Adds those of one more holder, the `index`th, to `all`: values of one name in the order of the holders, of more than eight the first.
void joinMetadata(std::vector<MetadataEntry> &all, std::vector<MetadataEntry> more, std::size_t index);

} // namespace lockhouse
