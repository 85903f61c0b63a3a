// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/companion_rows.h"

#include "core/watch/node/hold_history.h"
#include "core/watch/text/token_format.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lockhouse {
namespace {

// What is beside a lock as a string is a number, a time or a mark: whoever keeps a token there has a lock of his own.
bool isOwned(const LockRecord &record) {
  return record.type == ValueType::String && !record.holders.empty() && tokenFormat(record.holders.front().id).kind != TokenFormat::Class::None;
}

// What looks like a lock of its own, and has the name and the type of a key beside one of this family, is none where that is known.
bool isCompanion(const LockRecord &record, const Family &family, const CompanionKey &form) {
  return record.isDoubtful() || form.role == Role::Vote || (record.family != family.slug && record.type == form.type && !isOwned(record));
}

// What whoever writes a lock by hand calls the keys beside it; words that a job may be called are none of them.
constexpr std::array<std::string_view, 17> usualNotes{"queue",    "waiters",     "waiting",   "waitlist",   "holder",    "last_holder",
                                                      "owner",    "owner_id",    "pid",       "host",       "created",   "created_at",
                                                      "acquired", "acquired_at", "locked_at", "expires_at", "started_at"};

bool isByHand(const LockRecord &record) { return record.family == "setnx-legacy" || record.family.starts_with("handmade-"); }

// Of its family: bit i is families.companionKeys()[i].
template <class Fits> std::uint64_t companionKeysOf(const LockRecord &lock, const FamilyRegistry &families, Fits fits) {
  const auto forms = families.companionKeys();
  std::uint64_t keys = 0;
  for (std::size_t i = 0; i < std::min(forms.size(), mostCompanionKeys); ++i)
    if (forms[i].family->slug == lock.family && fits(forms[i].form->role))
      keys |= std::uint64_t{1} << i;
  return keys;
}

bool isOwn(Role role) { return role != Role::Support; }

} // namespace

std::string_view notedLock(const LockRecord &record) {
  const std::string_view key = record.id.key.bytes();
  const auto end = isByHand(record) ? key.find_last_of(":.") : key.npos;
  return end != key.npos && std::ranges::find(usualNotes, key.substr(end + 1)) != usualNotes.end() ? key.substr(0, end) : std::string_view();
}

std::vector<std::string> notesCompanion(const LockRecord &lock, const LockCache &cache) {
  std::vector<std::string> keys;
  if (lock.isDoubtful())
    return keys;
  for (const auto note : usualNotes)
    for (const char sign : {':', '.'})
      if (auto key = fmt::format("{}{}{}", lock.id.key.bytes(), sign, note); const auto *known = cache.find(key))
        if (isByHand(*known->record))
          keys.push_back(std::move(key));
  return keys;
}

bool isCompanionOf(const LockRecord &record, std::span<const FamilyRegistry::Owner> owners, const LockRecord &lock, const FamilyRegistry &families) {
  return std::ranges::any_of(owners, [&](const FamilyRegistry::Owner &owner) {
    const auto &[family, form] = families.companionKeys()[owner.form];
    return owner.lock == lock.id.key.bytes() && lock.family == family->slug && isCompanion(record, *family, *form);
  });
}

bool isCompanionKnown(const LockRecord &record, std::span<const FamilyRegistry::Owner> owners, const LockCache &cache, const FamilyRegistry &families) {
  const auto noted = notedLock(record);
  if (const auto *known = noted.empty() ? nullptr : cache.find(noted); known && !known->record->isDoubtful())
    return true;
  return std::ranges::any_of(owners, [&](const FamilyRegistry::Owner &owner) {
    const auto *known = cache.find(owner.lock);
    return known && isCompanionOf(record, std::span(&owner, 1), *known->record, families);
  });
}

std::vector<std::string> companionRows(const LockRecord &lock, const LockCache &cache, const FamilyRegistry &families) {
  std::vector<std::string> keys;
  const auto *family = families.find(lock.family);
  for (const auto &companion : family ? family->companion : std::vector<CompanionKey>()) {
    auto key = companionName(*family, companion.key, lock.id.key.bytes());
    const auto *known = key ? cache.find(*key) : nullptr;
    if (known && isCompanion(*known->record, *family, companion))
      keys.push_back(std::move(*key));
  }
  return keys;
}

bool mayHaveCompanions(const LockRecord &lock, std::uint64_t read, const FamilyRegistry &families) {
  return (companionKeysOf(lock, families, isOwn) & ~read) != 0;
}

std::uint64_t readersUnread(const LockRecord &lock, std::uint64_t read, const FamilyRegistry &families) {
  return companionKeysOf(lock, families, [](Role role) { return role == Role::Readers; }) & ~read;
}

void addCompanion(Companion &companion, const LockCache::Known &lock, const FamilyRegistry &families) {
  companion.add(lock.companion);
  companion.light = lock.companion.light;
  if (isQueueLock(*lock.record))
    companion.add({.others = companionKeysOf(*lock.record, families, isOwn)});
}

} // namespace lockhouse
