// SPDX-License-Identifier: Apache-2.0
#include "core/watch/text/token_format.h"

#include "core/base/encoding.h"
#include "core/watch/text/id_time.h"
#include "core/watch/text/token_words.toml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace lockhouse {
namespace {

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool isAlpha(char c) { return isLower(c) || isUpper(c); }
constexpr bool isAlnum(char c) { return isAlpha(c) || isDigit(c); }
constexpr bool isPrintable(char c) { return c >= 0x20 && c < 0x7f; }

using Class = TokenFormat::Class;

bool isOneOf(std::span<const std::string_view> words, std::string_view value) { return std::ranges::find(words, value) != words.end(); }
bool all(std::string_view text, bool (*test)(char)) { return std::ranges::all_of(text, test); }
bool isBase64(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return isAlnum(c) || c == '+' || c == '/'; });
}
bool isBase64Url(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return isAlnum(c) || c == '-' || c == '_'; });
}

bool mixesCases(std::string_view text) { return std::ranges::any_of(text, isLower) && std::ranges::any_of(text, isUpper); }

// Random text mixes capitals, small letters and digits. "configuration_reload_ok" has the same alphabet and does not.
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

// "ADDED:2026-11-22T10:00:00.123Z@host-1", and a UUID behind it in newer versions.
bool isShedLock(std::string_view value) {
  constexpr std::string_view mark = "ADDED:";
  const auto instant = value.starts_with(mark) ? value.find("Z@", mark.size()) : value.npos;
  return instant != value.npos && instant + 2 < value.size() && instantOf(value.substr(mark.size(), instant + 1 - mark.size()));
}

template <class Number> std::optional<Number> wholeNumber(std::string_view text, int base = 10) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

TokenFormat hexShape(std::string_view value) {
  switch (value.size()) {
  case 13:
    return isUniqid(value) ? TokenFormat{Class::Generic, 0.6, LH_MESSAGE("Evidence", "value has the form of a PHP uniqid, as redlock-php writes")}
                           : TokenFormat{};
  case 24: return {Class::Generic, 0.65, LH_MESSAGE("Evidence", "value is 24 hex digits")};
  case 32:
    if (timeOfUuid1(value))
      return {Class::Generic, 0.9, LH_MESSAGE("Evidence", "value is a time-based UUID without dashes, as redis-py writes")};
    return {Class::Generic, 0.88, LH_MESSAGE("Evidence", "value is 32 hex digits, as node-redlock and others write")};
  case 40: return {Class::Generic, 0.8, LH_MESSAGE("Evidence", "value is 40 hex digits")};
  case 48: return {Class::Generic, 0.75, LH_MESSAGE("Evidence", "value is 48 hex digits")};
  case 64: return {Class::Generic, 0.8, LH_MESSAGE("Evidence", "value is 64 hex digits")};
  default: return {};
  }
}

TokenFormat base64Shape(std::string_view value) {
  const auto body = value.substr(0, value.find('='));
  const auto pad = value.size() - body.size();
  if (!isBase64(body) || !looksRandom(body))
    return {};
  if (value.size() == 24 && pad == 2)
    return {Class::Generic, 0.85, LH_MESSAGE("Evidence", "value is 16 bytes in base64, as redsync writes")};
  if (value.size() == 24 && pad == 0)
    return {Class::Generic, 0.75, LH_MESSAGE("Evidence", "value is 18 bytes in base64, as python-redis-lock writes")};
  if ((value.size() == 44 && pad == 1) || (value.size() == 28 && pad == 1))
    return {Class::Generic, 0.75, LH_MESSAGE("Evidence", "value is random bytes in base64")};
  return {};
}

constexpr auto bsmWords = LH_MESSAGE("Evidence", "value opens like a token of bsm/redislock with its caller's words behind");

bool isRandomUrl(std::string_view text) {
  return isBase64Url(text) && looksRandom(text) && (all(text, isAlnum) || mixesCases(text)); // not "release-2026-11-20-rc1"
}

// 16 random bytes in URL-safe base64, and more.
bool opensLikeBsm(std::string_view value) { return value.size() > 22 && isRandomUrl(value.substr(0, 22)); }

// "sk_live_…", "ghp_…": keys and ids are given out with a prefix of small letters. One in 250 tokens that an owner's words follow starts so too,
// but no token that stands alone.
bool hasIssuedForm(std::string_view value) {
  auto rest = value;
  for (std::size_t marks = 0; marks < 3; ++marks) {
    const auto size = static_cast<std::size_t>(std::ranges::find_if_not(rest, isLower) - rest.begin());
    if (size < 2 || size == rest.size() || rest[size] != '_')
      break;
    rest.remove_prefix(size + 1);
  }
  return value.size() > 22 && rest.size() < value.size() && rest.size() >= 12 && all(rest, isAlnum) && mixesCases(rest) && looksRandom(rest);
}

