// SPDX-License-Identifier: Apache-2.0
#include "core/watch/token_shape.h"

#include "core/base/encoding.h"

#include <algorithm>
#include <array>
#include <string>

namespace lockhouse {
namespace {

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool isAlpha(char c) { return isLower(c) || isUpper(c); }
constexpr bool isAlnum(char c) { return isAlpha(c) || isDigit(c); }
constexpr bool isPrintable(char c) { return c >= 0x20 && c < 0x7f; }

using Class = TokenShape::Class;

constexpr std::size_t longestNameRead = 1024; // of a name of any length

bool all(std::string_view text, bool (*test)(char)) { return std::ranges::all_of(text, test); }
bool isBase64(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return isAlnum(c) || c == '+' || c == '/'; });
}
bool isBase64Url(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return isAlnum(c) || c == '-' || c == '_'; });
}

// Random text mixes letter cases and digits; "configuration_reload_ok" of the same alphabet does not.
bool looksRandom(std::string_view text) {
  const bool digits = std::ranges::any_of(text, isDigit);
  const bool lower = std::ranges::any_of(text, isLower);
  const bool upper = std::ranges::any_of(text, isUpper);
  std::size_t turns = 0;
  const auto group = [](char c) { return isDigit(c) ? 0 : isLower(c) ? 1 : isUpper(c) ? 2 : 3; };
  for (std::size_t i = 1; i < text.size(); ++i)
    turns += group(text[i]) != group(text[i - 1]);
  return turns * 4 >= text.size() && digits + lower + upper >= 2;
}

bool isHostPidGuid(std::string_view value) {
  constexpr std::string_view waiting = "_WRITERWAITING";
  if (value.ends_with(waiting))
    value.remove_suffix(waiting.size());
  if (value.size() < 36 || value[value.size() - 33] != '_' || !isHex(value.substr(value.size() - 32)))
    return false;
  const auto head = value.substr(0, value.size() - 33);
  const auto pid = head.rfind('_');
  return pid != head.npos && pid > 0 && pid + 1 < head.size() && all(head.substr(pid + 1), isDigit);
}

bool isShedLock(std::string_view value) {
  return value.starts_with("ADDED:") && value.size() > 70 && value.find("Z@") != value.npos && isUuid(value.substr(value.size() - 36));
}

TokenShape hexShape(std::string_view value) {
  switch (value.size()) {
  case 13: return {Class::Generic, 0.6, "value has the form of a PHP uniqid, as redlock-php writes"};
  case 24: return {Class::Generic, 0.65, "value is 24 hex digits"};
  case 32:
    if (value[12] == '1' && std::string_view("89ab").find(value[16]) != std::string_view::npos)
      return {Class::Generic, 0.9, "value is a time-based UUID without dashes, as redis-py writes"};
    return {Class::Generic, 0.88, "value is 32 hex digits, as node-redlock and others write"};
  case 40: return {Class::Generic, 0.8, "value is 40 hex digits"};
  case 48: return {Class::Generic, 0.75, "value is 48 hex digits"};
  case 64: return {Class::Generic, 0.8, "value is 64 hex digits"};
  default: return {};
  }
}

TokenShape base64Shape(std::string_view value) {
  const auto body = value.substr(0, value.find('='));
  const auto pad = value.size() - body.size();
  if (!isBase64(body) || !looksRandom(body))
    return {};
  if (value.size() == 24 && pad == 2)
    return {Class::Generic, 0.85, "value is 16 bytes in base64, as redsync writes"};
  if (value.size() == 24 && pad == 0)
    return {Class::Generic, 0.75, "value is 18 bytes in base64, as python-redis-lock writes"};
  if ((value.size() == 44 && pad == 1) || (value.size() == 28 && pad == 1))
    return {Class::Generic, 0.75, "value is random bytes in base64"};
  return {};
}

TokenShape textShape(std::string_view value) {
  const auto size = value.size();
  if (all(value, isAlnum) && looksRandom(value) && (size == 16 || size == 20 || size == 22 || size == 26 || size == 27 || size == 32 || size == 40))
    return {Class::Generic, 0.75, "value is random letters and digits, as Laravel, redis-plus-plus or redlock-py write"};
  if ((size == 21 || size == 22) && isBase64Url(value) && looksRandom(value))
    return {Class::Generic, 0.75, "value is 16 bytes in URL-safe base64, as bsm/redislock writes"};
  if (size > 22 && isBase64Url(value.substr(0, 22)) && looksRandom(value.substr(0, 22)) && value.find(' ') == value.npos && value.find('<') == value.npos)
    return {Class::Generic, 0.6, "value opens like a token of bsm/redislock with its caller's words behind"};
  return {};
}

TokenShape wordShape(std::string_view value) {
  for (const auto word : {"1", "locked", "lock", "LOCK", "LOCKED"})
    if (value == word)
      return {Class::Trivial, 0.55, "value is a mere mark without an owner"};
  for (const auto word : {"true", "OK", "ok", "yes", "x"})
    if (value == word)
      return {Class::Trivial, 0.45, "value is a word that any setting may have"};
  const bool letters = std::ranges::any_of(value, isAlpha);
  const bool digits = std::ranges::any_of(value, isDigit);
  const bool plain = std::ranges::all_of(value, [](char c) { return isAlnum(c) || std::string_view("._:@|/-").find(c) != std::string_view::npos; });
  if (plain && letters && digits && value.size() >= 4 && value.size() <= 96)
    return {Class::Word, 0.55, "value reads like the name of a host or worker"};
  return {};
}

