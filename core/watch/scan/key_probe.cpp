// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/key_probe.h"

#include "core/base/redisson_names.h"
#include "core/watch/detect/first_signs.h"
#include "core/watch/text/name_classifier.h"
#include "core/watch/text/token_format.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr bool isMode(std::string_view text) { return text == "read" || text == "write"; }

// Without a lock's name only random text counts, and its length is known.
bool isRandomSized(std::size_t size) { return size == 13 || size == 16 || (size >= 20 && size <= longestToken); }

bool isTokenSized(std::string_view key, std::size_t size) { return isRandomSized(size) || (size <= longestToken && maySpeakOfLock(key)); }

Probe judgeSize(std::string_view key, std::int64_t size, const FamilyRegistry &families) {
  if (isRandomSized(static_cast<std::size_t>(size)))
    return Probe::Head;
  const bool isNamed = maySpeakOfLock(key) || families.nameMayBe(ValueType::String, key) || families.wantsEveryString();
  if (size == 0) // empty or absent
    return isNamed ? Probe::StringLock : Probe::NoLock;
  if (size > static_cast<std::int64_t>(longestToken)) {
    if (isNamed && (namesHolder(key) || families.nameMayBe(ValueType::String, key)))
      return Probe::StringLock;
    return mayBeSuoOf(static_cast<std::size_t>(size)) ? Probe::Head : Probe::NoLock;
  }
  return isNamed ? Probe::Head : Probe::NoLock;
}

// For a name that belongs to no family.
Probe probeOfString(std::string_view key, const ReadHeuristics &heuristics, bool isTokenSized) {
  return isTokenSized || maySpeakOfLock(key) || heuristics.families->wantsEveryString() ? Probe::Head : Probe::Size;
}

// Small enough to be fetched by a probe, in bytes; a lock of one holder takes about 150.
constexpr std::int64_t mostOfSmallHash = 1024, mostOfHash = 64 * 1024, mostOfLight = 64 * 1024, mostOfMembers = 1024 * 1024, mostOfCounts = 1024 * 1024;
// A hash of more bytes than that with fewer fields than this has long ones.
constexpr std::int64_t fewestOfCounts = 4096;

// If all collections with this kind of name were light, only a sample is weighed.
bool isToBeWeighed(bool isLight, const ReadHeuristics &heuristics) { return heuristics.mayWeigh && (!isLight || heuristics.probes % 16 == 0); }

Probe probeOfMember(const ReadHeuristics &heuristics, bool isLight = false) { return isToBeWeighed(isLight, heuristics) ? Probe::MemberWeight : Probe::Member; }

bool knowsOwnersAlone(std::string_view key, const ReadHeuristics &heuristics) { return !namesLock(key) && !heuristics.families->wantsEveryHash(); }

Probe probeOfSmallHash(std::string_view key, const ReadHeuristics &heuristics, bool isTokenSized) {
  if (isTokenSized) // most of its kind were locks
    return Probe::HashLock;
  return knowsOwnersAlone(key, heuristics) ? Probe::Owners : Probe::Field;
}

Probe probeOfHash(std::string_view key, const ReadHeuristics &heuristics, TypePredictor::Guess guess = {}) {
  if (isToBeWeighed(guess.isLight, heuristics))
    return Probe::HashWeight;
  return guess.isLight ? probeOfSmallHash(key, heuristics, guess.isTokenSized) : Probe::Length;
}

Probe judgeType(std::string_view key, std::string_view type, const ReadHeuristics &heuristics) {
  const auto named = [&](ValueType of) { return heuristics.families->nameMayBe(of, key); };
  if (type == "string")
    return named(ValueType::String) ? Probe::Head : probeOfString(key, heuristics, false);
  if (type == "hash")
    return named(ValueType::Hash) ? Probe::HashLock : probeOfHash(key, heuristics);
  if (type == "zset")
    return named(ValueType::SortedSet) || namesLock(key, ValueType::SortedSet) ? Probe::SortedSetLock : probeOfMember(heuristics);
  if (type == "set")
    return named(ValueType::Set) ? Probe::SetLock : Probe::NoLock;
  if (type == "list")
    return named(ValueType::List) || namesLock(key) ? Probe::ListLock : Probe::NoLock;
  return type == "none" ? Probe::Absent : Probe::NoLock;
}

Probe judgeLength(std::string_view key, std::int64_t length, const ReadHeuristics &heuristics) {
  if (length == 0)
    return Probe::Absent;
  if (length > 300 || (length > 2 && length % 3 != 0)) // expired holds of a multi lock leave fields beside its groups of three
    return Probe::LockCounts;
  if (length != 2 && heuristics.types.guess(key).isTokenSized) // most of its kind were locks
    return Probe::HashLock;
  return length <= 2 && knowsOwnersAlone(key, heuristics) ? Probe::Owners : Probe::Field;
}

