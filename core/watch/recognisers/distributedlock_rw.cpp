// SPDX-License-Identifier: Apache-2.0
// DistributedLock's read-write lock: a string <name>.writer, a set <name>.readers. The row is that of the writer's key, also while
// that one is missing, or holds something else. A value that ends with _WRITERWAITING is of a writer who waits for the readers to leave.
#include "core/watch/detect/every_claim.h"
#include "core/watch/record/metadata.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr std::string_view waiting = "_WRITERWAITING"; // a mark behind the writer's name, and no part of it

const Form *readersForm(const Family &family) {
  const auto found = std::ranges::find(family.forms, ValueType::Set, &Form::type);
  return found == family.forms.end() ? nullptr : &*found;
}

void addReaders(const Form &form, const CompanionFacts &readers, milliseconds now, LockRecord &draft) {
  for (const auto &reader : readers.members) {
    Captures captures;
    if (form.element && !form.element->matches(reader.bytes, &captures))
      continue;
    joinMetadata(draft.extras, metadataOf(captures, now), draft.holders.size());
    draft.holders.push_back({reader.bytes, 1, HoldMode::Read});
  }
  if (readers.size <= readers.members.size())
    return;
  draft.unread = readers.size - readers.members.size();
  draft.evidence.push_back(LH_MESSAGE("Evidence", "it has %1 readers, of whom %2 were read")(readers.size, readers.members.size()));
}

} // namespace

std::optional<FamilyMatch> matchDistributedReadWrite(const Family &family, const KeyFacts &facts) {
  const auto *ofReaders = readersForm(family);
  const auto found = std::ranges::find_if(facts.companion, [](const CompanionFacts &each) { return each.form->role == Role::Readers; });
  const auto *readers = found == facts.companion.end() ? nullptr : &*found;
  const auto *writer = facts.type == ValueType::String ? fittingForm(family, facts) : nullptr;
  const bool isRead = !writer && readers && facts.key.ends_with(".writer");
  if (!ofReaders || (!writer && !isRead))
    return std::nullopt;
  FamilyMatch match{.draft = {}, .isByName = true, .isCompanion = isRead && facts.type != ValueType::None};
  auto &draft = match.draft;
  if (writer)
    draft = draftOf(family, *writer, facts);
  for (auto &waiter : draft.queue)
    if (waiter.id.ends_with(waiting))
      waiter.id.resize(waiter.id.size() - waiting.size());
  const bool mayBeRead = draft.holders.empty();
  if (mayBeRead && readers)
    draft.extras.clear(); // of a writer who waits; those who hold it are told
  draft.kind = family.kind;
  draft.confidence = ofReaders->confidence;
  if (readers)
    addReaders(*ofReaders, *readers, facts.serverTime, draft);
  if (isRead) {
    draft.evidence.push_back(evidenceOf(*ofReaders));
    if (match.isCompanion)
      draft.evidence.emplace_back(LH_MESSAGE("Evidence", "its writer's key holds something else"));
  }
  if (mayBeRead && !draft.holders.empty() && readers->ttl)
    draft.expiresAt = facts.seenAt + *readers->ttl;
  return draft.holders.empty() && draft.queue.empty() ? std::nullopt : std::optional(std::move(match));
}

} // namespace lockhouse