bool isIssued(std::string_view value) {
  return value.size() >= 20 && std::ranges::any_of(token_words::issuedPrefixes, [value](std::string_view prefix) { return value.starts_with(prefix); });
}

TokenFormat textShape(std::string_view value) {
  const auto size = value.size();
  if (isIssued(value) || hasIssuedForm(value))
    return {};
  if (all(value, isAlnum) && looksRandom(value) && (size == 16 || size == 20 || size == 22 || size == 26 || size == 27 || size == 32 || size == 40))
    return {Class::Generic, 0.75, LH_MESSAGE("Evidence", "value is random letters and digits, as Laravel, redis-plus-plus or redlock-py write")};
  if (size < 21 || !isRandomUrl(value.substr(0, 22)))
    return {};
  if (size <= 22)
    return {Class::Generic, 0.75, LH_MESSAGE("Evidence", "value is 16 bytes in URL-safe base64, as bsm/redislock writes")};
  if (value.find('<') == value.npos)
    return {Class::Generic, 0.6, bsmWords};
  return {};
}

bool isRandomToken(std::string_view value) {
  const bool isSized = value.size() == 16 || value.size() == 20 || value.size() == 24 || value.size() == 32;
  return isSized && isRandomBytes(value) && !isUtf8(value);
}

TokenFormat uuidShape(std::string_view value) {
  if (value.size() == 36)
    return {Class::Generic, 0.88, LH_MESSAGE("Evidence", "value is a UUID")};
  const auto next = value[36];
  return next == ':' || next == '-' || next == '_' || next == '@' ? TokenFormat{Class::Generic, 0.85, LH_MESSAGE("Evidence", "value is a UUID with a suffix")}
                                                                  : TokenFormat{};
}

// "1795271640", also with a fraction or in milli-, micro- or nanoseconds; "2026-11-20T10:00:00Z".
bool isTime(std::string_view value) {
  if (value.size() >= 16 && all(value.substr(0, 4), isDigit) && value[4] == '-' && value[7] == '-' && (value[10] == 'T' || value[10] == ' ') &&
      value[13] == ':')
    return true;
  const auto point = value.find('.');
  const auto digits = value.substr(0, point);
  const bool whole = point == value.npos && (digits.size() == 13 || digits.size() == 16 || digits.size() == 19);
  if (digits.size() != 10 && !whole)
    return false;
  if (point != value.npos && !all(value.substr(point + 1), isDigit))
    return false;
  const auto seconds = all(digits, isDigit) ? wholeNumber<std::uint64_t>(digits.substr(0, 10)) : std::nullopt;
  return seconds && isPlausibleSecond(*seconds);
}

// A host, "web.example.com", "alice@example.org", "10.0.0.7", or a name with a number, "web-1", "web:4711", "web|4711".
bool namesOneOfMany(std::string_view value) {
  const bool letters = std::ranges::any_of(value, isAlpha);
  const bool digits = std::ranges::any_of(value, isDigit);
  const auto dots = std::ranges::count(value, '.');
  const bool isPlace = isAlnum(value.front()) && isAlnum(value.back());
  return isPlace && (letters ? digits || dots >= 2 || value.find('@') != value.npos : dots == 3);
}

bool isPlainWord(std::string_view value) {
  return std::ranges::all_of(value, [](char c) { return isAlnum(c) || std::string_view("._:@|/-").find(c) != std::string_view::npos; });
}

// "release-2026-11-20": an owner has no date in its name.
bool namesDay(std::string_view value) {
  for (std::size_t i = 0; i + 10 <= value.size(); ++i)
    if (value[i + 4] == '-' && value[i + 7] == '-' && all(value.substr(i, 4), isDigit) && all(value.substr(i + 5, 2), isDigit) &&
        all(value.substr(i + 8, 2), isDigit))
      return true;
  return false;
}

// A setting, a small number, a price.
bool isNoOwner(std::string_view value) {
  const bool isFigure = value.size() < 3 && all(value, isDigit);
  const bool isDecimal = std::ranges::count(value, '.') == 1 && std::ranges::all_of(value, [](char c) { return isDigit(c) || c == '.'; });
  return isOneOf(token_words::noOwner, value) || isFigure || isDecimal || namesDay(value);
}