Probe judgeMember(const Reply &reply, const FamilyRegistry &families) {
  const auto &words = reply.array();
  if (words.empty())
    return Probe::Absent;
  const auto mayBe = [&families](const Reply &word) {
    const auto *member = word.bulk();
    return member && (*member == "__write__" || families.firstMayBe(ValueType::SortedSet, *member));
  };
  return std::ranges::any_of(words, mayBe) ? Probe::SortedSetLock : Probe::NoLock;
}

Probe judgeOwners(const Reply &reply) {
  const auto &halves = reply.array();
  if (halves.size() != 2)
    return Probe::NoLock;
  if (!halves[1].array().empty())
    return Probe::HashLock;
  return halves[0].text() == "0" ? Probe::NoLock : Probe::Length; // it is larger than others of its kind of name
}

Probe judgeField(std::string_view key, const Reply &reply, const FamilyRegistry &families) {
  const auto &halves = reply.array();
  if (halves.size() != 2)
    return Probe::NoLock;
  const auto &words = halves[1].array();
  if (words.empty())
    return Probe::Absent;
  if (words.size() == 2 && namesLock(key))
    return Probe::HashLock;
  for (std::size_t i = 0; i < words.size(); i += 2)
    if (const auto *field = words[i].bulk();
        field && (redisson::isOwner(*field) || *field == "mode" || mayBeLockedValue(*field) || families.firstMayBe(ValueType::Hash, *field)))
      return Probe::HashLock;
  return halves[0].text() == "0" ? Probe::NoLock : Probe::Mode; // a field that was not shown may be a lock's
}

Probe judgeHashWeight(std::string_view key, std::int64_t bytes, const ReadHeuristics &heuristics) {
  if (bytes > mostOfCounts)
    return Probe::HeavyLength;
  if (bytes > mostOfHash)
    return Probe::LockCounts;
  if (bytes > mostOfSmallHash)
    return Probe::Length;
  return probeOfSmallHash(key, heuristics, heuristics.types.guess(key).isTokenSized);
}

// A sorted set that is too large for a probe may still be a lock: KeyReader compares its size with the number of its members.
Probe judgeWeight(Probe asked, std::string_view key, const Reply &reply, ReadHeuristics &heuristics) {
  heuristics.mayWeigh &= !isOfCommand(reply);
  if (reply.isNil())
    return Probe::Absent;
  const auto bytes = reply.integer().transform([key](std::int64_t usage) { return weightOf(usage, key); });
  if (bytes)
    heuristics.types.learnWeight(key, *bytes <= (asked == Probe::HashWeight ? mostOfSmallHash : mostOfLight));
  if (asked == Probe::HashWeight)
    return bytes ? judgeHashWeight(key, *bytes, heuristics) : Probe::Length;
  return bytes.value_or(0) <= mostOfMembers ? Probe::Member : Probe::SortedSetLock;
}

Probe judgeFailure(Probe asked, std::string_view word) {
  if (word == "WRONGTYPE")
    return asked == Probe::Type ? Probe::Failed : Probe::Type;
  return isOfOneKey(word) ? Probe::Refused : Probe::Failed;
}

