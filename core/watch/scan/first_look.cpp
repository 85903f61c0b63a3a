// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/first_look.h"

#include "core/base/redisson_names.h"
#include "core/watch/detect/first_signs.h"
#include "core/watch/text/name_evidence.h"
#include "core/watch/text/token_shape.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr bool isMode(std::string_view text) { return text == "read" || text == "write"; }

// Without a lock's name only random text counts, and that has a length.
bool isRandomSized(std::size_t size) { return size == 13 || size == 16 || (size >= 20 && size <= longestToken); }

bool isTokenSized(std::string_view key, std::size_t size) { return isRandomSized(size) || (size <= longestToken && maySpeakOfLock(key)); }

Look judgeSize(std::string_view key, std::int64_t size, const Families &families) {
  if (isRandomSized(static_cast<std::size_t>(size)))
    return Look::Head;
  const bool isNamed = maySpeakOfLock(key) || families.nameMayBe(ValueType::String, key) || families.wantsEveryString();
  if (size == 0) // empty or absent
    return isNamed ? Look::StringLock : Look::NoLock;
  if (size > static_cast<std::int64_t>(longestToken)) {
    if (isNamed && (namesHolder(key) || families.nameMayBe(ValueType::String, key)))
      return Look::StringLock;
    return mayBeSuoOf(static_cast<std::size_t>(size)) ? Look::Head : Look::NoLock;
  }
  return isNamed ? Look::Head : Look::NoLock;
}

// Of a name that no family is known by.
Look lookAtString(std::string_view key, const ReadLore &lore, bool isTokenSized) {
  return isTokenSized || maySpeakOfLock(key) || lore.families->wantsEveryString() ? Look::Head : Look::Size;
}

// Little enough to be fetched for a look at it, in bytes; a lock of one holder takes some 150.
constexpr std::int64_t mostOfSmallHash = 1024, mostOfHash = 64 * 1024, mostOfLight = 64 * 1024, mostOfMembers = 1024 * 1024, mostOfCounts = 1024 * 1024;
// Of a hash that weighs more than that, so few fields are long ones.
constexpr std::int64_t fewestOfCounts = 4096;

// Of a kind of name whose collections were all light, a sample of pages is weighed.
bool isToBeWeighed(bool isLight, const ReadLore &lore) { return lore.mayWeigh && (!isLight || lore.looks % 16 == 0); }

Look lookAtMember(const ReadLore &lore, bool isLight = false) { return isToBeWeighed(isLight, lore) ? Look::MemberWeight : Look::Member; }

bool knowsOwnersAlone(std::string_view key, const ReadLore &lore) { return !namesLock(key) && !lore.families->wantsEveryHash(); }

Look lookAtSmallHash(std::string_view key, const ReadLore &lore, bool isTokenSized) {
  if (isTokenSized) // most of its kind were locks
    return Look::HashLock;
  return knowsOwnersAlone(key, lore) ? Look::Owners : Look::Field;
}

Look lookAtHash(std::string_view key, const ReadLore &lore, TypeGuess::Guess guess = {}) {
  if (isToBeWeighed(guess.isLight, lore))
    return Look::HashWeight;
  return guess.isLight ? lookAtSmallHash(key, lore, guess.isTokenSized) : Look::Length;
}

Look judgeType(std::string_view key, std::string_view type, const ReadLore &lore) {
  const auto named = [&](ValueType of) { return lore.families->nameMayBe(of, key); };
  if (type == "string")
    return named(ValueType::String) ? Look::Head : lookAtString(key, lore, false);
  if (type == "hash")
    return named(ValueType::Hash) ? Look::HashLock : lookAtHash(key, lore);
  if (type == "zset")
    return named(ValueType::SortedSet) || namesLock(key, ValueType::SortedSet) ? Look::SortedSetLock : lookAtMember(lore);
  if (type == "set")
    return named(ValueType::Set) ? Look::SetLock : Look::NoLock;
  if (type == "list")
    return named(ValueType::List) || namesLock(key) ? Look::ListLock : Look::NoLock;
  return type == "none" ? Look::Absent : Look::NoLock;
}

Look judgeLength(std::string_view key, std::int64_t length, const ReadLore &lore) {
  if (length == 0)
    return Look::Absent;
  if (length > 300 || (length > 2 && length % 3 != 0)) // what is left of lapsed holds of a multi lock lies beside its threes
    return Look::LockCounts;
  if (length != 2 && lore.types.guess(key).isTokenSized) // most of its kind were locks
    return Look::HashLock;
  return length <= 2 && knowsOwnersAlone(key, lore) ? Look::Owners : Look::Field;
}

