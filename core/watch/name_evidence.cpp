// SPDX-License-Identifier: Apache-2.0
#include "core/watch/name_evidence.h"

#include <algorithm>
#include <array>
#include <string>

namespace lockhouse {
namespace {

constexpr bool isLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool isAlpha(char c) { return isLower(c) || isUpper(c); }

constexpr std::size_t longestNameRead = 1024; // of a name of any length

template <class... Words> constexpr std::array<std::string_view, sizeof...(Words)> wordList(Words... words) { return {words...}; }

constexpr auto lockWords = wordList("lock", "locks", "mutex", "mutexes", "redlock", "locking", "lck", "mtx", "dlm", "singletonlock",
                                    "rueidislock"); // the last two: libraries' prefixes
// They end like a lock. Those that are one in other people's trades (doors, treasuries) are kept out too.
constexpr auto notLocks = wordList(
    "block", "clock", "unlock", "flock", "deadlock", "warlock", "padlock", "gridlock", "sherlock", "wedlock", "airlock", "hemlock", "oclock", "adblock",
    "roadblock", "bodyblock", "doorlock", "smartlock", "keylock", "combolock", "bikelock", "carlock", "wheellock", "steeringlock", "childlock", "screenlock",
    "touchlock", "capslock", "numlock", "scrolllock", "shiftlock", "interlock", "antilock", "timelock", "hashlock", "vestinglock", "pricelock", "ratelock",
    "geoblock", "sunblock", "codeblock", "textblock", "datablock", "superblock", "subblock", "lastblock", "nextblock", "genesisblock", "alarmclock", "headlock",
    "armlock", "dreadlock", "forelock", "fetlock", "flintlock", "matchlock", "oarlock", "shylock", "matlock", "havelock", "relock");
constexpr auto leaseWords = wordList("lease", "leases", "leader", "singleton", "exclusive");
// What else a value of that name would be. Names are read as runs of letters: md5 is "md".
// Random text by itself: there is no saying whose without a lease.
constexpr auto secretWords = wordList("csrf", "xsrf", "nonce", "otp", "pin", "pins", "passcode", "secret", "secrets", "apikey", "etag", "checksum", "hash",
                                      "sha", "md", "digest", "cookie", "jwt", "password", "passwd", "idempotency");
// Other uses, unless "lock:" before them makes them what is locked.
constexpr auto otherUses = wordList("session", "sessions", "sess", "refresh", "verify", "trace", "unlock", "lockout", "clock", "block", "oauth", "auth",
                                    "signup", "reset", "state", "status", "version", "count", "counter", "attempts", "stats", "serial", "firmware", "token",
                                    "tokens", "screen", "npm", "door", "doors", "smart", "keypad", "caps", "bike", "scooter");
// What locks are about as often as values are.
constexpr auto subjects = wordList("expire", "cache", "request", "api", "config", "setting", "settings", "price", "email", "user", "users", "image", "avatar",
                                   "feature", "features", "flag", "flags", "toggle", "toggles", "limit", "limiter", "ratelimit", "throttle", "quota");
// What package managers call the file that pins versions.
constexpr auto lockFiles = wordList("yarn.lock", "package-lock", "pnpm-lock", "bun.lock", "cargo.lock", "gemfile.lock", "poetry.lock", "pipfile.lock",
                                    "uv.lock", "pdm.lock", "composer.lock", "podfile.lock", "flake.lock", "mix.lock", "pubspec.lock", "terraform.lock",
                                    "deno.lock", "requirements.lock", "packages.lock", "pixi.lock", "rebar.lock", "renv.lock", "conda-lock", "shard.lock");
// Right behind a word that means lock, they name something about it: "lock:enabled", "yarn.lock:sha".
constexpr auto attributeWords =
    wordList("total", "totals", "error", "errors", "wait", "waits", "recent", "retries", "by", "last", "token", "tokens", "hash", "sha", "md", "checksum",
             "digest", "etag", "version", "state", "status", "count", "counter", "attempts", "stats", "enabled", "disabled", "enable", "disable", "reason",
             "owner", "info", "message", "timeout", "ttl", "seconds", "limit", "pin", "pins", "passcode", "firmware", "battery", "serial", "until", "expires",
             "expiry", "since", "history", "metrics", "icon", "color", "label", "screen", "wallpaper", "code", "codes", "duration");
// The same, unless more stands behind them and "lock:" before: what is locked then is a part of them, as in "lock:config:reload".
constexpr auto sharedWords = wordList("config", "setting", "settings", "feature", "flag", "log", "logs", "expire");
// A name with one of these keeps the answer to a request that came before, or that one is under way.
constexpr auto repeatWords = wordList("idem", "idempotent", "idempotency");

template <std::size_t n> bool among(const std::array<std::string_view, n> &words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool namesLockFile(std::string_view name) {
  const auto isSame = [](char a, char b) { return a == (isUpper(b) ? static_cast<char>(b - 'A' + 'a') : b); };
  return std::ranges::any_of(lockFiles,
                             [&](std::string_view file) { return !std::ranges::search(name, file, [&](char b, char a) { return isSame(a, b); }).empty(); });
}

bool endsLikeLock(std::string_view word) {
  return (word.ends_with("lock") || word.ends_with("locks") || word.ends_with("mutex")) && !among(notLocks, word) &&
         !among(notLocks, word.substr(0, word.size() - 1));
}

// Words of a name: runs of letters, broken where lower case turns to upper ("jobLock").
template <class Visit> void eachWord(std::string_view key, Visit visit) {
  std::string word;
  char before = 0;
  const auto flush = [&] {
    if (!word.empty())
      visit(std::string_view(word));
    word.clear();
  };
  for (const char c : key) {
    if (!isAlpha(c) || (isUpper(c) && isLower(before)))
      flush();
    if (isAlpha(c))
      word += isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    before = c;
  }
  flush();
}

} // namespace

bool maySpeakOfLock(std::string_view key) {
  char before = 0;
  for (const char byte : key.substr(0, longestNameRead)) {
    const auto c = static_cast<char>(byte | 0x20);
    if ((c == 'k' && before == 'c') || (c == 'x' && (before == 'e' || before == 't')) || (c == 'm' && before == 'l'))
      return true; // lock, lck, mutex, mtx, dlm
    before = c;
  }
  return false;
}

NameEvidence nameEvidence(std::string_view key) {
  NameEvidence evidence;
  const bool ofDogpile = key.starts_with("_lock"); // it puts that before the name without a break
  evidence.lock = evidence.edge = ofDogpile;
  const auto head = key.substr(0, longestNameRead);
  bool first = true, last = false, leads = false, whole = false, secret = false, otherUse = false, shared = false, part = false;
  eachWord(head, [&](std::string_view word) {
    evidence.attribute |= (last && among(attributeWords, word)) || among(repeatWords, word) || (shared && !leads);
    part |= shared;
    shared = last && among(sharedWords, word);
    const bool isWhole = among(lockWords, word);
    last = isWhole || endsLikeLock(word);
    evidence.lock |= last;
    evidence.edge |= last && first;
    evidence.lease |= among(leaseWords, word);
    whole |= isWhole;
    leads |= isWhole && first;
    secret |= among(secretWords, word);
    otherUse |= among(otherUses, word);
    evidence.contrary |= among(subjects, word);
    first = false;
  });
  evidence.edge |= last;
  evidence.attribute |= shared;
  evidence.contrary |= secret || otherUse;
  evidence.whole = whole;
  evidence.hidden = (secret || otherUse) && !evidence.edge;
  evidence.attribute |= evidence.lock && namesLockFile(head);
  evidence.needsLease = !ofDogpile && (!whole || secret || part || (otherUse && !leads));
  return evidence;
}

} // namespace lockhouse