TokenShape uuidShape(std::string_view value) {
  if (value.size() == 36)
    return {Class::Generic, 0.88, "value is a UUID"};
  const auto next = value[36];
  return next == ':' || next == '-' || next == '_' || next == '@' ? TokenShape{Class::Generic, 0.85, "value is a UUID with a suffix"} : TokenShape{};
}

template <class... Words> constexpr std::array<std::string_view, sizeof...(Words)> wordList(Words... words) { return {words...}; }

constexpr auto lockWords = wordList("lock", "locks", "mutex", "mutexes", "redlock", "locking", "locker", "lck", "mtx", "dlm");
constexpr auto notLocks = wordList("block", "clock", "unlock", "flock", "deadlock", "warlock", "padlock", "gridlock", "sherlock", "wedlock", "airlock",
                                   "hemlock", "oclock", "adblock", "roadblock", "bodyblock");
constexpr auto leaseWords = wordList("lease", "leases", "leader", "singleton", "exclusive");
// Names are read as runs of letters: md5 is "md".
constexpr auto contraryWords =
    wordList("session", "sessions", "sess", "csrf", "xsrf", "nonce", "otp", "secret", "apikey", "etag", "checksum", "hash", "sha", "md", "digest", "cache",
             "cookie", "jwt", "refresh", "verify", "password", "passwd", "trace", "request", "unlock", "lockout", "clock", "block", "oauth", "auth", "signup",
             "reset", "idempotency", "api", "state", "status", "version", "count", "counter", "attempts", "stats", "config", "setting", "settings", "serial",
             "firmware", "price", "email", "user", "users", "token", "tokens", "screen", "image", "avatar", "npm");
// What package managers call the file that pins versions.
constexpr auto lockFiles = wordList("yarn.lock", "package-lock", "pnpm-lock", "bun.lock", "cargo.lock", "gemfile.lock", "poetry.lock", "pipfile.lock",
                                    "uv.lock", "pdm.lock", "composer.lock", "podfile.lock", "flake.lock", "mix.lock", "pubspec.lock", "terraform.lock");
// Right behind a word that means lock, they name something about it: "lock:enabled", "yarn.lock:sha".
constexpr auto attributeWords = wordList("token", "tokens", "hash", "sha", "md", "checksum", "digest", "etag", "version", "state", "status", "count", "counter",
                                         "attempts", "stats", "config", "setting", "settings", "enabled", "disabled", "enable", "disable", "flag", "feature",
                                         "reason", "owner", "info", "message", "timeout", "ttl", "seconds", "limit");

template <std::size_t n> bool among(const std::array<std::string_view, n> &words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool namesLockFile(std::string_view name) {
  const auto isSame = [](char a, char b) { return a == (isUpper(b) ? static_cast<char>(b - 'A' + 'a') : b); };
  return std::ranges::any_of(lockFiles,
                             [&](std::string_view file) { return !std::ranges::search(name, file, [&](char b, char a) { return isSame(a, b); }).empty(); });
}

bool meansLock(std::string_view word) {
  if (among(lockWords, word))
    return true;
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

TokenShape tokenShape(std::string_view value) {
  if (value.size() > longestToken)
    return {};
  if (value.empty())
    return {Class::Trivial, 0.55, "value is empty"};
  if (!all(value, isPrintable)) {
    const bool sized = value.size() == 16 || value.size() == 20 || value.size() == 24 || value.size() == 32;
    const auto odd = std::ranges::count_if(value, [](char c) { return !isPrintable(c); });
    return sized && odd * 4 >= static_cast<std::ptrdiff_t>(value.size())
               ? TokenShape{Class::Generic, 0.7, "value is random bytes, as rslock or rueidislock write"}
               : TokenShape{};
  }
  if (isShedLock(value))
    return {Class::Distinct, 0.97, "value is ShedLock's: when, host, id"};
  if (value.size() >= 36 && isUuid(value.substr(0, 36)))
    return uuidShape(value);
  if (isHostPidGuid(value))
    return {Class::Generic, 0.9, "value is host, process and id, as DistributedLock for .NET writes"};
  for (const auto &shape : {isHex(value) ? hexShape(value) : TokenShape{}, base64Shape(value), textShape(value)})
    if (shape.kind != Class::None)
      return shape;
  return wordShape(value);
}

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
  evidence.lock = evidence.edge = key.starts_with("_lock"); // dogpile.cache puts it before the name without a break
  constexpr std::size_t enough = 1024;                      // of a name of any length
  const auto head = key.substr(0, enough);
  bool first = true, last = false;
  eachWord(head, [&](std::string_view word) {
    evidence.attribute |= last && among(attributeWords, word);
    last = meansLock(word);
    evidence.lock |= last;
    evidence.edge |= last && first;
    evidence.lease |= among(leaseWords, word);
    evidence.contrary |= among(contraryWords, word);
    first = false;
  });
  evidence.edge |= last;
  evidence.attribute |= evidence.lock && namesLockFile(head);
  return evidence;
}

} // namespace lockhouse
