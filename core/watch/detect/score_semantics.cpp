// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/score_semantics.h"

#include "core/watch/text/id_time.h"
#include "core/watch/text/name_classifier.h"
#include "core/watch/text/name_words.h"
#include "core/watch/text/token_format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockhouse {
namespace {

constexpr milliseconds clockSkew = seconds(5), farSkew = seconds(30);
constexpr double surest = 0.9; // a form with less confidence is only a textbook's

// Synchronised clocks are not further apart. A time in whole seconds may also be rounded up.
bool isOfSynchronisedClock(ScoreMeaning meaning, const KeyFacts &facts, const Member &member) {
  const milliseconds furthest(unitOf(meaning) > 1 ? 1000 : 500);
  return member.score * unitOf(meaning) <= static_cast<double>((facts.serverTime + furthest).count());
}

// A client that lets the key end with the hold writes that time: no clock is so far ahead by chance. Shortly before the end of the key a start time
// may be as near.
bool isKeysEnd(ScoreMeaning meaning, const KeyFacts &facts, const Member &member) {
  const double grain = 500 + unitOf(meaning);
  return facts.ttl && std::abs(member.score * unitOf(meaning) - static_cast<double>((facts.serverTime + *facts.ttl).count())) <= grain &&
         !isOfSynchronisedClock(meaning, facts, member);
}

} // namespace

bool isTime(double score, double unit) { return isPlausibleTime(score * unit); }

bool isEnd(ScoreMeaning meaning) { return meaning == ScoreMeaning::Until || meaning == ScoreMeaning::UntilSeconds; }
bool isStart(ScoreMeaning meaning) { return meaning == ScoreMeaning::Since || meaning == ScoreMeaning::SinceSeconds; }
double unitOf(ScoreMeaning meaning) { return meaning == ScoreMeaning::UntilSeconds || meaning == ScoreMeaning::SinceSeconds ? 1000 : 1; }

// Ends are unusual in a key with a lease and times in milliseconds, which a library writes, and in a key that has a past time. There a clock may be far
// ahead.
milliseconds lastRefresh(const Form &form, const KeyFacts &facts) {
  const auto isPast = [&](const Member &member) { return member.score * unitOf(form.score) <= static_cast<double>(facts.serverTime.count()); };
  const auto isItsEnd = [&](const Member &member) { return isKeysEnd(form.score, facts, member); };
  if (isStart(form.score) && facts.areEnds)
    return milliseconds::min();
  if (isStart(form.score) && facts.ttl && std::ranges::any_of(facts.members, isItsEnd))
    return facts.serverTime;
  return facts.serverTime +
         (isStart(form.score) && ((facts.ttl && form.score == ScoreMeaning::Since) || std::ranges::any_of(facts.members, isPast)) ? farSkew : clockSkew);
}

bool holdsEnds(const Form &form, const KeyFacts &facts) {
  if (!isStart(form.score))
    return false;
  const double unit = unitOf(form.score), last = static_cast<double>(lastRefresh(form, facts).count());
  const double keysEnd = facts.ttl ? static_cast<double>((facts.serverTime + *facts.ttl).count()) + 500 + unit : std::numeric_limits<double>::infinity();
  const auto isEndOfOne = [&](const Member &member) {
    const double time = member.score * unit;
    return isPlausibleTime(time) && time > last && time <= keysEnd && member.bytes.size() <= longestHolder &&
           (!form.element || form.element->matches(member.bytes));
  };
  return std::ranges::any_of(facts.members, isEndOfOne) || std::ranges::any_of(facts.tail, isEndOfOne);
}

bool mayBeStarts(ScoreMeaning ends, const KeyFacts &facts) {
  const auto isNear = [&](const Member &member) { return isOfSynchronisedClock(ends, facts, member); };
  return isEnd(ends) && !facts.areEnds && std::ranges::all_of(facts.members, isNear) && std::ranges::all_of(facts.tail, isNear);
}

bool scoreFits(ScoreMeaning meaning, double score, milliseconds lastRefresh) {
  const double unit = unitOf(meaning);
  if (isStart(meaning))
    return isTime(score, unit) && score * unit <= static_cast<double>(lastRefresh.count());
  return !isEnd(meaning) || isTime(score, unit);
}

bool namesTimes(const Form &form, std::string_view key) {
  const bool isTextbooks = isEnd(form.score) && !form.isNamedLock && form.confidence < surest;
  if (form.type != ValueType::SortedSet || (!form.isNamedLock && !isTextbooks))
    return false;
  const auto word = lastWord(key);
  const bool isOfSemaphore = isTextbooks || (form.isNamedLock && !maySpeakOfLock(key));
  return WordLists(word).has(WordList::Times) || (isOfSemaphore && (word == "queue" || word == "queues"));
}

} // namespace lockhouse
