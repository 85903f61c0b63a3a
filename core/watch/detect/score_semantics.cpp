// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/score_semantics.h"

#include "core/watch/text/id_time.h"
#include "core/watch/text/name_classifier.h"
#include "core/watch/text/token_format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lockhouse {
namespace {

constexpr milliseconds clockSkew = seconds(5), farSkew = seconds(30);
constexpr double surest = 0.9; // of a form that only says what a textbook has

// Clocks that are kept are not further apart; in whole seconds a time may be rounded up as well.
bool isOfKeptClock(ScoreMeaning meaning, const KeyFacts &facts, const Member &member) {
  const milliseconds furthest(unitOf(meaning) > 1 ? 1000 : 500);
  return member.score * unitOf(meaning) <= static_cast<double>((facts.serverTime + furthest).count());
}

// Who gives the key to the end of a hold writes that: no clock is so far ahead by chance. Just before the key ends a time of taking may be as near to it.
bool isKeysEnd(ScoreMeaning meaning, const KeyFacts &facts, const Member &member) {
  const double grain = 500 + unitOf(meaning);
  return facts.ttl && std::abs(member.score * unitOf(meaning) - static_cast<double>((facts.serverTime + *facts.ttl).count())) <= grain &&
         !isOfKeptClock(meaning, facts, member);
}

} // namespace

bool isTime(double score, double unit) { return isPlausibleTime(score * unit); }

bool isEnd(ScoreMeaning meaning) { return meaning == ScoreMeaning::Until || meaning == ScoreMeaning::UntilSeconds; }
bool isStart(ScoreMeaning meaning) { return meaning == ScoreMeaning::Since || meaning == ScoreMeaning::SinceSeconds; }
double unitOf(ScoreMeaning meaning) { return meaning == ScoreMeaning::UntilSeconds || meaning == ScoreMeaning::SinceSeconds ? 1000 : 1; }

// Of a key with a lease where times are in milliseconds, as a library has it, or beside a time that is past, ends are not usual: there a clock
// may be far ahead.
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

bool mayBeTimesOfTaking(ScoreMeaning ends, const KeyFacts &facts) {
  const auto isNear = [&](const Member &member) { return isOfKeptClock(ends, facts, member); };
  return isEnd(ends) && !facts.areEnds && std::ranges::all_of(facts.members, isNear) && std::ranges::all_of(facts.tail, isNear);
}

bool scoreFits(ScoreMeaning meaning, double score, milliseconds lastRefresh) {
  const double unit = unitOf(meaning);
  if (isStart(meaning))
    return isTime(score, unit) && score * unit <= static_cast<double>(lastRefresh.count());
  return !isEnd(meaning) || isTime(score, unit);
}

bool namesTimes(const Form &form, std::string_view key) {
  constexpr std::array words{"schedule", "schedules", "scheduled", "timers", "reminders", "deadlines", "expirations", "due", "delayed", "timeline", "calendar"};
  const bool isTextbooks = isEnd(form.score) && !form.isNamedLock && form.confidence < surest;
  if (form.type != ValueType::SortedSet || (!form.isNamedLock && !isTextbooks))
    return false;
  const auto word = lastWord(key);
  const bool isOfSemaphore = isTextbooks || (form.isNamedLock && !maySpeakOfLock(key));
  return std::ranges::find(words, word) != words.end() || (isOfSemaphore && (word == "queue" || word == "queues"));
}

} // namespace lockhouse
