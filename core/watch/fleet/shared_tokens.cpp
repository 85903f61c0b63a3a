// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/shared_tokens.h"

#include "core/base/safe_text.h"
#include "core/watch/fleet/redlock_merge.h"
#include "core/watch/text/name_classifier.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <ranges>

namespace lockhouse {
namespace {

constexpr std::size_t leastHolder = 16; // bytes: a shorter one may be the same by accident
constexpr std::uint32_t none = ~std::uint32_t{0};
constexpr std::string_view registrys = "spring-integration"; // whose locks are paths of their users' behind one name
constexpr std::array<std::string_view, 2> ofInstances{registrys, "hangfire"};
constexpr double proven = 0.8;                   // of what is doubtful by its name alone
constexpr std::size_t leastOfInstance = 3;       // keys of one prefix with one UUID, of which two may be a reference and its copy
constexpr milliseconds ofInstance = seconds(60); // what a registry gives its locks, unless its user wants another
constexpr milliseconds together(1000);           // between the ends of what one script has set, as two reads tell them

bool hasOneHolder(const LockRecord &lock) {
  return lock.holders.size() == 1 && lock.unread == 0 && lock.holders.front().bytes == 0 && lock.holders.front().id.size() >= leastHolder;
}

// With its colon, or none.
std::string_view registryOf(const LockRecord &lock) {
  const std::string_view key = lock.id.key.bytes();
  return key.substr(0, key.find(':') + 1);
}

const std::string &holderOf(const LockRecordPtr &lock) { return lock->holders.front().id; }

// Doubtful by its name alone, whosever it is.
bool isNamedOtherwise(const LockRecord &lock) { return lock.isDoubtful() && lock.family == "token" && lock.expiresAt && hasOneHolder(lock); }

// One of several locks of an application's instance, for all that its own row tells.
bool mayBeOfInstance(const LockRecord &lock) {
  return isNamedOtherwise(lock) && *lock.expiresAt <= lock.seenAt + ofInstance && std::ranges::find(lock.mayBe, registrys) != lock.mayBe.end();
}

// Rows of one holder each, chained: a flat table, for it is made anew with each snapshot.
class Chains {
public:
  Chains(const std::vector<LockRecordPtr> &locks, std::size_t from, std::size_t to, const FamilyRegistry &families)
      : m_locks(locks), m_from(from), m_before(to - from, none), m_slots(std::bit_ceil((to - from) * 2 + 1), none) {
    for (auto i = from; i < to; ++i)
      if (mayShare(*locks[i]) || mayBeOfRegistry(*locks[i]) || mayBeOfInstance(*locks[i]) || mayBeResource(*locks[i], families))
        add(static_cast<std::uint32_t>(i));
  }

  /// Of each holder with more than one row, their indexes in order.
  template <class Visit> void each(Visit visit) const {
    std::vector<std::uint32_t> rows;
    for (const auto last : m_slots) {
      if (last == none || m_before[last - m_from] == none)
        continue;
      rows.clear();
      for (auto i = last; i != none; i = m_before[i - m_from])
        rows.push_back(i);
      std::ranges::sort(rows);
      visit(rows);
    }
  }

private:
  const std::vector<LockRecordPtr> &m_locks;
  std::size_t m_from;
  std::vector<std::uint32_t> m_before; // the row before of the same holder
  std::vector<std::uint32_t> m_slots;  // by the holder's hash: his last row

  std::size_t slotOf(const LockRecord &lock) const {
    const auto &holder = lock.holders.front().id;
    auto slot = std::hash<std::string_view>{}(holder) & (m_slots.size() - 1);
    while (m_slots[slot] != none && holderOf(m_locks[m_slots[slot]]) != holder)
      slot = (slot + 1) & (m_slots.size() - 1);
    return slot;
  }

