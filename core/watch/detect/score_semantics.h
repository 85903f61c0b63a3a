// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family.h"
#include "core/watch/detect/key_facts.h"

namespace lockhouse {

// How the scores of a sorted set are read as times.

/// Whether a score can be a time of the years 2010 to 2100. `unit`: how many milliseconds it counts, see unitOf().
bool isTime(double score, double unit);
bool isEnd(ScoreMeaning meaning);   ///< the time is the end of a lease
bool isStart(ScoreMeaning meaning); ///< the time is the start of a hold or its last refresh
double unitOf(ScoreMeaning meaning);

/// The latest time that a refresh may have: the clock of a client may be ahead. A later time is the end of a lease.
milliseconds lastRefresh(const Form &form, const KeyFacts &facts);
/// Whether the scores of a form with start times are ends of leases. They are if one holder's score is later than any client's clock, and not later
/// than the end of the key.
bool holdsEnds(const Form &form, const KeyFacts &facts);
bool scoreFits(ScoreMeaning meaning, double score, milliseconds lastRefresh);

/// Whether the scores of a form with ends may be start times: none is later than the clock of a client that took the lock just now. False if they were
/// ends before, or if one is the end of the key.
bool mayBeStarts(ScoreMeaning ends, const KeyFacts &facts);

/// Whether a name that the form takes for a lock names a sorted set of other times: "lock:schedule", "lock:expirations:7", "semaphore:queue". Only for
/// forms that go by a word in the name, or by the names of a textbook.
bool namesTimes(const Form &form, std::string_view key);

} // namespace lockhouse
