// SPDX-License-Identifier: Apache-2.0
#include "core/watch/families.h"

#include "core/watch/family_text.h"
#include "core/watch/key_content.h"
#include "core/watch/recognisers/built_in_texts.h"
#include "core/watch/recognisers/claim.h"
#include "core/watch/recognisers/every_claim.h"
#include "core/watch/token_shape.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>

namespace lockhouse {
namespace {

// A literal of this many bytes at the head of a name is no accident.
constexpr std::size_t tellingPrefix = 10;
constexpr double certainFamily = 0.75;           // below it a lock may be of a library that is not known here
constexpr std::string_view everybodys = "lock:"; // what many libraries' locks are called, whatever stands behind it

constexpr std::string_view inLock = "ock"; // of "lock" and "Lock": one search of a name for all patterns with it

std::string_view openingOf(const BesideForm &beside) { return beside.opening.empty() ? beside.key.prefix() : std::string_view(beside.opening); }

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
  for (auto &family : all)
    family.recognise = ownRecogniser(family.slug);
  return all;
}

} // namespace

const Families &Families::builtIn() {
  static const Families families(readBuiltIn());
  return families;
}

Result<std::shared_ptr<const Families>> Families::with(std::string_view text, std::string_view file) {
  auto all = readBuiltIn();
  auto users = readFamilies(text, file, all);
  if (!users)
    return std::unexpected(std::move(users.error()));
  std::size_t beside = 0;
  for (const auto &family : all)
    beside += family.beside.size();
  for (auto &family : *users) {
    beside += family.beside.size();
    if (beside > mostBesideForms)
      return fail(ErrorCode::Usage, fmt::format("the family '{}' has more keys beside its locks than there is room for", family.slug), std::string(file),
                  "leave out those that hold nothing of a lock");
    family.isUsers = true;
    all.push_back(std::move(family));
  }
  return std::make_shared<const Families>(std::move(all));
}

Families::Families(std::vector<Family> all) : m_all(std::move(all)) { index(); }

void Families::Candidates::add(std::size_t family, const Form &form, std::size_t families) {
  const auto prefix = form.key ? form.key->prefix() : std::string_view();
  const auto suffix = form.key ? form.key->suffix() : std::string_view();
  const auto put = [&](Bits &bits) {
    bits.resize(families / 64 + 1);
    bits[family / 64] |= std::uint64_t{1} << family % 64;
  };
  put(!prefix.empty() ? byFirst[static_cast<unsigned char>(prefix.front())] : !suffix.empty() ? byLast[static_cast<unsigned char>(suffix.back())] : always);
  for (std::size_t size = 0; size < bySize.size(); ++size) {
    const bool isLast = size + 1 == bySize.size();
    if (form.type != ValueType::String || !form.element || ((isLast || form.element->least() <= size) && form.element->most() >= size))
      put(bySize[size]);
  }
}

void Families::indexCandidates() {
  for (std::size_t i = 0; i < m_all.size(); ++i) {
    for (const auto &form : m_all[i].forms) {
      m_candidates[static_cast<std::size_t>(form.type)].add(i, form, m_all.size());
      if (!mayWaitAlone(m_all[i], form))
        continue;
      Form free; // of which the name alone is left
      free.key = form.key;
      m_candidates[static_cast<std::size_t>(ValueType::None)].add(i, free, m_all.size());
    }
    if (m_all[i].recognise) // its forms say only a part of what it looks at
      for (auto &ofType : m_candidates)
        ofType.add(i, Form(), m_all.size());
  }
}

// In the order of m_all.
template <class Visit> void Families::eachCandidate(const KeyFacts &facts, Visit visit) const {
  const auto &candidates = m_candidates[static_cast<std::size_t>(facts.type)];
  static const Candidates::Bits none;
  const auto &first = facts.key.empty() ? none : candidates.byFirst[static_cast<unsigned char>(facts.key.front())];
  const auto &last = facts.key.empty() ? none : candidates.byLast[static_cast<unsigned char>(facts.key.back())];
  const auto &ofSize = candidates.ofSize(facts.value.size());
  for (std::size_t word = 0; word < ofSize.size(); ++word) {
    std::uint64_t bits = 0;
    for (const auto *of : {&candidates.always, &first, &last})
      bits |= word < of->size() ? (*of)[word] : 0;
    for (bits &= ofSize[word]; bits != 0; bits &= bits - 1)
      visit(m_all[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))]);
  }
}

