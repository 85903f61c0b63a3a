// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/family_registry.h"

#include "core/base/ascii.h"
#include "core/base/safe_text.h"
#include "core/watch/detect/built_in_texts.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/detect/family_matcher.h"
#include "core/watch/detect/family_parser.h"
#include "core/watch/detect/key_content.h"
#include "core/watch/detect/score_semantics.h"
#include "core/watch/text/name_words.h"
#include "core/watch/text/token_format.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>

namespace lockhouse {
namespace {

Message problemOf(KeyFacts::Odd odd, const std::string &key) {
  const auto shown = safeText(key, 120);
  switch (odd) {
  case KeyFacts::Odd::OtherType: return LH_MESSAGE("Evidence", "%1 beside it holds something else")(shown);
  case KeyFacts::Odd::Refused: return LH_MESSAGE("Evidence", "%1 beside it may not be read by this user")(shown);
  case KeyFacts::Odd::Unserved:
    return LH_MESSAGE("Evidence", "%1 beside it cannot be read now: the cluster is moving its slot, or does not serve it; look again when it does")(shown);
  case KeyFacts::Odd::Heavy: return LH_MESSAGE("Evidence", "%1 beside it holds entries that are too long to be fetched")(shown);
  }
  return {};
}

// A literal of this many bytes at the head of a name is no accident.
constexpr std::size_t tellingPrefix = 10;
constexpr double unsureEnds = 0.4;
constexpr double certainFamily = 0.75; // below it a lock may be of a library that is not known here

// What anybody's locks may be called: "lock:", "lock.event:"; not "lockhouse:".
bool isEverybodys(std::string_view opening) {
  constexpr std::string_view word = "lock";
  return opening.starts_with(word) && opening.size() > word.size() && (lowered(opening[word.size()]) < 'a' || lowered(opening[word.size()]) > 'z');
}

// Whether no word but one that means lock stands in it: "lock:{name}", "{name}:lock". Anybody's lock may be called so.
bool isAnyonesLock(const Pattern &key) {
  std::vector<std::string> words(1);
  bool isCapture = false;
  for (const char c : key.text()) {
    isCapture = c == '{' || (isCapture && c != '}');
    const char letter = lowered(c);
    if (!isCapture && letter >= 'a' && letter <= 'z')
      words.back().push_back(letter);
    else if (!words.back().empty())
      words.emplace_back();
  }
  std::erase(words, "");
  return words.size() == 1 && (endsLikeLock(words.front()) || WordLists(words.front()).has(WordList::Locks));
}

constexpr std::string_view inLock = "ock"; // of "lock" and "Lock": one search of a name for all patterns with it

std::string_view openingOf(const CompanionKey &companion) { return companion.opening.empty() ? companion.key.prefix() : std::string_view(companion.opening); }

std::vector<Family> readBuiltIn() {
  std::vector<Family> all;
  for (const auto &[file, text] : builtInTexts()) {
    auto read = readFamilies(text, file);
    if (!read) { // of our own files: a test reads each of them
      fmt::print(stderr, "{}\n", read.error().sentence());
      std::abort();
    }
    std::ranges::move(*read, std::back_inserter(all));
  }
  for (auto &family : all) {
    family.recognise = ownRecogniser(family.slug);
    family.surest = surestMatch(family);
  }
  return all;
}

// What stands between the first braces of a name, if anything does, gives its slot, and that of the keys beside it.
bool hasSlotTag(std::string_view key) {
  const auto open = key.find('{'), close = key.find('}', open);
  return open != key.npos && close != key.npos && close > open + 1;
}

// Of members that are surely a library's the scores are what it writes: ends of leases that are over, and no times of taking.
bool areEndsOfALibrarys(std::span<const Family *const> candidates, const KeyFacts &facts) {
  constexpr double sure = 0.9;
  return std::ranges::any_of(candidates, [&](const Family *family) {
    return std::ranges::any_of(family->forms, [&](const Form &form) { return isEnd(form.score) && form.confidence >= sure && formFits(form, facts); });
  });
}

// A user's forms may fit the names of the keys beside his locks too: what is said of these counts.
bool isCompanionOfOwn(const FamilyRegistry &families, const Family &family, const KeyFacts &facts) {
  if (!family.isUsers || family.companion.empty())
    return false;
  return std::ranges::any_of(families.ownersOf(facts.key), [&](const FamilyRegistry::Owner &owner) {
    const auto &[of, form] = families.companionKeys()[owner.form];
    return of == &family && form->type == facts.type && owner.lock != facts.key;
  });
}

} // namespace

const FamilyRegistry &FamilyRegistry::builtIn() {
  static const FamilyRegistry families(readBuiltIn());
  return families;
}

Result<std::shared_ptr<const FamilyRegistry>> FamilyRegistry::with(std::string_view text, std::string_view file) {
  auto all = readBuiltIn();
  auto users = readFamilies(text, file, all);
  if (!users)
    return std::unexpected(std::move(users.error()));
  for (auto &family : *users) {
    family.isUsers = true;
    all.push_back(std::move(family));
  }
  return std::make_shared<const FamilyRegistry>(std::move(all));
}

FamilyRegistry::FamilyRegistry(std::vector<Family> all) : m_all(std::move(all)) { index(); }

void FamilyRegistry::addCandidate(ValueType type, const Candidate &candidate) {
  auto &all = m_candidates[static_cast<std::size_t>(type)];
  const auto isKnown = [&](const Candidate &one) { return one.family == candidate.family && one.value == candidate.value && one.key == candidate.key; };
  if (std::ranges::none_of(all, isKnown))
    all.push_back(candidate);
}

void FamilyRegistry::indexCandidates() {
  const auto outline = [](const std::optional<Pattern> &pattern) { return pattern ? pattern->outline() : Outline(); };
  for (const auto &family : m_all) {
    for (std::size_t type = 0; type < m_candidates.size(); ++type)
      if (looksBeyondForms(family, static_cast<ValueType>(type)))
        addCandidate(static_cast<ValueType>(type), {&family, {}, {}});
    if (knowsItsWaiters(family))
      addCandidate(ValueType::None, {&family, {}, {}});
    for (const auto &form : family.forms) {
      addCandidate(form.type, {&family, form.type == ValueType::String ? outline(form.element) : Outline(), outline(form.key)});
      if (mayWaitAlone(family, form)) // of which the name alone is left
        addCandidate(ValueType::None, {&family, {}, outline(form.key)});
    }
  }
}

std::vector<const Family *> FamilyRegistry::candidatesFor(const KeyFacts &facts) const {
  std::vector<const Family *> found;
  const Sight value(facts.value), key(facts.key);
  for (const auto &[family, ofValue, ofKey] : m_candidates[static_cast<std::size_t>(facts.type)])
    if ((found.empty() || found.back() != family) && ofValue.fits(value) && ofKey.fits(key))
      found.push_back(family);
  return found;
}

void FamilyRegistry::index() {
  indexCandidates();
  for (const auto &family : m_all) {
    m_bySlug.emplace(family.slug, &family);
    Unopened unopened{&family, 0};
    for (const auto &companion : family.companion) {
      if (!companion.opening.empty() && m_companions.size() < mostCompanionKeys)
        unopened.others |= std::uint64_t{1} << m_companions.size();
      m_companions.push_back({&family, &companion});
      m_haveUsersCompanion |= family.isUsers;
      if (companion.role != Role::Support)
        addCompanionName(m_companions.size() - 1);
    }
    if (unopened.others != 0)
      m_unopened.push_back(unopened);
    for (const auto &form : family.forms) {
      const auto type = static_cast<std::size_t>(form.type);
      const bool isEverywhere = family.isUsers && !form.key && form.confidence > 0;
      m_wantsEveryString |= isEverywhere && form.type == ValueType::String;
      m_wantsEveryHash |= isEverywhere && form.type == ValueType::Hash;
      if (form.isAmidOthers && form.key && form.element && form.type == ValueType::Hash)
        m_sifts.emplace_back(&*form.key, form.element->glob());
      if (form.key)
        addName(m_names[type], *form.key, form.confidence > 0);
      else if (form.confidence > 0 && !form.isNamedLock && (family.isUsers || (form.element && form.element->longestLiteral() > 0)))
        m_nameless[type].push_back(&form);
    }
  }
}

void FamilyRegistry::addCompanionName(std::size_t index) {
  const auto &form = *m_companions[index].form;
  if (const auto prefix = openingOf(form); !prefix.empty())
    m_companionNames.byFirst[static_cast<unsigned char>(prefix.front())].push_back(index);
  else if (const auto suffix = form.key.suffix(); !suffix.empty())
    m_companionNames.byLast[static_cast<unsigned char>(suffix.back())].push_back(index);
  else
    m_companionNames.others.emplace_back(form.key.outline(), index);
}

void FamilyRegistry::addName(Names &names, const Pattern &pattern, bool isMatched) {
  const auto add = [&pattern](Names::Patterns &patterns) {
    const auto isSame = [&pattern](const auto &one) { return one.second->text() == pattern.text(); };
    if (std::ranges::none_of(patterns, isSame))
      patterns.insert(std::ranges::upper_bound(patterns, pattern.least(), {}, &Names::Patterns::value_type::first), {pattern.least(), &pattern});
  };
  if (const auto prefix = pattern.prefix(); !prefix.empty())
    add(names.byFirst[static_cast<unsigned char>(prefix.front())]);
  else if (const auto suffix = pattern.suffix(); !suffix.empty())
    add(names.byLast[static_cast<unsigned char>(suffix.back())]);
  else if (isMatched && pattern.longest().contains(inLock))
    add(names.byLock);
  else if (isMatched && pattern.longestLiteral() >= 3) // a word in the middle: every name has to be searched
    std::ranges::for_each(names.byFirst, add);
  else if (isMatched && pattern.longestLiteral() == 0) // its length and its bytes tell
    add(names.byShape);
}

const Family *FamilyRegistry::find(std::string_view slug) const {
  const auto found = m_bySlug.find(slug);
  return found == m_bySlug.end() ? nullptr : found->second;
}

bool FamilyRegistry::nameMayBe(ValueType type, std::string_view key) const {
  if (key.empty())
    return false;
  const auto &names = m_names[static_cast<std::size_t>(type)];
  const auto isAmong = [key](const Names::Patterns &patterns) { // most of a keyspace has names too short for most of them
    const auto end = std::ranges::find_if(patterns, [key](const auto &one) { return one.first > key.size(); });
    return std::any_of(patterns.begin(), end, [key](const auto &one) { return one.second->matches(key); });
  };
  return isAmong(names.byFirst[static_cast<unsigned char>(key.front())]) || isAmong(names.byLast[static_cast<unsigned char>(key.back())]) ||
         isAmong(names.byShape) || (!names.byLock.empty() && key.contains(inLock) && isAmong(names.byLock));
}

std::string_view FamilyRegistry::siftOf(std::string_view key) const {
  const auto found = std::ranges::find_if(m_sifts, [key](const auto &sift) { return sift.first->matches(key); });
  return found == m_sifts.end() ? std::string_view() : found->second;
}

bool FamilyRegistry::firstMayBe(ValueType type, std::string_view element) const {
  return std::ranges::any_of(m_nameless[static_cast<std::size_t>(type)], [&](const Form *form) { return !form->element || form->element->matches(element); });
}

std::optional<LockRecord> FamilyRegistry::recognise(const KeyFacts &facts) const {
  LockRecord best;
  const Family *matchingFamily = nullptr;
  bool isByName = false, isMeant = false, isCompanion = false, isLine = false;
  facts.mayBeCompanion = facts.type == ValueType::List && !ownersOf(facts.key).empty();
  const auto candidates = candidatesFor(facts);
  const bool isUsersOnly = isCompanionOfUsers(facts);
  for (const auto *family : candidates) {
    const double toBeat = family->isUsers ? 0 : best.confidence; // what is meant comes first, however sure another is
    if (family->surest <= toBeat || (isUsersOnly && !family->isUsers))
      continue;
    auto match = isCompanionOfOwn(*this, *family, facts) ? std::nullopt : matchOf(*family, facts, toBeat);
    if (match && family->slug == "handmade-zset" && mayBeStarts(match->draft.scores, facts)) // a form that says so comes first
      match->draft.confidence = std::min(match->draft.confidence, unsureEnds);
    if (!match || match->draft.confidence < lowestConfidence ||
        (matchingFamily && std::pair(match->isMeant, match->draft.confidence) <= std::pair(isMeant, best.confidence)))
      continue;
    best = std::move(match->draft);
    matchingFamily = family;
    isByName = match->isByName;
    isMeant = match->isMeant;
    isCompanion = match->isCompanion;
    isLine = match->isLine;
  }
  if (!matchingFamily || (matchingFamily->slug == "handmade-since" && areEndsOfALibrarys(candidates, facts)))
    return std::nullopt;
  best.family = matchingFamily->slug;
  best.type = isCompanion ? ValueType::None : facts.type;
  best.mayBe = alike(facts, candidates, *matchingFamily, isByName);
  const bool mayBlockElsewhere = facts.isOfCluster && !hasSlotTag(facts.key); // the list lies in another slot then
  if (matchingFamily->waits == Waits::Blocked && best.waiters == 0 && (best.confidence < certainFamily || mayWaitOtherwise(best) || mayBlockElsewhere))
    best.waiters.reset(); // nobody is blocked, but another library's clients need not be
  if (facts.type == ValueType::String && facts.size > longestHolder && best.holders.size() == 1 && best.holders.front().id == facts.value) {
    best.holders.front().bytes = facts.size;
    best.evidence.push_back(LH_MESSAGE("Evidence", "value is cut: it has %1 bytes, of which the first %2 were read")(facts.size, facts.value.size()));
  }
  const bool isCounted = isCompanion || isLine || facts.type == ValueType::String || facts.type == ValueType::SortedSet; // by what its scores mean
  if (const auto read = facts.fields.size() + facts.members.size() + facts.passed; !isCounted && facts.size > read) {
    const bool areHolds = facts.passed == 0 || facts.fields.size() >= mostRead; // else they are mostly something else
    if (best.unread == 0 && areHolds)                                           // else its recogniser knows how many entries make a hold
      best.unread = facts.size - read;
    best.evidence.push_back(LH_MESSAGE("Evidence", "it has %1 entries, of which %2 were read")(facts.size, read));
  }
  if (best.holders.empty() && best.queue.empty() && best.waiters.value_or(0) == 0 && best.unread == 0 && !best.number)
    return std::nullopt; // all who held it have lapsed, and nobody is known to wait
  for (const auto &[key, odd] : facts.problems) {
    best.evidence.push_back(problemOf(odd, key));
    if (odd == KeyFacts::Odd::OtherType)
      best.foreign.push_back(key);
    else if (facts.isClosed(key))
      best.closed.push_back(key);
  }
  return best;
}

bool FamilyRegistry::mayWaitOtherwise(const LockRecord &lock) const {
  return std::ranges::any_of(lock.mayBe, [this](const std::string &slug) {
    const auto *family = find(slug);
    return !family || family->waits != Waits::Blocked;
  });
}

// A library known by its values alone is named beside one that is known so too; under another library's name it is not.
std::vector<std::string> FamilyRegistry::alike(const KeyFacts &facts, std::span<const Family *const> candidates, const Family &matchingFamily, bool isByName) {
  std::vector<std::string> slugs;
  for (const auto *family : candidates) {
    const auto fits = [&](const Form &form) {
      const bool isMeant = form.confidence == 0 || !family->recognise; // what has a recogniser of its own proves nothing by its form
      const bool isSeen = !form.hasEvidence || hasCompanionEvidence(*family, facts);
      return isMeant && isSeen && (form.key.has_value() || !isByName) && formFits(form, facts);
    };
    if (family != &matchingFamily && std::ranges::any_of(family->forms, fits) && !isRefuted(*family, facts))
      slugs.push_back(family->slug);
  }
  return slugs;
}

std::optional<FamilyRegistry::MemberOf> FamilyRegistry::memberOf(std::string_view key, std::optional<std::string_view> value) const {
  for (const auto &[family, others] : m_unopened)
    for (const auto &form : family->forms) {
      if (form.confidence > 0 || !form.key || (value && !(form.element && form.element->matches(*value))))
        continue;
      if (form.key->matches(key))
        return MemberOf{family, std::string(key), others};
      for (const auto &companion : family->companion)
        if (Captures captures; !key.starts_with(companion.opening) && companion.key.matches(key, &captures))
          if (auto lock = form.key->filled(captures))
            return MemberOf{family, std::move(*lock), others};
    }
  return std::nullopt;
}

// A user's form of another family has that name.
bool FamilyRegistry::isMeantByOthers(const Family &family, std::string_view key) const {
  const auto isMeant = [key](const Form &form) { return form.key && form.confidence >= shownConfidence && form.key->matches(key); };
  return std::ranges::any_of(m_all, [&](const Family &each) { return each.isUsers && &each != &family && std::ranges::any_of(each.forms, isMeant); });
}

// What a user says lies beside his locks is none of a library's, whether those are there or not; but for what may have holders of its own.
bool FamilyRegistry::isCompanionOfUsers(const KeyFacts &facts) const {
  const auto isNobodys = [](Role role) {
    return role == Role::Queue || role == Role::Deadlines || role == Role::Counter || role == Role::Signal || role == Role::Part;
  };
  const auto isNamed = [](const Family &family, std::string_view lock) {
    return std::ranges::any_of(family.forms, [lock](const Form &form) { return form.key && form.key->longestLiteral() > 0 && form.key->matches(lock); });
  };
  return std::ranges::any_of(usersOwnersOf(facts.key), [&](const Owner &owner) {
    const auto &[family, form] = m_companions[owner.form];
    const bool mayBeIt = form->role != Role::Counter || parseFence(facts.value);
    return form->type == facts.type && isNobodys(form->role) && mayBeIt && !isAnyonesLock(form->key) && owner.lock != facts.key && isNamed(*family, owner.lock);
  });
}

std::vector<FamilyRegistry::Owner> FamilyRegistry::usersOwnersOf(std::string_view key) const {
  auto owners = m_haveUsersCompanion ? ownersOf(key) : std::vector<Owner>();
  std::erase_if(owners, [this](const Owner &owner) { return !m_companions[owner.form].family->isUsers; });
  return owners;
}

std::vector<FamilyRegistry::Owner> FamilyRegistry::ownersOf(std::string_view key) const {
  std::vector<Owner> owners;
  if (key.empty())
    return owners;
  const auto add = [&](std::size_t index) {
    const auto &[family, companion] = m_companions[index];
    const auto prefix = openingOf(*companion);
    Captures captures;
    if (!key.starts_with(prefix) || !companion->key.matches(key, &captures)) // most of them by how they open
      return;
    const bool isCertain = prefix.size() >= tellingPrefix && !isEverybodys(prefix) && !isMeantByOthers(*family, key);
    if (const auto lock = captures.find("lock")) {
      owners.push_back({std::string(*lock), index, isCertain});
      return;
    }
    for (const auto &form : family->forms)
      if (const auto lock = form.key ? form.key->filled(captures) : std::nullopt; lock && *lock != key)
        owners.push_back({*lock, index, isCertain});
  };
  std::ranges::for_each(m_companionNames.byFirst[static_cast<unsigned char>(key.front())], add);
  std::ranges::for_each(m_companionNames.byLast[static_cast<unsigned char>(key.back())], add);
  for (const Sight sight(key); const auto &[outline, index] : m_companionNames.others)
    if (outline.fits(sight))
      add(index);
  std::ranges::sort(owners, {}, [](const Owner &owner) { return std::pair(owner.form, std::string_view(owner.lock)); });
  const auto repeated = std::ranges::unique(owners, [](const Owner &a, const Owner &b) { return a.form == b.form && a.lock == b.lock; });
  owners.erase(repeated.begin(), repeated.end());
  return owners;
}

} // namespace lockhouse