TokenFormat wordShape(std::string_view value) {
  if (isOneOf(token_words::marks, value))
    return {Class::Trivial, 0.55, LH_MESSAGE("Evidence", "value is a mere mark without an owner")};
  if (isOneOf(token_words::settingMarks, value))
    return {Class::Trivial, 0.5, LH_MESSAGE("Evidence", "value is a word that any setting may have")};
  if (value.size() >= 4 && value.size() <= 96 && isPlainWord(value) && namesOneOfMany(value) && !isNoOwner(value))
    return {Class::Word, 0.55, LH_MESSAGE("Evidence", "value reads like the name of a host or worker")};
  return {};
}

// Whether a field of JSON says whose the value is.
bool namesOwner(std::string_view json) {
  std::string lower(json);
  std::ranges::transform(lower, lower.begin(), [](char c) { return isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; });
  return std::ranges::any_of(token_words::ownerFields, [&lower](std::string_view field) { return lower.contains(field); });
}

// "locked by web-1"; neither markup nor packed data.
bool isPhrase(std::string_view value) {
  const bool isText = std::ranges::none_of(value, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  const bool hasWord = std::ranges::any_of(value, [](char c) { return isAlpha(c) || static_cast<unsigned char>(c) >= 0x80; });
  return isText && hasWord && value.front() != '[' && value.find_first_of("<>{};") == value.npos;
}

// What may be an owner, or anything else.
TokenFormat looseShape(std::string_view value) {
  constexpr double owner = 0.5, anything = 0.4;
  const bool isObject = value.starts_with('{') && value.ends_with('}') && value.find('"') != value.npos;
  if (isObject || (value.size() > 2 && value.starts_with('"') && value.ends_with('"')))
    return {Class::Loose, !isObject || namesOwner(value) ? owner : anything, LH_MESSAGE("Evidence", "value is JSON: an owner, or anything")};
  if (all(value, isDigit))
    return {Class::Loose, isNoOwner(value) ? anything : owner, LH_MESSAGE("Evidence", "value is a number: a process, or anything")};
  if (isPlainWord(value) ||
      (!all(value, isPrintable) && std::ranges::none_of(value, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; })))
    return {Class::Loose, isNoOwner(value) ? anything : owner, LH_MESSAGE("Evidence", "value is a word: an owner, or anything")};
  if (isPhrase(value))
    return {Class::Phrase, isNoOwner(value) ? anything : owner, LH_MESSAGE("Evidence", "value is text: an owner's words, or anything")};
  return {};
}

// The one short text in a Python pickle of protocol 2 to 5, or "1" for True: Django's cache stores added values so.
std::optional<std::string_view> unpickled(std::string_view value) {
  constexpr std::size_t frame = 9; // a mark and a length, from protocol 4 on
  if (value.size() < 4 || value[0] != '\x80' || value[1] < 2 || value[1] > 5 || value.back() != '.')
    return std::nullopt;
  auto body = value.substr(2, value.size() - 3);
  if (body.starts_with('\x95'))
    body.remove_prefix(std::min(body.size(), frame));
  if (body == "\x88")
    return "1";
  const bool isShort = body.starts_with('\x8c'); // its length in one byte; else in four
  const std::size_t opening = isShort ? 2 : 5;
  if ((!isShort && !body.starts_with('X')) || body.size() <= opening)
    return std::nullopt;
  const auto text = body.substr(opening, static_cast<unsigned char>(body[1])), behind = body.substr(opening + text.size());
  const bool isAlone = behind.empty() || behind == "\x94" || (behind.size() == 2 && behind[0] == 'q'); // which has Python remember it
  return isAlone && text.size() == static_cast<unsigned char>(body[1]) ? std::optional(text) : std::nullopt;
}

/// A text that PHP (itself or by igbinary), Python, Java or JSON packed.
struct Packed {
  std::string_view inside;
  bool isJson = false;
};

