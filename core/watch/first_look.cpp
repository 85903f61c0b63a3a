// SPDX-License-Identifier: Apache-2.0
#include "core/watch/first_look.h"

#include "core/base/redisson_names.h"
#include "core/watch/name_evidence.h"
#include "core/watch/token_shape.h"

#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr bool isMode(std::string_view text) { return text == "read" || text == "write"; }

// Without a lock's name only random text counts, and that has a length.
bool isTokenSized(std::string_view key, std::size_t size) {
  if (size > longestToken)
    return false;
  return size == 13 || size == 16 || size >= 20 || maySpeakOfLock(key);
}

Look judgeSize(std::string_view key, std::int64_t size) {
  if (size == 0) // empty or absent
    return maySpeakOfLock(key) ? Look::StringLock : Look::NoLock;
  return isTokenSized(key, static_cast<std::size_t>(size)) ? Look::Head : Look::NoLock;
}

Look judgeType(std::string_view key, std::string_view type) {
  if (type == "string")
    return maySpeakOfLock(key) ? Look::Head : Look::Size;
  if (type == "hash")
    return Look::Length;
  return type == "none" ? Look::Absent : Look::NoLock;
}

Look judgeLength(std::int64_t length) { return length == 0 ? Look::Absent : length > 1 ? Look::Mode : Look::Field; }

Look judgeField(const Reply &reply) {
  const auto &halves = reply.array();
  if (halves.size() != 2)
    return Look::NoLock;
  const auto &words = halves[1].array();
  if (words.empty())
    return Look::Absent;
  return words[0].bulk() && redisson::isOwner(*words[0].bulk()) ? Look::HashLock : Look::NoLock;
}

Look judgeFailure(Look asked, std::string_view word) {
  if (word == "WRONGTYPE")
    return asked == Look::Type ? Look::Failed : Look::Type;
  return isOfOneKey(word) ? Look::Refused : Look::Failed;
}

// The type that this answer proves; Unknown if none.
ValueType provenType(Look asked, const Result<Reply> &answer) {
  if (!answer || answer->isFailure())
    return ValueType::Unknown;
  switch (asked) {
  case Look::Head: return answer->bulk() && !answer->bulk()->empty() ? ValueType::String : ValueType::Unknown;
  case Look::Size: return answer->integer().value_or(0) > 0 ? ValueType::String : ValueType::Unknown;
  case Look::Length: return answer->integer().value_or(0) > 0 ? ValueType::Hash : ValueType::Unknown;
  case Look::Type: {
    const auto type = answer->text().value_or("none");
    return type == "string" ? ValueType::String : type == "hash" ? ValueType::Hash : type == "none" ? ValueType::Unknown : ValueType::Other;
  }
  default: return ValueType::Unknown;
  }
}

// TYPE tells most; of answers that only confirm a guess, a sample is enough.
void learn(Look asked, std::string_view key, const Result<Reply> &answer, ReadLore &lore) {
  if (asked != Look::Type && ++lore.looks % 16 != 0)
    return;
  const auto type = provenType(asked, answer);
  if (type == ValueType::Unknown)
    return;
  lore.types.learn(key, type);
  if (asked == Look::Size)
    lore.types.learnSize(key, isTokenSized(key, static_cast<std::size_t>(answer->integer().value_or(0))));
  else if (asked == Look::Head)
    lore.types.learnSize(key, isTokenSized(key, answer->bulk()->size()));
}

} // namespace

bool isOfOneKey(std::string_view failureWord) {
  return failureWord == "NOPERM" || failureWord == "MOVED" || failureWord == "ASK" || failureWord == "TRYAGAIN" || failureWord == "CLUSTERDOWN";
}

Look firstLook(std::string_view key, const ReadLore &lore) {
  const auto [type, isTokenSized] = lore.types.guess(key);
  switch (type) {
  case ValueType::String: return isTokenSized || maySpeakOfLock(key) ? Look::Head : Look::Size;
  case ValueType::Hash: return Look::Length;
  default: return Look::Type;
  }
}

Command lookCommand(Look look, std::string_view key) {
  static const std::string head = fmt::format("{}", longestToken); // the last index: one byte more than the longest token
  switch (look) {
  case Look::Size: return {"STRLEN", key};
  case Look::Head: return {"GETRANGE", key, "0", head};
  case Look::Length: return {"HLEN", key};
  case Look::Field: return {"HSCAN", key, "0", "COUNT", "1"};
  case Look::Mode: return {"HGET", key, "mode"};
  default: return {"TYPE", key};
  }
}

Look judge(Look asked, std::string_view key, const Result<Reply> &answer, ReadLore &lore) {
  if (!answer)
    return Look::Failed;
  learn(asked, key, answer, lore);
  if (answer->isFailure())
    return judgeFailure(asked, answer->failureWord());
  switch (asked) {
  case Look::Head: return answer->bulk() && mayBeToken(key, *answer->bulk()) ? Look::StringLock : Look::NoLock;
  case Look::Length: return judgeLength(answer->integer().value_or(0));
  case Look::Field: return judgeField(*answer);
  case Look::Mode: return isMode(answer->text().value_or("")) ? Look::HashLock : Look::NoLock;
  case Look::Size: return judgeSize(key, answer->integer().value_or(0));
  default: return judgeType(key, answer->text().value_or("none"));
  }
}

} // namespace lockhouse
