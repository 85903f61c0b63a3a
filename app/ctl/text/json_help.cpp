// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/json_help.h"

namespace lockhouse::ctl {

std::string_view jsonHelp() {
  return R"text(The JSON of lockhousectl. Fields are added over time, never renamed or dropped. Times are milliseconds. Where bytes are not
UTF-8, the field holds safe text and a field of the same name with _b64 behind it holds the exact bytes in base64.

lock: one lock as it was seen
  node            id of the node
  db              number of the database
  key             the lock's key (key_b64)
  family          a slug that lockhousectl families lists: token, redisson-lock, shedlock …
  kind            mutex, reentrant, fair, read-write, semaphore, latch
  state           held, contended, waiting, expiring, never-expires, suspect, stale
  holders         list of id (id_b64; empty where nothing names who they are), count and, for read-write locks, mode: read or write; ttl_ms, where
                  each has a lease of his own; bytes, where id is only the first of so many; empty where nobody holds it, and where
                  nothing tells who does: a number of free permits, or left to count down, is in extras
  ttl_ms          time left of the lease; null = never expires
  waiters         how many wait; null = unknown
  queue           waiters in order, the first 1 000 of them: id (id_b64), deadline_ms from now, null = unknown;
                  below 0: it has lapsed, and is none of the waiters
  fence           fencing counter, or null
  confidence      0 to 1: how surely this is a lock of this family; below 0.5 only with --all
  evidence        facts in words
  seen_ms_ago     age of the observation
  extras          what its bytes tell beside: since, until, host, pid, mac, instance, thread, permit (of several holders in their order), job …;
                  free: permits that are left; below 0: more are out than the capacity says now; left: what a latch counts down;
                  old_clients: how many of a Redisson lock's waiters are clients of 2016 (show and release alone count them)
  may_be          slugs of other families whose locks lie there alike
  members         of a Redlock, whose token lies on several masters: each node, db and ttl_ms and, where the holder there is another
                  than on most masters or has another count, holder: its id (id_b64) and count. One whom the majority keeps out has
                  no row of his own and is none of the holders; his member comes last. Where several hold it, readers or permits,
                  holders are those of whom each lies on most masters; a member with others has holder, or holders where they are
                  several. Of a vote that nobody won each has its own, all of them are in holders, and the state is suspect.
                  Empty: it lies on node alone, and is held. Of three masters or more a token on one alone has that member where
                  its name or library is a Redlock's (redlock:…, redlock-net, redsync …). Its ttl_ms is that of the majority;
                  without a majority its state is suspect. So it is of a lock of several keys that the masters of a cluster share
                  among them
  waiters_at_least  whether more may wait than waiters says: clients that listen were counted, of which each may have several who wait

list, show: {nodes, locks}
  nodes           id, address, role, run_id, state (live, stale, down), feed (tracking, keyspace, poll:
                  nothing announces changes, as for list and show, which look once), scan {complete, keys_scanned,
                  keys_refused: by the user's rights, or since a cluster is down or moving their slots, locks among them are not shown,
                  keys_cut: too long to be read whole, locks in them may not be shown, age_ms,
                  slots_moved: slots of its cluster moved while it was looked at, locks in them may be missing;
                  null: not known, for CLUSTER NODES is refused},
                  error (a sentence, or null), unwatched_dbs (databases of this server that hold keys and no --url names),
                  cluster_masters (of a cluster, how many masters serve its slots, watched or not; null: of none, or it did not say)
  locks           list of lock
  left_out        how many more look like data rather than like locks (confidence below 0.5): --all shows them too
  beside          of show: null, or, where the key asked for is no lock itself but lies beside the one that is shown: its key (key_b64)
                  and role: queue, deadlines, fence, permits, readers, lease of a reader, signal, member, part

watch: one object a line for each change
  seq             number of the change
  at_ms           wall clock, since 1970
  node, db, key   which lock
  change          appeared, holder, count (or its fence), lease (it was renewed), shortened (it ends sooner, which is no renewal),
                  waiters, members (of a lock on several masters: which of them have it; of a token: that it lies under other keys
                  too, by which family and may_be are known better), vanished, stale, live.
                  A lock on several masters has one event for what happens to it, not one of each master
  cause           of vanished, and where some masters let go of it: released (by the console that tells it), deleted and
                  evicted (where keyspace notifications tell), expired, flushed, replaced; null = unknown: the feed "tracking" says
                  that a key changed, not how
  before, after   lock, or null

release, shorten: {results, unread, nodes, warnings, mark}
  results         one for each node; of many, for each hold and node; empty where nothing of what is meant was found, as warnings says then
  key, family, node, db
  holder          whose hold is meant (holder_b64); null where the lock keeps none
  plan            script, keys (keys_b64), expect {holder (holder_b64), count and, where one tells holds apart, time},
                  type (of the key), effects (words; once done, of a lock that several
                  hold what was done, where others came or went since the plan), wakes (ids of waiters that
                  are told), next (id of who gets it next, or null), risks (words), refusal (why this user's attempt would be refused: words,
                  or null), parts (what is done besides by scripts of their own, where the keys lie in several slots of a cluster: each
                  node, db, script, keys), next_unheard (true where nobody was seen to listen for next, who alone may take the lock);
                  null if there is nothing to release
  verdict         null (only planned), released, changed, already-free, not-a-lock, read-only, not-allowed, unreachable,
                  unreleasable (it is a lock, but nothing from outside would free it honestly), shortened, kept (it ends sooner anyway),
                  stopped (of many: not tried any more)
  now             lock as read afterwards, or null; of more than 16 holders of one lock the list stands once, with its first result:
                  the others have the one that they are of, holders_left_out and queue_left_out
  audit_id        id of the audit record written before the send; null if nothing was sent
  detail          one sentence
  in_doubt        true where the verdict is unreachable, but it was sent: it may have happened
  unread          of many, locks with more holds than are read at once: each key (key_b64), node, db and holds, how many of them have
                  no result here and stay; release it again for these
  nodes           those that are meant, as of list, as they were last seen: what lies on one whose scan is not complete has no result of many,
                  nor has what lies under keys that one refuses (keys_refused of its scan)
  warnings        what else is to be known, a sentence each: of many, what could not be looked at and stays; what is wrong with the audit
                  log that this was recorded in; that what came of something could not be recorded; locks with holds that were not read;
                  masters of the cluster that are not watched; databases of these servers that are not, of everything of a holder; that
                  nothing was found, or was done since --expect says others
  mark            of a plan of many, what --expect may be given with --apply: the same holds then, or none; else null

families: {families}; with a SLUG one of them; with --shapes {shapes}
  families        each slug, title, about, kind, release (letters) and release_words, waits (unseen, never, channel, queue, blocked),
                  channel, also_channel (of other versions), lease_ms and renewed_every_ms (where a user of the library chose no lease; or null),
                  shares_token (one lies under several keys), repeats_holder (its id is the same in all his holds), advice,
                  forms [{type, key, value or field and value or member, score, confidence, evidence, release (letters, where another way
                  than the family's; or null), advice}],
                  beside [{key, type, role}], source, built_in
  shapes          each name, words: what a pattern may be made of

stress: {primitive, policy, nodes, clients, keys, stripes, stripes_used, acks, seconds, pairs, pairs_per_s,
        acquire_us {p50, p99, max}, commands_per_pair, server_calls_per_pair, per_client {min, max}, violations, in_doubt, lost,
        stopped, failure, away_s}
  keys            "own" or a number
  stripes, stripes_used  of StripedLock: how many there are, and on how many of them the keys were; else null
  acks            replicas that every hold had to reach: a number in words, majority or all; null = none
  commands_per_pair      sent by this run
  server_calls_per_pair  as INFO commandstats counts them, calls inside scripts too; null if INFO is
                         refused, or the counters began anew in mid-run
  violations      times a client entered while another was inside; of StripedLock its key, or its stripe; of CountDownLatch
                  times that one was open before all had counted down, or was not closed and counted as it must be
  in_doubt        acquires whose answer was lost; of CountDownLatch clients whose round was given up for an outage
  lost            leases that ended before their holder released
  stopped         true if it was interrupted
  failure         what ended the run early, or was not confirmed at its end, in one sentence; or null
  away_s          of the seconds, those without a connection to the node

primitives: {primitives, topics}; with a NAME one of them
  primitives      each name, summary, use_when, avoid_when, policies (the first is the default), promises, not_promised, commands, source,
                  shared_with, places [{name, type, meaning}] (NAME is the lock's name), waiting, outcomes, costs {commands, calls,
                  crowded_commands, crowded_calls} (of an acquire and its release, measured: alone, and among 16 clients of one
                  process on one key; calls as INFO commandstats counts them; null: as of the lock that it is made of), example (C++)
  topics          what holds for several primitives, each name, summary, sections [{title, lines}], example, source
  with --pages    {pages}, the files that were written

audit: {records, verified, last_hash, error, unanswered}
  records         seq, id, at_ms, who, node, db, key, family, holder, count, action, reason, script, before (lock, or null), verdict
                  (intent, in-doubt or as in release), subject (id of the intent that an outcome belongs to, or null),
                  previous_hash, hash. The actions release-many and shorten-many are of count holds in one record: before is then
                  a list of each key, node, db, holder, count and family; of an outcome, those with another verdict than
                  most, each with verdict and most (the verdict of most), and its verdict is that of all, or mixed
  verified        number of records checked with --verify, all of them sound, which is the number of the last; otherwise null
  last_hash       hash of the last of these (64 zeros: there is none): no log shows by itself that its end was cut off with every
                  trace, so keep verified and last_hash elsewhere and compare them; otherwise null
  error           what is broken in the chain or the file, in words; otherwise null
  unanswered      with --verify, ids of the intents of a sound log that have no outcome in it: under way, or their program ended
                  before it was known, or could not record it; otherwise null

demo: {nodes}, the URLs to look at
)text";
}

} // namespace lockhouse::ctl
