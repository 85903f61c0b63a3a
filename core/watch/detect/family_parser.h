// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/watch/detect/family.h"

namespace lockhouse {

/// Reads families from the text of a settings file (TOML), the built-in ones and the users' alike. A file has `[[family]]` entries:
///   slug      lower-case letters, digits and dashes, the library first; required
///   title, about, source, advice (a list)  for people
///   short     the title where there is little room; if not said, the title up to its bracket
///   kind      mutex, reentrant, fair, read-write, semaphore or latch; mutex if not said
///   release   letters of releaseClasses; A if not said
///   waits     unseen, never, channel, queue or blocked; unseen if not said
///   channel   the pattern of the channel that its waiters listen to: they are told the name of the lock
///   also_channel  the same, of other versions of the library: both are told
///   lease_ms, renewed_every_ms  the lease where a user of the library chose none, and how often it is then renewed: both or neither
///   shares_token  true or false: one token may lie under several keys
///   repeats_holder  true or false: what stands for a holder is the same in each of his holds, so that one cannot be told from the next
/// each with at least one `[[family.form]]`:
///   type      string, hash, zset, set or list; required
///   key       pattern of the name; any if not said
///   value     pattern of a string's value or a hash's values
///   field     pattern of a hash's fields
///   member    pattern of a zset's, set's or list's members
///   score     until, until_s, since, since_s or order: what a zset's scores are
///   mode      exclusive, read or write
///   confidence  0 to 1; required
///   evidence  in words
///   release, advice  of locks of these names, where they are freed in another way than the family's: its letters, and what is to be minded besides;
///             B and C stand with the family
///   named_lock, amid_others, lone, leased, waiting, witnessed  true or false, see Form
/// and any number of `[[family.beside]]`: key (a pattern), type, role, of a witness that is a hash `field`, without which it is none, and
/// of a queue `wake`, the entry that only wakes who is blocked on it and is no waiter, and `waiters` (a list of patterns), one of which each who
/// stands in it fits: such a queue tells of a lock that nobody holds; of a member `opening`, without which its name leads to the lock only
/// where its value is the lock's. What these are is read by what is common to all families (queue, deadlines, fence), or by a family's
/// own recogniser (permits, readers, member), which a user's has none of: there they are no rows, that is all. A key that both a user's form
/// and one of these fits lies beside.
/// Captures of values that are decoded for people: see extras.h.
///
/// Error Usage names `file`, the line and what to write instead: what is no TOML, an unknown word, a bad pattern, a slug twice.
/// Of a user's file (`taken`: the families that there are already) also a slug that is taken, and what could never come to anything: B
/// without a channel, C without a signal beside it, a zset without scores, a name beside a lock that no form's name can make, that is
/// empty, the lock's own or there twice, a witness that there is none of, waiters blocked on no list, a channel of nobody.
/// Texts for people come as safeText().
Result<std::vector<Family>> readFamilies(std::string_view text, std::string_view file, std::span<const Family> taken = {});

} // namespace lockhouse
