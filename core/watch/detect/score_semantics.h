// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family.h"
#include "core/watch/detect/key_facts.h"

namespace lockhouse {

/// How the scores of a sorted set's members are read as times.

/// Whether it is a number that can be a time of ours: of the years 2010 to 2100. `unit`: milliseconds in one, see unitOf().
bool isTime(double score, double unit);
bool isEnd(ScoreMeaning meaning);   ///< of a lease
bool isStart(ScoreMeaning meaning); ///< of a hold, or its last refresh
double unitOf(ScoreMeaning meaning);

/// Up to when a member may have refreshed, by the clocks of clients, which may be ahead: the ends of leases lie further ahead than that.
milliseconds lastRefresh(const Form &form, const KeyFacts &facts);
/// Whether one who could be a holder by this form, whose scores are times of taking or refresh, has one that lies further ahead than any clock, and no
/// further than his key lives: then all of them are ends of leases, however many have lapsed.
bool holdsEnds(const Form &form, const KeyFacts &facts);
bool scoreFits(ScoreMeaning meaning, double score, milliseconds lastRefresh);

/// Of scores that a form reads as ends: whether none lies further ahead than the clock of somebody who took the lock just now may be, so that they may as
/// well be the times at which it was taken. Not of those that were seen to be ends before, nor where one is the end of its key.
bool mayBeTimesOfTaking(ScoreMeaning ends, const KeyFacts &facts);

/// When what is due, or came, is kept in sorted sets too: "lock:schedule", "lock:expirations:7"; and until when one may wait: "semaphore:queue".
/// Of forms that are known by a word in the name, or by the textbook's own names.
bool namesTimes(const Form &form, std::string_view key);

} // namespace lockhouse