  void add(std::uint32_t row) {
    const auto slot = slotOf(*m_locks[row]);
    m_before[row - m_from] = m_slots[slot];
    m_slots[slot] = row;
  }
};

bool isSharer(const std::string &slug, const FamilyRegistry &families) {
  const auto *family = families.find(slug);
  return family && family->isTokenShared;
}

// What a random text is of that lies beside a lock of the same: "payment:7:idempotency".
bool isNamedAsText(const LockRecord &lock) { return nameEvidence(lock.id.key.bytes()).secret; }

// Rows of one holder without those that are doubtful by themselves and have neither another of their registry beside them nor a shown row
// that was taken together with them.
void dropUnproven(const std::vector<LockRecordPtr> &locks, std::vector<std::uint32_t> &rows, const FamilyRegistry &families) {
  const auto isShown = [&](std::uint32_t row) { return !locks[row]->isDoubtful(); };
  if (std::ranges::all_of(rows, isShown))
    return;
  std::vector<std::uint32_t> shown;
  std::unordered_map<std::string_view, std::size_t> registries;
  for (const auto row : rows) {
    if (isShown(row))
      shown.push_back(row);
    if (isShown(row) || mayBeOfRegistry(*locks[row]))
      ++registries[registryOf(*locks[row])];
  }
  const auto isTaken = [&](std::uint32_t row) { // of a holder's many shown rows the first few are asked
    return mayBeResource(*locks[row], families) && !isNamedAsText(*locks[row]) &&
           std::ranges::any_of(shown | std::views::take(mostKeysNamed + 1),
                               [&](std::uint32_t other) { return areTakenTogether(*locks[row], *locks[other], families); });
  };
  std::erase_if(
      rows, [&](std::uint32_t row) { return !isShown(row) && !(mayBeOfRegistry(*locks[row]) && registries[registryOf(*locks[row])] > 1) && !isTaken(row); });
}

// Of rows of one holder those that are doubtful, and as many under one prefix as one instance's registry has, whose name speaks of no data. Ids of
// records may lie so too: this proves no lock, but it tells whose these may be.
std::vector<std::uint32_t> ofOneInstance(const std::vector<LockRecordPtr> &locks, const std::vector<std::uint32_t> &rows) {
  std::unordered_map<std::string_view, std::size_t> registries;
  for (const auto row : rows)
    if (mayBeOfInstance(*locks[row]))
      ++registries[registryOf(*locks[row])];
  std::erase_if(registries, [](const auto &registry) {
    const auto name = nameEvidence(registry.first);
    return registry.second < leastOfInstance || name.data || name.contrary || name.attribute;
  });
  std::vector<std::uint32_t> found;
  std::ranges::copy_if(rows, std::back_inserter(found),
                       [&](std::uint32_t row) { return mayBeOfInstance(*locks[row]) && registries.contains(registryOf(*locks[row])); });
  return found;
}

// Of rows of one holder those that are doubtful, and end together with another of these.
std::vector<std::uint32_t> takenTogether(const std::vector<LockRecordPtr> &locks, const std::vector<std::uint32_t> &rows, const FamilyRegistry &families) {
  std::vector<std::uint32_t> byEnd, found;
  std::ranges::copy_if(rows, std::back_inserter(byEnd), [&](std::uint32_t row) { return mayBeResource(*locks[row], families) && !isNamedAsText(*locks[row]); });
  std::ranges::sort(byEnd, {}, [&](std::uint32_t row) { return locks[row]->expiresAt; });
  const auto isWith = [&](std::size_t i, std::size_t j) { return j < byEnd.size() && areTakenTogether(*locks[byEnd[i]], *locks[byEnd[j]], families); };
  for (std::size_t i = 0; i < byEnd.size(); ++i)
    if (isWith(i, i + 1) || (i > 0 && isWith(i, i - 1)))
      found.push_back(byEnd[i]);
  return found;
}

// Of a token that tells when it was made, where no library writes any that does under several keys: its caller's own.
bool tellsItsTime(const LockRecord &lock) { return std::ranges::find(lock.extras, "mac", &MetadataEntry::name) != lock.extras.end(); }

bool isInSameRegistry(const LockRecord &lock) {
  const auto registry = registryOf(lock);
  const auto isIn = [&](const LockName &other) { return !registry.empty() && other.bytes().starts_with(registry); };
  return lock.areManyUnder || std::ranges::any_of(lock.alsoUnder, isIn);
}

// An instance writes its token under one prefix, and a library that lets nobody choose a lease gives none a longer one.
bool mayHaveShared(const LockRecord &lock, const std::string &slug, const FamilyRegistry &families) {
  if (!isSharer(slug, families))
    return false;
  if (std::ranges::find(ofInstances, slug) != ofInstances.end())
    return isInSameRegistry(lock);
  const auto own = families.find(slug)->lease;
  return !own || !lock.expiresAt || (*lock.expiresAt - lock.seenAt <= *own && lock.lease.value_or(milliseconds(0)) <= *own);
}

void narrow(LockRecord &lock, const Sharing &how, const FamilyRegistry &families) {
  std::vector<std::string> sharers;
  if (!how.family.empty())
    sharers.push_back(how.family);
  else
    std::ranges::copy_if(lock.mayBe, std::back_inserter(sharers), [&](const std::string &slug) { return mayHaveShared(lock, slug, families); });
  if (!mayBeAnothers(lock) || sharers.empty() || tellsItsTime(lock))
    return;
  lock.evidence.push_back(LH_MESSAGE("Evidence", "one token under several keys, as %1 writes")(fmt::format("{}", fmt::join(sharers, ", "))));
  lock.mayBe = std::move(sharers);
  if (!how.isProven)
    return;
  if (const auto *family = families.find(lock.family); family && lock.family != "token") { // it is none of these
    for (const auto &form : family->forms)
      std::erase(lock.evidence, evidenceOf(form));
    lock.family = "token";
  }
  if (lock.isDoubtful())
    lock.confidence = proven;
  if (lock.mayBe.size() == 1) {
    lock.family = lock.mayBe.front();
    lock.mayBe.clear();
    tellAlone(lock);
  }
}

} // namespace

Message otherKeys(std::span<const LockName> names, bool areMany) {
  if (areMany)
    return LH_MESSAGE("Evidence", "its holder has more than eight other keys here");
  if (names.empty())
    return {};
  const auto shown = names | std::views::transform([](const LockName &name) { return safeText(name.bytes(), 80); });
  return LH_MESSAGE("Evidence", "its holder has other keys here too: %1")(fmt::format("{}", fmt::join(shown, ", ")));
}

bool mayShare(const LockRecord &lock) { return !lock.isDoubtful() && hasOneHolder(lock); }

// What a path's words hide: "my-locks:session:7", under a registry whose own name speaks of locks.
bool mayBeOfRegistry(const LockRecord &lock) {
  const auto registry = registryOf(lock);
  const auto word = registry.substr(0, registry.find(':'));
  if (!isNamedOtherwise(lock) || std::ranges::find(lock.mayBe, registrys) == lock.mayBe.end())
    return false;
  if (word.starts_with(registrys) || word.starts_with("springIntegration"))
    return true;
  if (!maySpeakOfLock(word))
    return false;
  const auto name = nameEvidence(word);
  return name.lock && name.whole && !name.attribute && !name.contrary;
}

bool areOfOneRegistry(const LockRecord &a, const LockRecord &b) { return !registryOf(a).empty() && registryOf(a) == registryOf(b); }

bool mayBeAnothers(const LockRecord &lock) { return lock.family == "token" || lock.family == "aiocache"; }

// A registry's locks are known by each other alone.
bool isSureOfInstance(const LockRecord &lock) { return lock.family != registrys && std::ranges::find(ofInstances, lock.family) != ofInstances.end(); }

bool mayBeNarrowed(const LockRecord &lock, const FamilyRegistry &families) {
  return mayBeAnothers(lock) && std::ranges::any_of(lock.mayBe, [&](const std::string &slug) { return isSharer(slug, families); });
}

// A registry's locks are known by its name.
bool mayBeResource(const LockRecord &lock, const FamilyRegistry &families) {
  return isNamedOtherwise(lock) && std::ranges::any_of(lock.mayBe, [&](const std::string &slug) { return slug != registrys && isSharer(slug, families); });
}

bool areTakenTogether(const LockRecord &a, const LockRecord &b, const FamilyRegistry &families) {
  const auto isKnownSo = [&](const LockRecord &lock) { return isSharer(lock.family, families) || mayBeNarrowed(lock, families); };
  return a.expiresAt && b.expiresAt && std::chrono::abs(*a.expiresAt - *b.expiresAt) <= together && isKnownSo(a) && isKnownSo(b);
}

bool mayLieUnderMore(const LockRecord &lock, const FamilyRegistry &families) {
  return mayBeOfRegistry(lock) || mayBeResource(lock, families) || (mayShare(lock) && (isSharer(lock.family, families) || mayBeNarrowed(lock, families)));
}

bool isLookedAt(const LockId &lock, const LockSnapshot &looked) {
  return std::ranges::any_of(looked.nodes, [&](const NodeStatus &node) { return node.id == lock.node && node.db == lock.db && node.scanComplete; });
}

std::size_t mastersOf(const LockRecord &lock, const LockRecord &proof) { return lock.isDoubtful() && proof.members.size() < 2 ? proof.masters : 0; }

LockRecordPtr sharing(const LockRecord &lock, std::vector<LockName> others, bool areMany, const FamilyRegistry &families, Sharing how) {
  auto whole = std::make_shared<LockRecord>(lock);
  whole->masters = std::max(whole->masters, how.masters); // as data it was not looked at so
  whole->alsoUnder = std::move(others);
  whole->areManyUnder = areMany;
  whole->evidence.push_back(otherKeys(whole->alsoUnder, whole->areManyUnder));
  narrow(*whole, how, families);
  return whole;
}

LockRecordPtr withNeighbours(const LockRecordPtr &lock, const LockSnapshot &looked, const FamilyRegistry &families) {
  if (!mayLieUnderMore(*lock, families))
    return lock;
  const auto row = isLookedAt(lock->id, looked) ? looked.find(lock->id) : nullptr;
  const bool isSame = row && row->holders == lock->holders;
  if (isSame && row->alsoUnder.empty() && !row->areManyUnder)
    return lock;
  auto whole = std::make_shared<LockRecord>(*lock);
  if (isSame) {
    whole->family = row->family;
    whole->mayBe = row->mayBe;
    whole->confidence = row->confidence;
    whole->evidence = row->evidence;
    whole->alsoUnder = row->alsoUnder;
    whole->areManyUnder = row->areManyUnder;
  } else
    whole->evidence.push_back(unlookedKeys());
  return whole;
}

LockRecordPtr SharedTokens::noted(const LockRecordPtr &lock, std::vector<LockName> others, bool areMany, const FamilyRegistry &families, Sharing how) {
  if (const auto known = m_noted.find(lock.get()); known != m_noted.end())
    if (const auto &[plain, row, before] = known->second; row->alsoUnder == others && row->areManyUnder == areMany && before == how)
      return row;
  return sharing(*lock, std::move(others), areMany, families, how);
}

void SharedTokens::noteRows(std::vector<LockRecordPtr> &locks, const std::vector<std::uint32_t> &rows, bool areProven, const FamilyRegistry &families,
                            Memory &kept) {
  if (rows.size() < 2)
    return;
  const bool areMany = rows.size() > mostKeysNamed + 1;
  std::vector<LockName> names;
  const auto proof = std::ranges::find_if(rows, [&](std::uint32_t row) { return !locks[row]->isDoubtful(); });
  const auto shown = proof == rows.end() ? nullptr : locks[*proof];
  std::string sure;
  for (const auto row : rows) {
    if (!areMany)
      names.push_back(locks[row]->id.key);
    if (isSureOfInstance(*locks[row]))
      sure = locks[row]->family;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto &row = locks[rows[i]];
    auto others = names;
    if (!areMany)
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const Sharing how{.masters = shown ? mastersOf(*row, *shown) : 0, .isProven = areProven, .family = sure};
    auto whole = noted(row, std::move(others), areMany, families, how);
    kept.emplace(row.get(), Noted{row, whole, how});
    row = std::move(whole);
  }
}

void SharedTokens::note(std::vector<LockRecordPtr> &locks, const FamilyRegistry &families) {
  Memory kept;
  for (std::size_t from = 0, to = 0; from < locks.size(); from = to) {
    const auto isHere = [&](const LockRecordPtr &lock) { return lock->id.node == locks[from]->id.node && lock->id.db == locks[from]->id.db; };
    to = static_cast<std::size_t>(std::ranges::find_if_not(locks.begin() + static_cast<std::ptrdiff_t>(from), locks.end(), isHere) - locks.begin());
    Chains(locks, from, to, families).each([&](std::vector<std::uint32_t> &rows) {
      auto told = ofOneInstance(locks, rows);
      std::ranges::copy(takenTogether(locks, rows, families), std::back_inserter(told));
      std::ranges::sort(told);
      told.erase(std::ranges::unique(told).begin(), told.end());
      dropUnproven(locks, rows, families);
      std::erase_if(told, [&](std::uint32_t row) { return std::ranges::binary_search(rows, row); });
      noteRows(locks, rows, true, families, kept);
      noteRows(locks, told, false, families, kept);
    });
  }
  m_noted = std::move(kept);
}

} // namespace lockhouse