Look judgeMember(const Reply &reply, const Families &families) {
  const auto &words = reply.array();
  if (words.empty())
    return Look::Absent;
  const auto mayBe = [&families](const Reply &word) {
    const auto *member = word.bulk();
    return member && (*member == "__write__" || families.firstMayBe(ValueType::SortedSet, *member));
  };
  return std::ranges::any_of(words, mayBe) ? Look::SortedSetLock : Look::NoLock;
}

Look judgeOwners(const Reply &reply) {
  const auto &halves = reply.array();
  if (halves.size() != 2)
    return Look::NoLock;
  if (!halves[1].array().empty())
    return Look::HashLock;
  return halves[0].text() == "0" ? Look::NoLock : Look::Length; // it is larger than others of its kind of name
}

Look judgeField(std::string_view key, const Reply &reply, const Families &families) {
  const auto &halves = reply.array();
  if (halves.size() != 2)
    return Look::NoLock;
  const auto &words = halves[1].array();
  if (words.empty())
    return Look::Absent;
  if (words.size() == 2 && namesLock(key))
    return Look::HashLock;
  for (std::size_t i = 0; i < words.size(); i += 2)
    if (const auto *field = words[i].bulk();
        field && (redisson::isOwner(*field) || *field == "mode" || mayBeLockedValue(*field) || families.firstMayBe(ValueType::Hash, *field)))
      return Look::HashLock;
  return halves[0].text() == "0" ? Look::NoLock : Look::Mode; // what was not shown may tell
}

Look judgeHashWeight(std::string_view key, std::int64_t bytes, const ReadLore &lore) {
  if (bytes > mostOfCounts)
    return Look::HeavyLength;
  if (bytes > mostOfHash)
    return Look::LockCounts;
  if (bytes > mostOfSmallHash)
    return Look::Length;
  return lookAtSmallHash(key, lore, lore.types.guess(key).isTokenSized);
}