// The type that this answer proves; Unknown if none.
ValueType provenType(Probe asked, const Result<Reply> &answer) {
  if (!answer || answer->isFailure())
    return ValueType::Unknown;
  switch (asked) {
  case Probe::Head: return answer->bulk() && !answer->bulk()->empty() ? ValueType::String : ValueType::Unknown;
  case Probe::Size: return answer->integer().value_or(0) > 0 ? ValueType::String : ValueType::Unknown;
  case Probe::Length:
  case Probe::HeavyLength: return answer->integer().value_or(0) > 0 ? ValueType::Hash : ValueType::Unknown;
  case Probe::Member: return answer->array().empty() ? ValueType::Unknown : ValueType::SortedSet;
  case Probe::Type: {
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

// TYPE tells most. Other answers only confirm a guess, so a sample is enough.
void learn(Probe asked, std::string_view key, const Result<Reply> &answer, ReadHeuristics &heuristics) {
  if (asked != Probe::Type && ++heuristics.probes % 16 != 0)
    return;
  const auto type = provenType(asked, answer);
  if (type == ValueType::Unknown)
    return;
  heuristics.types.learn(key, type);
  if (asked == Probe::Size)
    heuristics.types.learnSize(key, isTokenSized(key, static_cast<std::size_t>(answer->integer().value_or(0))));
  else if (asked == Probe::Head)
    heuristics.types.learnSize(key, isTokenSized(key, answer->bulk()->size()));
}

Probe judgeHead(std::string_view key, const Reply &reply, ReadHeuristics &heuristics) {
  const auto *value = reply.bulk();
  if (!value)
    return Probe::NoLock;
  if (mayBeString(key, *value, *heuristics.families))
    return Probe::StringLock;
  if (heuristics.sessionTokenBudget == 0 || !mayBeToken(key, *value, true))
    return Probe::NoLock;
  --heuristics.sessionTokenBudget;
  return Probe::StringLock;
}

} // namespace

bool namesLock(std::string_view key, ValueType type) {
  const auto words = lockWordsOf(type);
  return maySpeakOfLock(key, words) && nameEvidence(key, words).namesLock();
}

bool mayBeString(std::string_view key, std::string_view value, const FamilyRegistry &families) {
  return mayBeToken(key, value) || mayBeSuo(value) || families.nameMayBe(ValueType::String, key) || families.firstMayBe(ValueType::String, value);
}

// The server allocates at most a quarter more than a long name needs; a short one makes no difference.
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

ValueType lockType(Probe verdict) {
  switch (verdict) {
  case Probe::StringLock: return ValueType::String;
  case Probe::HashLock: return ValueType::Hash;
  case Probe::ListLock: return ValueType::List;
  case Probe::SetLock: return ValueType::Set;
  case Probe::SortedSetLock: return ValueType::SortedSet;
  default: return ValueType::Unknown;
  }
}

bool isUnserved(std::string_view failureWord) { return failureWord == "ASK" || failureWord == "TRYAGAIN" || failureWord == "CLUSTERDOWN"; }

bool isOfOneKey(std::string_view failureWord) { return failureWord == "NOPERM" || failureWord == "MOVED" || isUnserved(failureWord); }

bool isOfCommand(const Reply &failure) {
  return failure.failureWord() == "ERR" || (failure.failureWord() == "NOPERM" && failure.failure().find("command") != std::string_view::npos);
}

Probe firstProbe(std::string_view key, const ReadHeuristics &heuristics) {
  const auto guess = heuristics.types.guess(key);
  const bool isNamed =
      guess.type != ValueType::Unknown && (heuristics.families->nameMayBe(guess.type, key) || (guess.type != ValueType::Hash && namesLock(key, guess.type)));
  switch (guess.type) {
  case ValueType::String: return isNamed ? Probe::StringLock : probeOfString(key, heuristics, guess.isTokenSized);
  case ValueType::Hash: return isNamed ? Probe::HashLock : probeOfHash(key, heuristics, guess);
  case ValueType::SortedSet: return isNamed ? Probe::SortedSetLock : probeOfMember(heuristics, guess.isLight);
  default: return Probe::Type;
  }
}

Command probeCommand(Probe probe, std::string_view key) {
  static const std::string head = fmt::format("{}", longestToken); // the last index: one byte more than the longest token
  switch (probe) {
  case Probe::Size: return {"STRLEN", key};
  case Probe::Head: return {"GETRANGE", key, "0", head};
  case Probe::Length:
  case Probe::HeavyLength: return {"HLEN", key};
  case Probe::Owners: return {"HSCAN", key, "0", "MATCH", redisson::ownerGlob, "COUNT", "100"};
  case Probe::LockCounts: return {"HSCAN", key, "0", "MATCH", lockCounts, "COUNT", "100"};
  case Probe::ModeLength: return {"HSTRLEN", key, "mode"};
  case Probe::HashWeight:
  case Probe::MemberWeight: return {"MEMORY", "USAGE", key};
  case Probe::Field: return {"HSCAN", key, "0", "COUNT", "1"};
  case Probe::Mode: return {"HGET", key, "mode"};
  case Probe::Member: return {"ZRANGE", key, "0", "2"}; // one foreign member does not hide the others
  default: return {"TYPE", key};
  }
}

Probe judge(Probe asked, std::string_view key, const Result<Reply> &answer, ReadHeuristics &heuristics) {
  if (!answer)
    return Probe::Failed;
  learn(asked, key, answer, heuristics);
  if ((asked == Probe::HashWeight || asked == Probe::MemberWeight) && (!answer->isFailure() || isOfCommand(*answer)))
    return judgeWeight(asked, key, *answer, heuristics);
  if (asked == Probe::ModeLength && isOfCommand(*answer))
    return Probe::NoLock;
  if (answer->isFailure())
    return judgeFailure(asked, answer->failureWord());
  switch (asked) {
  case Probe::Head: return judgeHead(key, *answer, heuristics);
  case Probe::Length: return judgeLength(key, answer->integer().value_or(0), heuristics);
  case Probe::HeavyLength: return answer->integer().value_or(0) < fewestOfCounts ? Probe::ModeLength : Probe::LockCounts;
  case Probe::Owners:
  case Probe::Field: {
    const auto verdict = asked == Probe::Owners ? judgeOwners(*answer) : judgeField(key, *answer, *heuristics.families);
    heuristics.types.learnSize(key, verdict == Probe::HashLock);
    return verdict;
  }
  case Probe::LockCounts: return judgeOwners(*answer) == Probe::HashLock ? Probe::HashLock : Probe::ModeLength;
  case Probe::Member: return judgeMember(*answer, *heuristics.families);
  case Probe::ModeLength: {
    const auto length = answer->integer().value_or(0);
    return length == 4 || length == 5 ? Probe::HashLock : Probe::NoLock; // "read" or "write"
  }
  case Probe::Mode: return isMode(answer->text().value_or("")) ? Probe::HashLock : Probe::NoLock;
  case Probe::Size: return judgeSize(key, answer->integer().value_or(0), *heuristics.families);
  default: return judgeType(key, answer->text().value_or("none"), heuristics);
  }
}

} // namespace lockhouse