void Families::index() {
  indexCandidates();
  for (const auto &family : m_all) {
    m_bySlug.emplace(family.slug, &family);
    Unopened unopened{&family, 0};
    for (const auto &beside : family.beside) {
      if (!beside.opening.empty() && m_beside.size() < mostBesideForms)
        unopened.others |= std::uint64_t{1} << m_beside.size();
      m_beside.push_back({&family, &beside});
      if (const auto prefix = openingOf(beside); !prefix.empty())
        m_besideEnds[0][static_cast<unsigned char>(prefix.front())] = true;
      else if (const auto suffix = beside.key.suffix(); !suffix.empty())
        m_besideEnds[1][static_cast<unsigned char>(suffix.back())] = true;
      else if (beside.role != Role::Witness && beside.key.longestLiteral() >= tellingPrefix)
        m_besideWords.push_back(beside.key.longest());
      else if (beside.role != Role::Witness)
        m_besideEnds[0].set();
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

void Families::addName(Names &names, const Pattern &pattern, bool isClaimed) {
  const auto add = [&pattern](Names::Patterns &patterns) {
    const auto isSame = [&pattern](const auto &one) { return one.second->text() == pattern.text(); };
    if (std::ranges::none_of(patterns, isSame))
      patterns.insert(std::ranges::upper_bound(patterns, pattern.least(), {}, &Names::Patterns::value_type::first), {pattern.least(), &pattern});
  };
  if (const auto prefix = pattern.prefix(); !prefix.empty())
    add(names.byFirst[static_cast<unsigned char>(prefix.front())]);
  else if (const auto suffix = pattern.suffix(); !suffix.empty())
    add(names.byLast[static_cast<unsigned char>(suffix.back())]);
  else if (isClaimed && pattern.longest().contains(inLock))
    add(names.byLock);
  else if (isClaimed && pattern.longestLiteral() >= 3) // a word in the middle: every name has to be searched
    std::ranges::for_each(names.byFirst, add);
  else if (isClaimed && pattern.longestLiteral() == 0) // its length and its bytes tell
    add(names.byShape);
}

const Family *Families::find(std::string_view slug) const {
  const auto found = m_bySlug.find(slug);
  return found == m_bySlug.end() ? nullptr : found->second;
}

bool Families::nameMayBe(ValueType type, std::string_view key) const {
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

std::string_view Families::siftOf(std::string_view key) const {
  const auto found = std::ranges::find_if(m_sifts, [key](const auto &sift) { return sift.first->matches(key); });
  return found == m_sifts.end() ? std::string_view() : found->second;
}

bool Families::firstMayBe(ValueType type, std::string_view element) const {
  return std::ranges::any_of(m_nameless[static_cast<std::size_t>(type)], [&](const Form *form) { return !form->element || form->element->matches(element); });
}

std::optional<LockRecord> Families::recognise(const KeyFacts &facts) const {
  LockRecord best;
  const Family *claimant = nullptr;
  bool isByName = false, isMeant = false, isBeside = false, isLine = false;
  facts.mayLieBeside = facts.type == ValueType::List && !ownersOf(facts.key).empty();
  eachCandidate(facts, [&](const Family &family) {
    auto claim = claimOf(family, facts);
    if (!claim || claim->draft.confidence < lowestConfidence ||
        (claimant && std::pair(claim->isMeant, claim->draft.confidence) <= std::pair(isMeant, best.confidence)))
      return;
    best = std::move(claim->draft);
    claimant = &family;
    isByName = claim->isByName;
    isMeant = claim->isMeant;
    isBeside = claim->isBeside;
    isLine = claim->isLine;
  });
  if (!claimant)
    return std::nullopt;
  best.family = claimant->slug;
  best.type = isBeside ? ValueType::None : facts.type;
  best.mayBe = alike(facts, *claimant, isByName);
  if (claimant->waits == Waits::Blocked && best.waiters == 0 && (best.confidence < certainFamily || mayWaitOtherwise(best)))
    best.waiters.reset(); // nobody is blocked, but another library's clients need not be
  if (facts.type == ValueType::String && facts.size > longestHolder && best.holders.size() == 1 && best.holders.front().id == facts.value) {
    best.holders.front().bytes = facts.size;
    best.evidence.push_back(fmt::format("value is cut: it has {} bytes, of which the first {} were read", facts.size, facts.value.size()));
  }
  const bool isCounted = isBeside || isLine || facts.type == ValueType::String || facts.type == ValueType::SortedSet; // by what its scores mean
  if (const auto read = facts.fields.size() + facts.members.size() + facts.passed; !isCounted && facts.size > read) {
    const bool areHolds = facts.passed == 0 || facts.fields.size() >= mostMembers; // else they are mostly something else
    if (best.unread == 0 && areHolds)                                              // else its recogniser knows how many entries make a hold
      best.unread = facts.size - read;
    best.evidence.push_back(fmt::format("it has {} entries, of which {} were read", facts.size, read));
  }
  if (best.holders.empty() && best.queue.empty() && best.waiters.value_or(0) == 0 && best.unread == 0 && !best.number)
    return std::nullopt; // all who held it have lapsed, and nobody is known to wait
  best.evidence.insert(best.evidence.end(), facts.oddities.begin(), facts.oddities.end());
  best.foreign = facts.foreign;
  return best;
}

bool Families::mayWaitOtherwise(const LockRecord &lock) const {
  return std::ranges::any_of(lock.mayBe, [this](const std::string &slug) {
    const auto *family = find(slug);
    return !family || family->waits != Waits::Blocked;
  });
}

// A library known by its values alone is named beside one that is known so too; under another library's name it is not.
std::vector<std::string> Families::alike(const KeyFacts &facts, const Family &claimant, bool isByName) const {
  std::vector<std::string> slugs;
  eachCandidate(facts, [&](const Family &family) {
    const auto fits = [&](const Form &form) {
      const bool isMeant = form.confidence == 0 || !family.recognise; // what has a recogniser of its own proves nothing by its form
      const bool isSeen = !form.isWitnessed || isWitnessedBy(family, facts);
      return isMeant && isSeen && (form.key.has_value() || !isByName) && formFits(form, facts);
    };
    if (&family != &claimant && std::ranges::any_of(family.forms, fits) && !isRefuted(family, facts))
      slugs.push_back(family.slug);
  });
  return slugs;
}

std::optional<Families::MemberOf> Families::memberOf(std::string_view key, std::optional<std::string_view> value) const {
  for (const auto &[family, others] : m_unopened)
    for (const auto &form : family->forms) {
      if (form.confidence > 0 || !form.key || (value && !(form.element && form.element->matches(*value))))
        continue;
      if (form.key->matches(key))
        return MemberOf{family, std::string(key), others};
      for (const auto &beside : family->beside)
        if (Captures captures; !key.starts_with(beside.opening) && beside.key.matches(key, &captures))
          if (auto lock = form.key->filled(captures))
            return MemberOf{family, std::move(*lock), others};
    }
  return std::nullopt;
}

std::vector<Families::Owner> Families::ownersOf(std::string_view key) const {
  std::vector<Owner> owners;
  const auto isIn = [key](std::string_view word) { return key.find(word) != key.npos; };
  if (key.empty() || !(m_besideEnds[0][static_cast<unsigned char>(key.front())] || m_besideEnds[1][static_cast<unsigned char>(key.back())] ||
                       std::ranges::any_of(m_besideWords, isIn)))
    return owners;
  for (std::size_t i = 0; i < m_beside.size(); ++i) {
    const auto &[family, beside] = m_beside[i];
    const auto prefix = openingOf(*beside);
    Captures captures;
    if (beside->role == Role::Witness || !key.starts_with(prefix) || !beside->key.matches(key, &captures)) // most of them by how they open
      continue;
    const bool isCertain = prefix.size() >= tellingPrefix && !prefix.starts_with(everybodys);
    if (const auto lock = captures.find("lock")) {
      owners.push_back({std::string(*lock), i, isCertain});
      continue;
    }
    for (const auto &form : family->forms)
      if (const auto lock = form.key ? form.key->filled(captures) : std::nullopt; lock && *lock != key)
        owners.push_back({*lock, i, isCertain});
  }
  std::ranges::sort(owners, {}, [](const Owner &owner) { return std::pair(owner.form, std::string_view(owner.lock)); });
  const auto repeated = std::ranges::unique(owners, [](const Owner &a, const Owner &b) { return a.form == b.form && a.lock == b.lock; });
  owners.erase(repeated.begin(), repeated.end());
  return owners;
}

} // namespace lockhouse