// A sorted set that is too heavy for a look may still be a lock: who reads it whole counts what it weighs against its members.
Look judgeWeight(Look asked, std::string_view key, const Reply &reply, ReadLore &lore) {
  lore.mayWeigh &= !isOfCommand(reply);
  if (reply.isNil())
    return Look::Absent;
  const auto bytes = reply.integer().transform([key](std::int64_t usage) { return weightOf(usage, key); });
  if (bytes)
    lore.types.learnWeight(key, *bytes <= (asked == Look::HashWeight ? mostOfSmallHash : mostOfLight));
  if (asked == Look::HashWeight)
    return bytes ? judgeHashWeight(key, *bytes, lore) : Look::Length;
  return bytes.value_or(0) <= mostOfMembers ? Look::Member : Look::SortedSetLock;
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
  case Look::Length:
  case Look::HeavyLength: return answer->integer().value_or(0) > 0 ? ValueType::Hash : ValueType::Unknown;
  case Look::Member: return answer->array().empty() ? ValueType::Unknown : ValueType::SortedSet;
  case Look::Type: {
    const auto type = answer->text().value_or("none");
    return type == "string" ? ValueType::String
           : type == "hash" ? ValueType::Hash
           : type == "zset" ? ValueType::SortedSet
           : type == "none" ? ValueType::Unknown
                            : ValueType::Other;
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

Look judgeHead(std::string_view key, const Reply &reply, ReadLore &lore) {
  const auto *value = reply.bulk();
  if (!value)
    return Look::NoLock;
  if (mayBeString(key, *value, *lore.families))
    return Look::StringLock;
  if (lore.curiosity == 0 || !mayBeToken(key, *value, true))
    return Look::NoLock;
  --lore.curiosity;
  return Look::StringLock;
}

} // namespace

bool namesLock(std::string_view key, ValueType type) {
  const auto words = lockWordsOf(type);
  return maySpeakOfLock(key, words) && nameEvidence(key, words).namesLock();
}

bool mayBeString(std::string_view key, std::string_view value, const Families &families) {
  return mayBeToken(key, value) || mayBeSuo(value) || families.nameMayBe(ValueType::String, key) || families.firstMayBe(ValueType::String, value);
}

// What is allocated for a long one is a quarter more at most; a short one makes no difference.
std::int64_t weightOf(std::int64_t usage, std::string_view key) {
  constexpr std::size_t shortName = 512;
  const auto name = static_cast<std::int64_t>(key.size() > shortName ? key.size() : 0);
  return std::max<std::int64_t>(usage - name - name / 4, 0);
}

ValueType typeIn(const Result<Reply> &answer) {
  const auto text = answer && !answer->isFailure() ? answer->text().value_or("none") : std::string_view("none");
  for (const auto type : {ValueType::String, ValueType::Hash, ValueType::List, ValueType::Set, ValueType::SortedSet})
    if (text == name(type))
      return type;
  return text == "none" ? ValueType::Unknown : ValueType::Other;
}

ValueType lockType(Look verdict) {
  switch (verdict) {
  case Look::StringLock: return ValueType::String;
  case Look::HashLock: return ValueType::Hash;
  case Look::ListLock: return ValueType::List;
  case Look::SetLock: return ValueType::Set;
  case Look::SortedSetLock: return ValueType::SortedSet;
  default: return ValueType::Unknown;
  }
}

bool isUnserved(std::string_view failureWord) { return failureWord == "ASK" || failureWord == "TRYAGAIN" || failureWord == "CLUSTERDOWN"; }

bool isOfOneKey(std::string_view failureWord) { return failureWord == "NOPERM" || failureWord == "MOVED" || isUnserved(failureWord); }

bool isOfCommand(const Reply &failure) {
  return failure.failureWord() == "ERR" || (failure.failureWord() == "NOPERM" && failure.failure().find("command") != std::string_view::npos);
}

Look firstLook(std::string_view key, const ReadLore &lore) {
  const auto guess = lore.types.guess(key);
  const bool isNamed =
      guess.type != ValueType::Unknown && (lore.families->nameMayBe(guess.type, key) || (guess.type != ValueType::Hash && namesLock(key, guess.type)));
  switch (guess.type) {
  case ValueType::String: return isNamed ? Look::StringLock : lookAtString(key, lore, guess.isTokenSized);
  case ValueType::Hash: return isNamed ? Look::HashLock : lookAtHash(key, lore, guess);
  case ValueType::SortedSet: return isNamed ? Look::SortedSetLock : lookAtMember(lore, guess.isLight);
  default: return Look::Type;
  }
}

Command lookCommand(Look look, std::string_view key) {
  static const std::string head = fmt::format("{}", longestToken); // the last index: one byte more than the longest token
  switch (look) {
  case Look::Size: return {"STRLEN", key};
  case Look::Head: return {"GETRANGE", key, "0", head};
  case Look::Length:
  case Look::HeavyLength: return {"HLEN", key};
  case Look::Owners: return {"HSCAN", key, "0", "MATCH", redisson::ownerGlob, "COUNT", "100"};
  case Look::LockCounts: return {"HSCAN", key, "0", "MATCH", lockCounts, "COUNT", "100"};
  case Look::ModeLength: return {"HSTRLEN", key, "mode"};
  case Look::HashWeight:
  case Look::MemberWeight: return {"MEMORY", "USAGE", key};
  case Look::Field: return {"HSCAN", key, "0", "COUNT", "1"};
  case Look::Mode: return {"HGET", key, "mode"};
  case Look::Member: return {"ZRANGE", key, "0", "2"}; // one stray does not hide the others
  default: return {"TYPE", key};
  }
}

Look judge(Look asked, std::string_view key, const Result<Reply> &answer, ReadLore &lore) {
  if (!answer)
    return Look::Failed;
  learn(asked, key, answer, lore);
  if ((asked == Look::HashWeight || asked == Look::MemberWeight) && (!answer->isFailure() || isOfCommand(*answer)))
    return judgeWeight(asked, key, *answer, lore);
  if (asked == Look::ModeLength && isOfCommand(*answer))
    return Look::NoLock;
  if (answer->isFailure())
    return judgeFailure(asked, answer->failureWord());
  switch (asked) {
  case Look::Head: return judgeHead(key, *answer, lore);
  case Look::Length: return judgeLength(key, answer->integer().value_or(0), lore);
  case Look::HeavyLength: return answer->integer().value_or(0) < fewestOfCounts ? Look::ModeLength : Look::LockCounts;
  case Look::Owners:
  case Look::Field: {
    const auto verdict = asked == Look::Owners ? judgeOwners(*answer) : judgeField(key, *answer, *lore.families);
    lore.types.learnSize(key, verdict == Look::HashLock);
    return verdict;
  }
  case Look::LockCounts: return judgeOwners(*answer) == Look::HashLock ? Look::HashLock : Look::ModeLength;
  case Look::Member: return judgeMember(*answer, *lore.families);
  case Look::ModeLength: {
    const auto length = answer->integer().value_or(0);
    return length == 4 || length == 5 ? Look::HashLock : Look::NoLock; // "read" or "write"
  }
  case Look::Mode: return isMode(answer->text().value_or("")) ? Look::HashLock : Look::NoLock;
  case Look::Size: return judgeSize(key, answer->integer().value_or(0), *lore.families);
  default: return judgeType(key, answer->text().value_or("none"), lore);
  }
}

} // namespace lockhouse