std::optional<Packed> unpacked(std::string_view value) {
  constexpr std::string_view java("\xac\xed\0\5t", 5); // then its length in two bytes
  if (value.starts_with(java) && value.size() > java.size() + 2) {
    const auto size = static_cast<std::size_t>(static_cast<unsigned char>(value[5])) << 8 | static_cast<unsigned char>(value[6]);
    return size == value.size() - 7 ? std::optional(Packed{value.substr(7)}) : std::nullopt;
  }
  constexpr std::string_view igbinary("\0\0\0\2\x11", 5); // then its length in one byte
  if (value.starts_with(igbinary) && value.size() > igbinary.size() + 1)
    return static_cast<unsigned char>(value[5]) == value.size() - 6 ? std::optional(Packed{value.substr(6)}) : std::nullopt;
  if (const auto text = unpickled(value))
    return Packed{*text};
  if (const auto quote = value.find(":\""); value.starts_with("s:") && quote >= 3 && quote != value.npos && value.ends_with("\";")) { // s:<length>:"<text>";
    const auto inside = value.substr(quote + 2, value.size() - std::min(value.size(), quote + 4));
    return wholeNumber<std::size_t>(value.substr(2, quote - 2)) == inside.size() ? std::optional(Packed{inside}) : std::nullopt;
  }
  if (value.size() > 2 && value.starts_with('"') && value.ends_with('"'))
    return Packed{value.substr(1, value.size() - 2), true};
  return std::nullopt;
}

TokenFormat packedShape(const Packed &packed) {
  if (packed.inside.empty())
    return {};
  const auto shape = tokenFormat(packed.inside);
  if (shape.kind == Class::Generic)
    return {Class::Generic, shape.trust, LH_MESSAGE("Evidence", "value is a token, packed as PHP, Python, Java or JSON have it")};
  return packed.isJson || !all(packed.inside, isPrintable) ? TokenFormat{} : wordShape(packed.inside);
}

} // namespace

// Eight hex digits are seconds, five are microseconds.
bool isUniqid(std::string_view value) {
  const auto whole = wholeNumber<std::uint64_t>(value.substr(0, 8), 16), micros = wholeNumber<std::uint64_t>(value.substr(8), 16);
  return whole && micros && isPlausibleSecond(*whole) && *micros < 1'000'000;
}

bool isRandomBytes(std::string_view value) {
  if (value.starts_with("HYLL") || value.starts_with("\x1f\x8b") || value.starts_with("\xac\xed")) // HyperLogLog, gzip, Java
    return false;
  std::array<bool, 256> seen{};
  std::size_t unprintable = 0, kinds = 0;
  for (const char byte : value) {
    unprintable += !isPrintable(byte);
    kinds += !std::exchange(seen[static_cast<unsigned char>(byte)], true);
  }
  return unprintable * 4 >= value.size() && kinds * 4 >= value.size() * 3;
}

TokenFormat tokenFormat(std::string_view value) {
  if (value.empty() || value.size() > longestToken)
    return {};
  if (!all(value, isPrintable))
    return isRandomToken(value) && !unpickled(value)
               ? TokenFormat{Class::Generic, 0.7, LH_MESSAGE("Evidence", "value is random bytes, as rslock or rueidislock write")}
               : TokenFormat{};
  if (isShedLock(value))
    return value.size() > 70 && isUuid(value.substr(value.size() - 36))
               ? TokenFormat{Class::Distinct, 0.97, LH_MESSAGE("Evidence", "value is ShedLock's: when, host, id")}
               : TokenFormat{Class::Distinct, 0.95, LH_MESSAGE("Evidence", "value is that of an older ShedLock: when, host")};
  if (value.size() >= 36 && isUuid(value.substr(0, 36)))
    return uuidShape(value);
  if (isHostPidGuid(value))
    return {Class::Generic, 0.9, LH_MESSAGE("Evidence", "value is host, process and id, as DistributedLock for .NET writes")};
  for (const auto &shape : {isHex(value) ? hexShape(value) : TokenFormat{}, base64Shape(value), textShape(value)})
    if (shape.kind != Class::None)
      return shape;
  return {};
}

TokenFormat plainShape(std::string_view value) {
  if (value.size() > longestToken)
    return {};
  if (const auto packed = unpacked(value))
    if (const auto shape = packedShape(*packed); shape.kind != Class::None)
      return shape;
  if (const bool isKnown = isIssued(value); isKnown || hasIssuedForm(value))
    return {Class::Phrase, isKnown ? 0.4 : 0.5, LH_MESSAGE("Evidence", "value is random text behind a mark, as keys and ids are given out")};
  if (opensLikeBsm(value)) // its caller chooses the rest
    return {Class::Generic, 0.55, bsmWords};
  if (!all(value, isPrintable)) // in another script
    return isUtf8(value) ? looseShape(value) : TokenFormat{};
  if (value.empty())
    return {Class::Trivial, 0.55, LH_MESSAGE("Evidence", "value is empty")};
  if (isTime(value))
    return {Class::Time, 0.58, LH_MESSAGE("Evidence", "value is a time, as locks written by hand keep")};
  const auto word = wordShape(value);
  return word.kind == Class::None ? looseShape(value) : word;
}

} // namespace lockhouse
