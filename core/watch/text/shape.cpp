// SPDX-License-Identifier: Apache-2.0
#include "core/watch/text/shape.h"

#include "core/base/ascii.h"
#include "core/base/encoding.h"
#include "core/base/lockhouse_names.h"
#include "core/watch/text/id_time.h"
#include "core/watch/text/token_format.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

namespace lockhouse {
namespace {

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool isAlnum(char c) { return isAlpha(c) || isDigit(c); }
constexpr bool isLowerHex(char c) { return isDigit(c) || (c >= 'a' && c <= 'f'); }
constexpr bool isUuidChar(char c) { return isLowerHex(c) || (c >= 'A' && c <= 'F') || c == '-'; }
constexpr bool isBase64(char c) { return isAlnum(c) || c == '+' || c == '/'; }
constexpr bool isPadded64(char c) { return isBase64(c) || c == '='; }
constexpr bool isBase64Url(char c) { return isAlnum(c) || c == '-' || c == '_'; }
constexpr bool isSessionChar(char c) { return isAlnum(c) || c == ',' || c == '-'; }
constexpr bool isWord(char c) { return isAlnum(c) || c == '_' || c == '.' || c == '-'; }
constexpr bool isPart(char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; }
bool isParted(std::string_view text) { return text.front() != ':' && text.back() != ':'; }
constexpr bool isPrintable(char c) { return c >= 0x20 && c < 0x7f; }
constexpr bool isTextByte(char c) { return isPrintable(c) || static_cast<unsigned char>(c) >= 0x80; }
constexpr bool isNumber(char c) { return isDigit(c) || c == '.' || c == '-' || c == '+' || c == 'e'; }
constexpr bool isTimeChar(char c) { return isDigit(c) || c == '-' || c == ':' || c == '.' || c == 'T' || c == 'Z'; }
constexpr bool isAny(char) { return true; }

constexpr bool isVariant(char c) { return c == '8' || c == '9' || c == 'a' || c == 'b'; }
bool isUuid4(std::string_view text) { return isUuid(text) && text[14] == '4' && isVariant(static_cast<char>(text[19] | 0x20)); }
bool isUuid1(std::string_view text) {
  return isUuid(text) &&
         timeOfUuid1(std::string(text.substr(0, 8)).append(text.substr(9, 4)).append(text.substr(14, 4)).append(text.substr(19, 4)).append(text.substr(24)));
}
bool isHexV1(std::string_view text) { return timeOfUuid1(text).has_value(); }
bool isHexV4(std::string_view text) { return text[12] == '4' && isVariant(text[16]); }

bool isSeconds(std::string_view text) { return isPlausibleSecond(parseNumber(text).value_or(0)); }
bool isMillis(std::string_view text) { return isPlausibleSecond(parseNumber(text).value_or(0) / 1000); }
bool isFloatSeconds(std::string_view text) {
  const auto point = text.find('.');
  return isSeconds(text.substr(0, point)) && (point == text.npos || std::ranges::all_of(text.substr(point + 1), isDigit));
}
bool isIso(std::string_view text) {
  return text.size() >= 20 && text[4] == '-' && text[7] == '-' && text[10] == 'T' && text[13] == ':' && text[16] == ':' && text.back() == 'Z';
}
bool isCount(std::string_view text) { return text.front() != '0' && parseNumber(text).value_or(0) <= std::numeric_limits<std::int64_t>::max(); }

std::size_t turnsIn(std::string_view text) {
  std::size_t turns = 0;
  const auto group = [](char c) { return isDigit(c) ? 0 : c >= 'a' && c <= 'z' ? 1 : c >= 'A' && c <= 'Z' ? 2 : 3; };
  for (std::size_t i = 1; i < text.size(); ++i)
    turns += group(text[i]) != group(text[i - 1]);
  return turns;
}
// Random text mixes letter cases and digits; words of the same alphabet do not.
bool isRandom(std::string_view text) { return turnsIn(text) * 4 >= text.size(); }
bool isInBothCases(std::string_view text) { // hex digits and words are not
  return std::ranges::any_of(text, [](char c) { return c >= 'a' && c <= 'z'; }) && std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}
bool isRandomInBothCases(std::string_view text) { return isRandom(text) && isInBothCases(text); }
// Sixteen bytes in base64 that are a time-based UUID.
bool isBase64V1(std::string_view text) {
  const auto bytes = fromBase64(text);
  return bytes && timeOfUuid1(hex(*bytes)).has_value();
}

// "repeat:<whose>:<when, in milliseconds>"
bool isRepeat(std::string_view text) {
  constexpr std::string_view mark = "repeat:";
  const auto colon = text.rfind(':');
  return text.starts_with(mark) && colon > mark.size() && text.size() - colon - 1 == 13 && std::ranges::all_of(text.substr(colon + 1), isDigit);
}

// Of libraries that take any, this is what their callers give: neither random text as they make it themselves, nor a mark or a time.
bool isChosen(std::string_view text) {
  if ((text.size() >= 36 && isUuid(text.substr(0, 36))) || (text.size() == 32 && std::ranges::all_of(text, isLowerHex) && isHexV4(text)))
    return true;
  const auto kind = tokenFormat(text).kind == TokenFormat::Class::None ? plainShape(text).kind : TokenFormat::Class::Generic;
  return kind == TokenFormat::Class::Word || kind == TokenFormat::Class::Loose || kind == TokenFormat::Class::Phrase;
}

bool isOwnerLike(std::string_view text) { return tokenFormat(text).kind != TokenFormat::Class::None || plainShape(text).kind == TokenFormat::Class::Word; }

// No part of its own, behind the first, is a single digit: the first number in the whole ends it.
bool isUnnumbered(std::string_view text) {
  for (auto at = text.find(':'); at != text.npos; at = text.find(':', at + 1))
    if (at + 1 < text.size() && isDigit(text[at + 1]) && (at + 2 == text.size() || text[at + 2] == ':'))
      return false;
  return true;
}

bool isConstant(std::string_view text) {
  for (auto part = text;;) {
    const auto end = part.find("::");
    const auto name = part.substr(0, end);
    const bool hasLower = std::ranges::any_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
    if (name.empty() || name.front() < 'A' || name.front() > 'Z' || !hasLower || name.find(':') != name.npos)
      return false;
    if (end == part.npos)
      return true;
    part.remove_prefix(end + 2);
  }
}

// PHP makes ids of 4, 5 or 6 bits a character. Those of 6 are known by their mixture, which is richer than that of "ImportOrders2FromShop", the
// others by the digits amid their letters. Of 100 ids of 22 characters one is too plain.
bool isSessionOfPhp(std::string_view text) {
  const bool isPlain = std::ranges::all_of(text, [](char c) { return isDigit(c) || (c >= 'a' && c <= 'v'); });
  return isPlain ? turnsIn(text) * 6 >= text.size() : turnsIn(text) * 5 >= text.size() * 2 && std::ranges::any_of(text, isDigit) && isInBothCases(text);
}
// What an id is cut from.
bool isMarked(std::string_view text) { return !isSessionChar(text.back()); }

// Redisson puts braces around a name that has none of its own.
std::optional<std::string_view> readTag(std::string_view text) {
  const bool isWrapped = text.size() > 2 && text.front() == '{' && text.back() == '}';
  const auto inside = isWrapped ? text.substr(1, text.size() - 2) : text;
  if (isWrapped && inside.find('{') == inside.npos)
    return inside;
  return text.find('{') == text.npos ? std::nullopt : std::optional(text);
}
std::string writeTag(std::string_view name) { return name.find('{') == name.npos ? fmt::format("{{{}}}", name) : std::string(name); }

// Lockhouse puts a name with a hash tag of its own behind another colon.
std::string writeSlot(std::string_view name) { return own::companion({}, name).substr(std::string_view("lockhouse::").size()); }
std::optional<std::string_view> readSlot(std::string_view text) {
  const bool isWrapped = text.size() > 2 && text.front() == '{' && text.back() == '}';
  const auto name = text.starts_with(':') ? text.substr(1) : isWrapped ? text.substr(1, text.size() - 2) : std::string_view();
  return name.empty() || writeSlot(name) != text ? std::nullopt : std::optional(name);
}

constexpr std::array allShapes{
    Shape{"any", "any bytes", 1, 0, isAny},
    Shape{"text", "text in UTF-8, without control characters", 1, 0, isTextByte, isUtf8},
    Shape{"word", "letters, digits, _ . -", 1, 0, isWord},
    Shape{"parts", "parts with colons between them, without spaces", 1, 0, isPart, isParted},
    Shape{"digits", "decimal digits", 1, 20, isDigit},
    Shape{"count", "a positive whole number", 1, 19, isDigit, isCount},
    Shape{"number", "a number as Redis writes scores", 1, 32, isNumber},
    Shape{"hex", "lower-case hex digits", 1, 0, isLowerHex},
    Shape{"alnum", "letters and digits", 1, 0, isAlnum},
    Shape{"base64", "letters, digits, + /", 1, 0, isBase64},
    Shape{"base64url", "letters, digits, - _", 1, 0, isBase64Url},
    Shape{"random", "letters and digits in a random mixture", 8, 0, isAlnum, isRandom},
    Shape{"mixed", "letters of both cases, and digits", 8, 0, isAlnum, isInBothCases},
    Shape{"random64", "base64 of random bytes", 8, 0, isBase64, isRandomInBothCases},
    Shape{"mixed64", "base64 in letters of both cases", 8, 0, isBase64, isInBothCases},
    Shape{"random64url", "URL-safe base64 of random bytes", 8, 0, isBase64Url, isRandomInBothCases},
    Shape{"binary", "random bytes that are no text", 8, 0, isAny, isRandomBytes},
    Shape{"uuid", "a UUID with dashes", 36, 36, isUuidChar, isUuid},
    Shape{"uuid4", "a random UUID with dashes", 36, 36, isUuidChar, isUuid4},
    Shape{"uuid1", "a time-based UUID with dashes", 36, 36, isUuidChar, isUuid1},
    Shape{"hexuuid1", "a time-based UUID without dashes", 32, 32, isLowerHex, isHexV1},
    Shape{"hexuuid4", "a random UUID without dashes", 32, 32, isLowerHex, isHexV4},
    Shape{"uniqid", "PHP's uniqid: seconds and microseconds in hex", 13, 13, isLowerHex, isUniqid},
    Shape{"seconds", "a time in Unix seconds", 10, 10, isDigit, isSeconds},
    Shape{"millis", "a time in Unix milliseconds", 13, 13, isDigit, isMillis},
    Shape{"floatseconds", "a time in Unix seconds with a fraction", 10, 32, isNumber, isFloatSeconds},
    Shape{"iso", "a time as 2026-11-21T10:00:00.000Z", 20, 30, isTimeChar, isIso},
    Shape{"unnumbered", "parts between colons, none a single digit but the first", 1, 0, isAny, isUnnumbered},
    Shape{"owner", "what reads like an owner: a token, a host or worker with a number", 1, 128, isAny, isOwnerLike},
    Shape{"chosen", "what a caller may call himself: a word, a number, a random UUID or one with dashes", 1, 128, isAny, isChosen},
    Shape{"constant", "a class as Ruby names it: SyncJob, Reports::Nightly", 2, 0, isPart, isConstant},
    Shape{"base64uuid1", "a time-based UUID in base64", 24, 24, isPadded64, isBase64V1},
    Shape{"phpsession", "a session's id as PHP makes it", 22, 256, isSessionChar, isSessionOfPhp},
    Shape{"marked", "printable ASCII that ends with neither letter nor digit nor , nor -", 1, 0, isPrintable, isMarked},
    Shape{"repeat", "a repeated job's id as BullMQ makes it, repeat:whose:milliseconds", 22, 0, isPrintable, isRepeat},
    Shape{"tag", "a name as Redisson puts it in braces", 1, 0, isAny, nullptr, readTag, writeTag},
    Shape{"slot", "a name as Lockhouse puts it in braces", 1, 0, isAny, nullptr, readSlot, writeSlot},
};

} // namespace

std::span<const Shape> shapes() { return allShapes; }

const Shape *findShape(std::string_view name) {
  const auto *found = std::ranges::find(allShapes, name, &Shape::name);
  return found == allShapes.end() ? nullptr : found;
}

} // namespace lockhouse
