// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace lockhouse {

/// How strongly a key's name speaks of a lock, and of something else.
struct NameEvidence {
  bool lock = false;        ///< a word of it means lock: "lock", "mutex", "jobLock", "redlock"; not "block", "clock", "doorlock"
  bool edge = false;        ///< … and it is the first or last word
  bool whole = false;       ///< … and that word is "lock" or the like itself, not the end of another
  bool hidden = false;      ///< … but it stands amid others, beside one that explains the value: "etag:/docs/mutex.html", "csrf:lock-account:7"
  bool joined = false;      ///< … and it is joined to the word before it: "token_refresh_lock:user:7"
  bool apart = false;       ///< … and it ends one of the parts of the name that are set apart by colons and the like: "cron:lock:report", "order_lock:7"
  bool leader = false;      ///< who leads is told: "scheduler:leader", "leader:scheduler", "leader-election:x", "cluster:master"; not "team:5:leader"
  bool lease = false;       ///< "lease", "leader": weaker
  bool attribute = false;   ///< its neighbour makes it something about a lock, or a file: "lock:enabled", "yarn.lock"
  bool contrary = false;    ///< a word names another use of the value: session, csrf, feature, cache …
  bool mixed = false;       ///< … and yet it may be that of a lock: "user:7:lock", "lock:session:7"; not "lock:17:online", "bull:lock:wait"
  bool figure = false;      ///< its last word tells of a figure, a name or a setting: "user:7:name", "retry:delay"
  bool secret = false;      ///< a word explains random text by itself: csrf, otp, etag, password …
  bool data = false;        ///< a word of it is of records and figures that are kept by their ids: cart, votes, upload; or an id: "task_id:7"
  bool tally = false;       ///< a word of it is of what is counted or noted for each client, in windows as short as a hold: votes, rate_limit, online
  bool event = false;       ///< a word of it is of what happened, or comes last, whose records have time-based ids: visit, span, latest
  bool holderProbe = false; ///< a word of it is of who is there now: online, typing, viewers, connections
  bool goods = false;       ///< a word of it is of what a shop sells or a site shows: product, sku, inventory, page
  bool resource = false;    ///< the name is that of a resource, as the examples of libraries of Redlocks have it: "my_resource_name", "resource_key"
  bool segment = false;     ///< … and that word is a part of its own, "app:lock:import", where nothing of a shop or a page is called so
  bool leads = false;       ///< the name opens with "lock" or the like itself: whatever string lies there is worth a row
  bool aside = false;       ///< `attribute` is by a word set apart from that "lock", which a token with a lease makes what is locked: "lock:status:7"
  bool explained = false;   ///< its last word tells what random text it is: "lock:12:access_token", "lock:version"
  bool shutsOut = false;    ///< it is one of whom may be locked out, by those who guard an entrance: "account_locks", "ip-lock:10.0.0.1"
  bool toggle = false;      ///< a word of it is of what is switched on or off: "use_redlock", "rollout:row-lock"
  bool counter = false;     ///< a word of it is of what is counted for each client: "limiter:7", "stats:api"
  bool counts = false;      ///< it is of such right behind a lock, "lock:requests", "lock:ratelimit:7", or of a lock in front, "rate:lock:7"; no job
  bool fence = false;       ///< a word of it is of a counter of fencing tokens: "lock:7:fence", "lock:7:seq"
  bool chronicle = false;   ///< it ends with what is kept about all of something: "lock:failures", "lock:failures:today"; not "lock:users:7"
  bool ofThing = false;     ///< a number stands behind its last word, and nobody is called so who may be locked out: "lock:order:98", not "lock:user:7"
  bool needsLease = false;  ///< only with a lease is it a lock: "csrf:lock" explains random text otherwise, "joblock" may be a thing
  bool namesLock() const { return lock && !attribute && (!contrary || mixed); }
};

/// Which words mean lock. A semaphore's name speaks of one where its holders lie in a sorted set with their times; of other types it is a number's.
enum class LockWords { Locks, AndSemaphores };

NameEvidence nameEvidence(std::string_view key, LockWords words = LockWords::Locks);
std::string_view lastWord(std::string_view key); ///< of its letters the last that stand together
/// Quick: false only if nameEvidence(key, words) tells of neither lock nor leader.
bool maySpeakOfLock(std::string_view key, LockWords words = LockWords::Locks);

} // namespace lockhouse
