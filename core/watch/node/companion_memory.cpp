// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/companion_memory.h"

#include "core/watch/node/companion_rows.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr std::size_t mostKeys = 10'000;

// A companion key that tells who waits, who holds the lock next, or the number of the next hold.
bool isOfNextLock(Role role) {
  return role == Role::Queue || role == Role::Deadlines || role == Role::Permits || role == Role::Readers || role == Role::Counter;
}

} // namespace

void CompanionMemory::addTo(Companion &companion, const std::string &key, ValueType type) const {
  if (type != ValueType::String && m_queues.contains(key)) // a string has no queue
    companion.add({.queue = true});
  if (const auto waiting = m_waiting.find(key); waiting != m_waiting.end())
    companion.add({.others = waiting->second});
}

bool CompanionMemory::addQueue(const std::string &lock, const LockCache &cache) {
  const bool isBraced = lock.starts_with('{') && lock.ends_with('}');
  if (m_queues.size() >= mostKeys)
    return true;
  m_queues.insert(lock);
  return !isBraced || cache.find(lock) != nullptr;
}

// If another type of data has the lock's name, its queue makes a lock as soon as that data is gone, and no hint names the queue.
void CompanionMemory::noteQueue(ReadsInFlight::Done &done) {
  if (!done.read.companion().queue || done.end == KeyReader::End::Failed)
    return;
  const bool isRead = done.end == KeyReader::End::Lock || done.end == KeyReader::End::Absent;
  if (isRead && done.read.facts().type != ValueType::String && done.read.facts().queue.empty())
    m_queues.erase(done.read.key());
  else if (m_queues.size() < mostKeys)
    m_queues.insert(done.read.key());
}

// If a lock is found, it remembers what was read with it.
void CompanionMemory::noteOthers(const ReadsInFlight::Done &done, bool isLock, const FamilyRegistry &families) {
  const auto read = done.read.companion().others;
  if (read == 0 || done.end == KeyReader::End::Refused)
    return;
  const auto known = m_waiting.find(done.read.key());
  auto others = known == m_waiting.end() ? 0 : known->second;
  const auto forms = families.companionKeys();
  for (std::size_t i = 0; i < std::min(forms.size(), mostCompanionKeys); ++i) {
    const auto bit = read & std::uint64_t{1} << i;
    const bool mayExist = bit != 0 && !isLock && isOfNextLock(forms[i].form->role) && !done.read.foundAbsent(*forms[i].form);
    others = mayExist ? others | bit : others & ~bit;
  }
  if (others == 0 && known != m_waiting.end())
    m_waiting.erase(known);
  else if (others != 0 && (known != m_waiting.end() || m_waiting.size() < mostKeys))
    m_waiting.insert_or_assign(done.read.key(), others);
}

void CompanionMemory::noteRow(const LockRecord &record, std::span<const FamilyRegistry::Owner> owners) {
  m_hasPossibleCompanions |= !owners.empty();
  m_hasNotes |= !notedLock(record).empty();
}

std::vector<std::string> CompanionMemory::rowsOf(const LockRecord &lock, const LockCache &cache, const FamilyRegistry &families) const {
  auto rows = m_hasPossibleCompanions ? companionRows(lock, cache, families) : std::vector<std::string>();
  if (m_hasNotes)
    std::ranges::move(notesCompanion(lock, cache), std::back_inserter(rows));
  return rows;
}

} // namespace lockhouse
