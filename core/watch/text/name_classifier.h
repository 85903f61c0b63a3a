// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace lockhouse {

/// How strongly a key's name suggests a lock, and something else. name_words.toml lists the words.
struct NameEvidence {
  bool lock = false;       ///< a word means lock: "lock", "mutex", "jobLock", "redlock"; not "block", "clock", "doorlock"
  bool edge = false;       ///< … and it is the first or last word
  bool whole = false;      ///< … and it is "lock" or the like itself, not the end of a longer word
  bool hidden = false;     ///< … but it is between words that explain the value: "etag:/docs/mutex.html", "csrf:lock-account:7"
  bool joined = false;     ///< … and it is joined to the word before it: "token_refresh_lock:user:7"
  bool apart = false;      ///< … and it ends a part of the name, up to a colon or the like: "cron:lock:report", "order_lock:7"
  bool leader = false;     ///< it names a leader: "scheduler:leader", "leader:scheduler", "leader-election:x", "cluster:master"; not "team:5:leader"
  bool lease = false;      ///< "lease", "leader": weaker than a lock
  bool attribute = false;  ///< a neighbour makes it an attribute of a lock, or a file: "lock:enabled", "yarn.lock"
  bool contrary = false;   ///< a word explains the value otherwise: session, csrf, feature, cache …
  bool mixed = false;      ///< … and yet it may be a lock: "user:7:lock", "lock:session:7"; not "lock:17:online", "bull:lock:wait"
  bool figure = false;     ///< the last word names a number, a setting or a record: "user:7:name", "retry:delay"
  bool secret = false;     ///< a word explains random text by itself: csrf, otp, etag, password …
  bool data = false;       ///< a word names records that are kept by ids, or an id: cart, votes, upload, "task_id:7"
  bool tally = false;      ///< a word names what is counted for each client, in windows as short as a hold: votes, rate_limit, online
  bool event = false;      ///< a word names what happened; such records have ids with a time: visit, span, latest
  bool connected = false;  ///< a word names clients that are connected now: online, typing, viewers, connections
  bool goods = false;      ///< a word names what a shop sells or a site shows: product, sku, inventory, page
  bool resource = false;   ///< it names a resource, as in the examples of Redlock libraries: "my_resource_name", "resource_key"
  bool segment = false;    ///< the word for a lock is a part of its own, "app:lock:import", and no word names goods
  bool leads = false;      ///< "lock" or the like is the first word: any string under such a name is worth a row
  bool aside = false;      ///< the attribute is set apart from "lock"; a token with a lease makes it what is locked: "lock:status:7"
  bool explained = false;  ///< the last word explains random text: "lock:12:access_token", "lock:version"
  bool shutsOut = false;   ///< it names who may be locked out at an entrance: "account_locks", "ip-lock:10.0.0.1"
  bool toggle = false;     ///< a word names what is switched on or off: "use_redlock", "rollout:row-lock"
  bool counter = false;    ///< a word names what is counted for each client: "limiter:7", "stats:api"
  bool counts = false;     ///< such a word is right behind a lock or leads: "lock:requests", "lock:ratelimit:7", "rate:lock:7"
  bool fence = false;      ///< a word names a counter of fencing tokens: "lock:7:fence", "lock:7:seq"
  bool overview = false;   ///< it ends with what is kept about all locks: "lock:failures", "lock:failures:today"; not "lock:users:7"
  bool ofThing = false;    ///< a number follows the last word, which names nobody who may be locked out: "lock:order:98", not "lock:user:7"
  bool needsLease = false; ///< it is a lock only with a lease: "csrf:lock" else explains random text, "joblock" may be a thing
  bool namesLock() const { return lock && !attribute && (!contrary || mixed); }
};

/// Which words mean lock. "semaphore" does so in the name of a sorted set, of holders with their times; under another type it is a number.
enum class LockWords { Locks, AndSemaphores };

NameEvidence nameEvidence(std::string_view key, LockWords words = LockWords::Locks);
std::string_view lastWord(std::string_view key); ///< the last run of letters
/// A quick check before nameEvidence(key, words): if it is false, that finds neither a lock nor a leader.
bool maySpeakOfLock(std::string_view key, LockWords words = LockWords::Locks);

} // namespace lockhouse
