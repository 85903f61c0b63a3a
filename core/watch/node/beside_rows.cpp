// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/beside_rows.h"

#include "core/watch/node/hold_history.h"
#include "core/watch/text/token_shape.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lockhouse {
namespace {

// What is beside a lock as a string is a number, a time or a mark: whoever keeps a token there has a lock of his own.
bool isOwned(const LockRecord &record) {
  return record.type == ValueType::String && !record.holders.empty() && tokenShape(record.holders.front().id).kind != TokenShape::Class::None;
}

// What looks like a lock of its own, and has the name and the type of a key beside one of this family, is none where that is known.
bool isBeside(const LockRecord &record, const Family &family, const BesideForm &form) {
  return record.isDoubtful() || form.role == Role::Vote || (record.family != family.slug && record.type == form.type && !isOwned(record));
}

// What whoever writes a lock by hand calls the keys beside it; words that a job may be called are none of them.
constexpr std::array<std::string_view, 17> usualNotes{"queue",    "waiters",     "waiting",   "waitlist",   "holder",    "last_holder",
                                                      "owner",    "owner_id",    "pid",       "host",       "created",   "created_at",
                                                      "acquired", "acquired_at", "locked_at", "expires_at", "started_at"};

bool isByHand(const LockRecord &record) { return record.family == "setnx-legacy" || record.family.starts_with("handmade-"); }

// Of its family: bit i is families.besideForms()[i].
template <class Fits> std::uint64_t keysBeside(const LockRecord &lock, const Families &families, Fits fits) {
  const auto forms = families.besideForms();
  std::uint64_t keys = 0;
  for (std::size_t i = 0; i < std::min(forms.size(), mostBesideForms); ++i)
    if (forms[i].family->slug == lock.family && fits(forms[i].form->role))
      keys |= std::uint64_t{1} << i;
  return keys;
}

bool isOwn(Role role) { return role != Role::Witness; }

} // namespace

std::string_view notedLock(const LockRecord &record) {
  const std::string_view key = record.id.key.bytes();
  const auto end = isByHand(record) ? key.find_last_of(":.") : key.npos;
  return end != key.npos && std::ranges::find(usualNotes, key.substr(end + 1)) != usualNotes.end() ? key.substr(0, end) : std::string_view();
}

std::vector<std::string> notesBeside(const LockRecord &lock, const Mirror &mirror) {
  std::vector<std::string> keys;
  if (lock.isDoubtful())
    return keys;
  for (const auto note : usualNotes)
    for (const char sign : {':', '.'})
      if (auto key = fmt::format("{}{}{}", lock.id.key.bytes(), sign, note); const auto *known = mirror.find(key))
        if (isByHand(*known->record))
          keys.push_back(std::move(key));
  return keys;
}

bool liesBeside(const LockRecord &record, std::span<const Families::Owner> owners, const LockRecord &lock, const Families &families) {
  return std::ranges::any_of(owners, [&](const Families::Owner &owner) {
    const auto &[family, form] = families.besideForms()[owner.form];
    return owner.lock == lock.id.key.bytes() && lock.family == family->slug && isBeside(record, *family, *form);
  });
}

bool isBesideKnown(const LockRecord &record, std::span<const Families::Owner> owners, const Mirror &mirror, const Families &families) {
  const auto noted = notedLock(record);
  if (const auto *known = noted.empty() ? nullptr : mirror.find(noted); known && !known->record->isDoubtful())
    return true;
  return std::ranges::any_of(owners, [&](const Families::Owner &owner) {
    const auto *known = mirror.find(owner.lock);
    return known && liesBeside(record, std::span(&owner, 1), *known->record, families);
  });
}

std::vector<std::string> rowsBeside(const LockRecord &lock, const Mirror &mirror, const Families &families) {
  std::vector<std::string> keys;
  const auto *family = families.find(lock.family);
  for (const auto &beside : family ? family->beside : std::vector<BesideForm>()) {
    auto key = nameBeside(*family, beside.key, lock.id.key.bytes());
    const auto *known = key ? mirror.find(*key) : nullptr;
    if (known && isBeside(*known->record, *family, beside))
      keys.push_back(std::move(*key));
  }
  return keys;
}

bool mayHaveBeside(const LockRecord &lock, std::uint64_t read, const Families &families) { return (keysBeside(lock, families, isOwn) & ~read) != 0; }

std::uint64_t readersUnread(const LockRecord &lock, std::uint64_t read, const Families &families) {
  return keysBeside(lock, families, [](Role role) { return role == Role::Readers; }) & ~read;
}

void addBeside(Beside &beside, const Mirror::Known &lock, const Families &families) {
  beside.add(lock.beside);
  beside.light = lock.beside.light;
  if (isQueueLock(*lock.record))
    beside.add({.others = keysBeside(*lock.record, families, isOwn)});
}

} // namespace lockhouse
