// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/key_content.h"

#include "core/watch/text/token_format.h"

#include <algorithm>
#include <cstdlib>

namespace lockhouse {
namespace {

// Of LRANGE and of the second half of SSCAN.
void addMembers(const Reply &reply, std::vector<Member> &members) {
  for (const auto &word : reply.array())
    if (const auto *bytes = word.bulk(); bytes && members.size() < mostRead)
      members.push_back({*bytes, 0});
}

// Of ZRANGE WITHSCORES, and of the second half of HSCAN, whose values count where they are numbers.
void addScored(const Reply &reply, std::vector<Member> &members) {
  const auto &words = reply.array();
  for (std::size_t i = 0; i + 1 < words.size() && members.size() < mostRead; i += 2)
    if (const auto *bytes = words[i].bulk(), *score = words[i + 1].bulk(); bytes && score)
      members.push_back({*bytes, std::strtod(score->c_str(), nullptr)});
}

} // namespace

Command contentOf(ValueType type, const std::string &key) {
  switch (type) {
  case ValueType::Hash: return {"HSCAN", key, "0", "COUNT", "1000"};
  case ValueType::List: return {"LRANGE", key, "0", "999"};
  case ValueType::Set: return {"SSCAN", key, "0", "COUNT", "1000"};
  case ValueType::SortedSet: return {"ZRANGE", key, "0", "999", "WITHSCORES"};
  default: {
    Command head{"GETRANGE", key, "0"};
    head.arg(static_cast<std::int64_t>(longestToken)); // one byte more than the longest token
    return head;
  }
  }
}

Command endOfSorted(const std::string &key) { return {"ZRANGE", key, "-1000", "-1", "WITHSCORES"}; }

Command sizeOf(ValueType type, const std::string &key) {
  switch (type) {
  case ValueType::Hash: return {"HLEN", key};
  case ValueType::List: return {"LLEN", key};
  case ValueType::Set: return {"SCARD", key};
  case ValueType::SortedSet: return {"ZCARD", key};
  default: return {"STRLEN", key};
  }
}

void takeContent(ValueType type, const Reply &reply, std::string &value, std::vector<Member> &members) {
  const auto &halves = reply.array();
  switch (type) {
  case ValueType::Hash:
    if (halves.size() == 2)
      addScored(halves[1], members);
    break;
  case ValueType::Set:
    if (halves.size() == 2)
      addMembers(halves[1], members);
    break;
  case ValueType::List: addMembers(reply, members); break;
  case ValueType::SortedSet: addScored(reply, members); break;
  default:
    if (const auto *bytes = reply.bulk())
      value = *bytes;
    break;
  }
}

std::optional<std::uint64_t> wholeSize(ValueType type, const Reply &reply) {
  const auto &words = reply.array();
  const auto below = [](std::size_t size, std::size_t asked) { return size < asked ? std::optional<std::uint64_t>(size) : std::nullopt; };
  switch (type) {
  case ValueType::Hash:
  case ValueType::Set:
    if (words.size() != 2 || words[0].text() != "0")
      return std::nullopt;
    return words[1].array().size() / (type == ValueType::Hash ? 2 : 1);
  case ValueType::List: return below(words.size(), mostRead);
  case ValueType::SortedSet: return below(words.size() / 2, mostRead);
  default: return below(reply.text().value_or("").size(), longestToken + 1);
  }
}

std::string shortened(const std::string &value) {
  constexpr std::size_t end = longestHolder / 2;
  return value.size() <= longestHolder ? value : value.substr(0, end) + value.substr(value.size() - end);
}

std::optional<milliseconds> leaseOf(const Reply &reply) {
  constexpr std::int64_t century = std::int64_t{100} * 365 * 24 * 3600 * 1000;
  const auto left = reply.integer().value_or(-1);
  return left < 0 ? std::nullopt : std::optional(milliseconds(std::min(left, century)));
}

std::uint64_t countOf(const Reply &reply) { return static_cast<std::uint64_t>(std::max<std::int64_t>(0, reply.integer().value_or(0))); }

} // namespace lockhouse
