// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/family_matcher.h"
#include "core/watch/text/id_time.h"

#include "core/watch/detect/score_semantics.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/name_classifier.h"
#include "core/watch/text/token_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>

namespace lockhouse {
namespace {

constexpr double unsureAsData = 0.4;      // below what is shown
constexpr double unexpectedFactor = 0.85; // leaves what a lock written by hand is worth above shownConfidence
constexpr std::size_t tellingName = 4;    // a literal of this many bytes in a form's name
constexpr double telling = 0.9;           // of a form whose names of key and fields tell without the values
constexpr double unsure = 0.4;

bool fits(const std::optional<Pattern> &pattern, std::string_view bytes, Captures *captures = nullptr) { return !pattern || pattern->matches(bytes, captures); }

bool isOne(const Form &form, std::string_view element) { return element.size() <= longestHolder && fits(form.element, element); }

bool fieldFits(const Form &form, const std::pair<std::string, std::string> &field) { return isOne(form, field.first) && fits(form.content, field.second); }

bool memberFits(const Form &form, const Member &member, milliseconds until) { return isOne(form, member.bytes) && scoreFits(form.score, member.score, until); }

// As a library writes it, but for a score that is no time: to the library it is a number like any other.
bool isTimeless(const Form &form, const Member &member) {
  const bool hasEnds = isEnd(form.score);
  const bool isOdd = std::isinf(member.score) || (hasEnds && !form.isNamedLock && !isTime(member.score, unitOf(form.score)));
  return isOdd && (hasEnds || isStart(form.score)) && isOne(form, member.bytes);
}

// The same of a field whose value is to be the time since when it is held.
bool isTimelessField(const Form &form, const std::pair<std::string, std::string> &field) {
  return form.element && form.content && form.content->captures("since") && isOne(form, field.first) && !fits(form.content, field.second);
}

std::size_t timelessIn(const Form &form, const KeyFacts &facts) {
  if (form.type == ValueType::Hash)
    return static_cast<std::size_t>(std::ranges::count_if(facts.fields, std::bind_front(isTimelessField, std::cref(form))));
  if (form.type == ValueType::SortedSet)
    return static_cast<std::size_t>(std::ranges::count_if(facts.members, std::bind_front(isTimeless, std::cref(form))));
  return 0;
}

struct Parts {
  std::size_t good = 0, bad = 0;
};

Parts partsOf(const Form &form, const KeyFacts &facts) {
  const auto counted = [](const auto &parts, auto test) {
    const auto good = static_cast<std::size_t>(std::ranges::count_if(parts, test));
    return Parts{good, parts.size() - good};
  };
  switch (form.type) {
  case ValueType::String: return isOne(form, facts.value) ? Parts{1, 0} : Parts{0, 1};
  case ValueType::Hash: return counted(facts.fields, [&form](const auto &field) { return fieldFits(form, field); });
  case ValueType::List:
  case ValueType::Set:
  case ValueType::SortedSet:
    return counted(facts.members, [&, until = lastRefresh(form, facts)](const Member &member) { return memberFits(form, member, until); });
  default: return {};
  }
}

// A list or table of what is kept about locks.
bool namesRecords(const Form &form, const KeyFacts &facts) { return form.isNamedLock && !form.key && form.type != ValueType::String && facts.name().overview; }

bool nameFits(const Form &form, const KeyFacts &facts) {
  if (form.type != facts.type || (form.isLeased && !facts.ttl) || !fits(form.key, facts.key))
    return false;
  if (namesTimes(form, facts.key) || namesRecords(form, facts))
    return false;
  if (!form.isNamedLock)
    return true;
  if (!maySpeakOfLock(facts.key, lockWordsOf(facts.type)))
    return false;
  const auto &name = facts.name();
  const bool speaks = name.namesLock() && !(name.mixed && form.type == ValueType::String);
  return speaks && (!(name.needsLease || name.shutsOut) || facts.ttl);
}

std::int64_t countOf(const Captures &captures) {
  const auto text = captures.find("count").value_or("1");
  std::int64_t count = 1;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return std::max<std::int64_t>(1, count);
}

Captures capturedIn(const Form &form, std::string_view element, std::string_view content) {
  Captures captures;
  if (form.element)
    form.element->matches(element, &captures);
  if (form.content)
    form.content->matches(content, &captures);
  return captures;
}

std::optional<milliseconds> endIn(const Captures &captures) {
  const auto until = captures.find("until");
  return until ? instantOf(*until) : std::nullopt;
}

/// What the ends of several holders add up to. Whoever is past his own holds no more, though he lies there until somebody clears him away.
struct Ends {
  double last = 0; // epoch ms
  std::size_t lapsed = 0;
  bool lapses(const KeyFacts &facts, double epochMs) {
    const bool isOver = epochMs <= static_cast<double>(facts.serverTime.count());
    lapsed += isOver ? 1 : 0;
    return isOver;
  }
  void count(const KeyFacts &facts, double epochMs, Holder &holder) {
    last = std::max(last, epochMs);
    holder.expiresAt = endOf(facts, epochMs);
  }
  void tell(const KeyFacts &facts, LockRecord &draft) const {
    if (lapsed > 0)
      draft.evidence.push_back(LH_MESSAGE("Evidence", "holders that have lapsed and were not cleared away yet: %1")(lapsed));
    if (last > 0)
      draft.expiresAt = endOf(facts, last);
  }
};

void addHolder(const Form &form, const KeyFacts &facts, std::string_view element, const Captures &captures, LockRecord &draft) {
  draft.holders.push_back({std::string(element), countOf(captures), form.mode});
  if (const auto fence = captures.find("fence"))
    draft.fence = parseFence(*fence);
  joinMetadata(draft.extras, metadataOf(captures, facts.serverTime), draft.holders.size() - 1);
}

// The only one there: what he names ends the lock.
void addOnly(const Form &form, const KeyFacts &facts, std::string_view element, std::string_view content, LockRecord &draft) {
  const auto captures = capturedIn(form, element, content);
  addHolder(form, facts, element, captures, draft);
  const auto end = endIn(captures);
  if (end && (!facts.ttl || *end < facts.serverTime + *facts.ttl)) // what its clients go by
    noteEnd(facts, *end, draft);
}

// One of several, who may name an end of his own.
void addOne(const Form &form, const KeyFacts &facts, std::string_view element, std::string_view content, LockRecord &draft, Ends &ends) {
  const auto captures = capturedIn(form, element, content);
  const auto end = endIn(captures);
  const double at = end ? static_cast<double>(end->count()) : std::numeric_limits<double>::infinity();
  if (ends.lapses(facts, at))
    return;
  addHolder(form, facts, element, captures, draft);
  ends.count(facts, at, draft.holders.back());
}

// A sorted set keeps who lapsed until somebody calls.
void addMembers(const Form &form, const KeyFacts &facts, LockRecord &draft) {
  const double unit = unitOf(form.score);
  const bool hasEnds = isEnd(form.score);
  const bool hasTimes = hasEnds || isStart(form.score);
  const auto until = lastRefresh(form, facts);
  Ends ends;
  std::size_t timeless = 0;
  const auto add = [&](const Member &member) {
    const bool isOdd = isTimeless(form, member);
    timeless += isOdd ? 1 : 0;
    if (!isOdd && !memberFits(form, member, until))
      return;
    if ((isOdd || hasEnds) && ends.lapses(facts, member.score * unit))
      return;
    if (!hasEnds)
      return addOne(form, facts, member.bytes, {}, draft, ends);
    addHolder(form, facts, member.bytes, capturedIn(form, member.bytes, {}), draft);
    ends.count(facts, member.score * unit, draft.holders.back());
  };
  std::ranges::for_each(facts.members, add);
  if (hasTimes)
    std::ranges::for_each(facts.tail, add);
  const auto read = facts.members.size() + (hasTimes ? facts.tail.size() : 0);
  if (facts.type == ValueType::SortedSet && facts.size > read) { // of others FamilyRegistry counts what was not read
    const bool areLapsed = hasEnds && !facts.tail.empty() && facts.tail.front().score * unit <= static_cast<double>(facts.serverTime.count());
    draft.unread = areLapsed ? 0 : facts.size - read; // all between what was read at both ends
    draft.evidence.push_back(LH_MESSAGE("Evidence", "it has %1 entries, of which %2 were read")(facts.size, read));
  }
  if (timeless > 0)
    draft.evidence.push_back(LH_MESSAGE("Evidence", "scores that are no times: %1")(timeless));
  ends.tell(facts, draft);
}

void addParts(const Form &form, const KeyFacts &facts, LockRecord &draft) {
  if (form.type == ValueType::String)
    return addOnly(form, facts, facts.value, {}, draft);
  if (form.type != ValueType::Hash)
    return addMembers(form, facts, draft);
  Ends ends;
  for (const auto &field : facts.fields)
    if (fieldFits(form, field) || isTimelessField(form, field))
      form.isLone ? addOnly(form, facts, field.first, field.second, draft) : addOne(form, facts, field.first, field.second, draft, ends);
  ends.tell(facts, draft);
  if (const auto timeless = timelessIn(form, facts); timeless > 0)
    draft.evidence.push_back(LH_MESSAGE("Evidence", "values that are no times: %1")(timeless));
}

// A value that is how many hold it, and names nobody.
bool isMereNumber(const Family &family, const Form &form) {
  return !family.isUsers && family.releaseClass.contains('E') && form.type == ValueType::String && form.element && form.element->captures("count");
}

// Permits that are free, or what a latch has left to count: nobody's hold.
void tellNumber(const Family &family, const Form &form, const KeyFacts &facts, LockRecord &draft) {
  const auto captures = family.releaseClass.contains('E') && form.type == ValueType::String ? capturedIn(form, facts.value, {}) : Captures();
  for (const std::string_view name : {"free", "left"})
    if (const auto text = captures.find(name)) {
      std::from_chars(text->data(), text->data() + text->size(), draft.number.emplace());
      draft.holders.clear();
      draft.extras.push_back({std::string(name), std::string(*text)});
    }
}

// Due dates, reservations and warranties are sorted by such scores too.
void doubtFarEnds(const Form &form, const KeyFacts &facts, LockRecord &draft) {
  constexpr milliseconds farthest = std::chrono::days(1);
  const auto isFar = [&](const Holder &holder) { return holder.expiresAt && *holder.expiresAt > facts.seenAt + farthest; };
  if (!form.isNamedLock || !isEnd(form.score) || std::ranges::none_of(draft.holders, isFar))
    return;
  draft.confidence = std::min(draft.confidence, unsure);
  draft.evidence.emplace_back(LH_MESSAGE("Evidence", "ends that lie more than a day ahead, as those of locks do not"));
}

// A word that anyone may put before his locks' names.
bool isAnyonesName(const Pattern &key) { return key.text() == "mutex:{name}" || key.text() == "redlock:{name}"; }

} // namespace

bool isRefuted(const Family &family, const KeyFacts &facts) {
  return std::ranges::any_of(family.companion, [&](const CompanionKey &companion) {
    return !facts.find(companion) && std::ranges::any_of(facts.companion, [&](const CompanionFacts &other) {
      return other.form->type != companion.type && other.key == companionName(family, companion.key, facts.key);
    });
  });
}

bool hasCompanionEvidence(const Family &family, const KeyFacts &facts) {
  const auto isThere = [&](const CompanionKey &companion) {
    const auto *found = facts.find(companion);
    const bool isOthers = found && companion.role == Role::Signal && !family.isUsers && found->size > 1; // a library that wakes by a push leaves one
    return found && !isOthers;
  };
  return std::ranges::any_of(family.companion, isThere) && !isRefuted(family, facts);
}

std::optional<SteadyTime> endOf(const KeyFacts &facts, double epochMs) {
  if (!isTime(epochMs, 1))
    return std::nullopt;
  return facts.seenAt + (milliseconds(static_cast<std::int64_t>(epochMs)) - facts.serverTime);
}

void noteEnd(const KeyFacts &facts, milliseconds end, LockRecord &draft, const Message &over) {
  draft.expiresAt = endOf(facts, static_cast<double>(end.count()));
  draft.isOver = end <= facts.serverTime;
  if (draft.isOver)
    draft.evidence.push_back(over);
}

std::optional<std::size_t> unexpectedEntriesOf(const Form &form, const KeyFacts &facts, bool isSupported) {
  if (!nameFits(form, facts))
    return std::nullopt;
  const auto [good, bad] = partsOf(form, facts);
  const bool isNamed = form.key && form.key->longestLiteral() >= tellingName;
  const auto odd = timelessIn(form, facts);
  if (good == 0 && bad > 0 && odd == bad) {
    const bool isTold = form.type == ValueType::Hash ? isNamed && form.confidence >= telling : isNamed || facts.name().lock;
    return isTold || isSupported ? std::optional(bad) : std::nullopt;
  }
  if (good == 0 || (form.isLone && (good > 1 || (form.isAmidOthers && bad > 0))))
    return std::nullopt;
  if (bad == 0 || form.isAmidOthers)
    return 0;
  const auto own = good + odd, others = bad - odd; // one alone that is off makes no stranger of who wrote it
  return own > others || ((isNamed || isSupported) && own == others) ? std::optional(bad) : std::nullopt;
}

bool formFits(const Form &form, const KeyFacts &facts) { return unexpectedEntriesOf(form, facts, false) == std::size_t{0}; }

const Form *fittingForm(const Family &family, const KeyFacts &facts, Captures *captures, bool isSupported) {
  const Form *found = nullptr;
  std::optional<std::pair<bool, std::size_t>> best; // some strays amid what is surely one's are likelier than a form that fits all sorts
  for (const auto &form : family.forms) {
    const auto unexpectedEntries = unexpectedEntriesOf(form, facts, isSupported);
    const std::pair rank(form.confidence > 0 && form.confidence < shownConfidence, unexpectedEntries.value_or(0));
    if (!unexpectedEntries || (best && *best <= rank) || (form.hasEvidence && !hasCompanionEvidence(family, facts)) ||
        (!family.isUsers && holdsEnds(form, facts)))
      continue;
    found = &form;
    best = rank;
  }
  if (found && captures && found->key)
    found->key->matches(facts.key, captures);
  return found;
}

void doubtAsData(LockRecord &draft) {
  draft.confidence = std::min(draft.confidence, unsureAsData);
  draft.evidence.emplace_back(LH_MESSAGE("Evidence", "the name speaks of other data, whose members may have ends too"));
}

void noteUnexpected(std::size_t unexpectedEntries, LockRecord &draft) {
  if (unexpectedEntries == 0)
    return;
  draft.unexpectedEntries = unexpectedEntries;
  draft.confidence *= unexpectedFactor;
  draft.evidence.push_back(LH_MESSAGE("Evidence", "entries that are not what its library writes: %1")(unexpectedEntries));
}

bool looksLikeOwner(std::string_view id) {
  static const Pattern ofHost = *Pattern::parse("{host:word}:{pid:digits}"), ofPhp = *Pattern::parse("{host:word}|{pid:digits}");
  return tokenFormat(id).kind != TokenFormat::Class::None || ofHost.matches(id) || ofPhp.matches(id);
}

void doubtMixedName(const Form &form, const KeyFacts &facts, LockRecord &draft) {
  const auto &name = facts.name();
  if (!form.isNamedLock || !name.mixed)
    return;
  const bool isLikely = facts.ttl && !name.needsLease && !name.hidden && std::ranges::all_of(draft.holders, looksLikeOwner, &Holder::id);
  draft.confidence = std::min(draft.confidence, isLikely ? shownConfidence : unsure);
  draft.evidence.emplace_back(LH_MESSAGE("Evidence", "its name speaks of another use too"));
}

LockRecord draftOf(const Family &family, const Form &form, const KeyFacts &facts) {
  LockRecord draft;
  draft.kind = family.kind;
  draft.scores = form.score;
  draft.confidence = form.confidence;
  if (!form.evidence.empty())
    draft.evidence.push_back(evidenceOf(form));
  addParts(form, facts, draft);
  doubtMixedName(form, facts, draft);
  tellNumber(family, form, facts, draft);
  if (isMereNumber(family, form))
    for (auto &holder : draft.holders)
      holder.id.clear();
  if (!form.isAmidOthers && form.type != ValueType::String) // which is of one part
    noteUnexpected(partsOf(form, facts).bad, draft);
  if (form.key) {
    Captures ofName;
    form.key->matches(facts.key, &ofName);
    for (auto &extra : metadataOf(ofName, facts.serverTime))
      if (std::ranges::find(draft.extras, extra.name, &MetadataEntry::name) == draft.extras.end())
        draft.extras.push_back(std::move(extra));
    std::ranges::sort(draft.extras, {}, &MetadataEntry::name);
  }
  addCompanion(family, facts, draft);
  if (form.isWaiting)
    for (auto &holder : std::exchange(draft.holders, {})) {
      draft.queue.push_back({std::move(holder.id), std::nullopt});
      draft.waiters = draft.waiters.value_or(0) + 1;
    }
  return draft;
}

std::optional<FamilyMatch> matchByForms(const Family &family, const KeyFacts &facts, double above) {
  const Form *best = nullptr;
  double trust = above;
  const bool hasEvidence = hasCompanionEvidence(family, facts);
  for (const auto &form : family.forms) {
    const auto unexpectedEntries = form.confidence > trust && (hasEvidence || !form.hasEvidence) ? unexpectedEntriesOf(form, facts, hasEvidence) : std::nullopt;
    const auto worth = form.confidence * (unexpectedEntries.value_or(0) > 0 ? unexpectedFactor : 1);
    if (!unexpectedEntries || worth <= trust || (!family.isUsers && holdsEnds(form, facts)))
      continue;
    best = &form;
    trust = worth;
  }
  if (!best)
    return std::nullopt;
  auto match = isLine(family, *best) ? matchLine(family, *best, facts) : FamilyMatch{.draft = draftOf(family, *best, facts)};
  match.isByName = best->key && !isAnyonesName(*best->key);
  if (!family.isUsers)
    doubtFarEnds(*best, facts, match.draft);
  match.isMeant = family.isUsers && best->key && best->key->longestLiteral() > 0 && match.draft.confidence >= shownConfidence;
  const bool isCut = facts.type == ValueType::SortedSet ? match.draft.unread > 0 : facts.size > facts.fields.size() + facts.members.size();
  if (!match.isMeant && match.draft.holders.empty() && match.draft.queue.empty() && !match.draft.number && (!isCut || facts.type == ValueType::String))
    return std::nullopt; // all of them have lapsed, and nobody waits; of what is meant it is nobody else's then
  return match;
}

std::optional<FamilyMatch> matchOf(const Family &family, const KeyFacts &facts, double above) {
  if (facts.type == ValueType::None && (!family.recognise || knowsItsWaiters(family)))
    return matchQueueAlone(family, facts);
  return family.recognise ? family.recognise(family, facts) : matchByForms(family, facts, above);
}

} // namespace lockhouse
