// SPDX-License-Identifier: Apache-2.0
// What a key weighs, before what it holds is fetched: strings are cut by the server, entries of other types are not.
#include "core/watch/detect/key_content.h"
#include "core/watch/scan/key_probe.h"
#include "core/watch/scan/key_reader.h"

#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr std::uint64_t mostUncounted = 64 * 1024; // bytes
constexpr std::uint64_t mostOfEntry = 1024;        // bytes on average: of a thousand entries that are fetched a megabyte
constexpr std::uint64_t mostOfNamed = 1024 * 1024; // the same, whatever its entries: of a hash that by its name is a lock's

bool isCollection(ValueType type) { return type == ValueType::Hash || type == ValueType::List || type == ValueType::Set || type == ValueType::SortedSet; }

} // namespace

bool KeyReader::Weighed::isHeavy() const { return bytes > mostUncounted && entries > 0 && bytes / entries > mostOfEntry; }

const KeyReader::Weighed *KeyReader::heavy(const std::string &key) const {
  const auto found = std::ranges::find(m_weighed, key, &Weighed::key);
  if (found == m_weighed.end())
    return nullptr;
  if (isElided(key))
    return &*found;
  if (!found->isHeavy())
    return nullptr;
  const bool isNamed = key == m_key && found->type == ValueType::Hash && found->bytes <= mostOfNamed && m_families->nameMayBe(ValueType::Hash, key);
  return isNamed ? nullptr : &*found;
}

bool KeyReader::isElided(const std::string &key) const { return std::ranges::find(m_elided, key) != m_elided.end(); }

// What it weighs on average, as far as it was sampled, did not tell that one of its entries is too long: weighed again, it is not fetched in this read.
void KeyReader::noteElided(Part part) {
  auto key = part == Part::Queue ? redisson::queueKey(m_key) : part == Part::Places ? redisson::timeoutKey(m_key) : m_key;
  if (part >= Part::Other)
    key = otherOf(static_cast<unsigned>(part)).key;
  if (isElided(key))
    return;
  m_elided.push_back(std::move(key));
  m_isToWeigh = true;
}

bool KeyReader::isUnread() const {
  const auto mayBeLock = [this] { return m_facts.type == ValueType::Hash || namesLock(m_key, m_facts.type) || m_families->nameMayBe(m_facts.type, m_key); };
  return m_isCut || (heavy(m_key) && mayBeLock()); // of a hash a look has found a field of one
}

std::optional<Error> KeyReader::unread() const {
  if (!isUnread())
    return std::nullopt;
  const auto key = safeText(m_key, 120);
  return Error{ErrorCode::TooLong,
               m_isCut
                   ? LH_MESSAGE("ErrorWords", "%1 is too long to be read whole: of its %2 entries %3 were looked at, and a lock among the others is not found")(
                         key, m_facts.size, m_facts.passed)
                   : LH_MESSAGE("ErrorWords", "%1 holds entries that are too long to be fetched, so whether it is a lock is not known")(key),
               {},
               LH_MESSAGE("ErrorWords", "where you know its holder, ask the server for that entry alone")};
}

bool KeyReader::weigh(std::vector<TaggedCommand> &out) {
  const auto add = [this](std::string key, ValueType type) {
    if (isCollection(type))
      m_weighed.push_back({.key = std::move(key), .type = type});
  };
  add(m_key, m_facts.type);
  if (m_companions.queue) {
    add(redisson::queueKey(m_key), ValueType::List);
    add(redisson::timeoutKey(m_key), ValueType::SortedSet);
  }
  for (const auto &other : m_others)
    add(other.key, isCompanionEvidence(*other.form) ? ValueType::Other : other.form->type);
  m_stage = Stage::Weighing;
  for (std::size_t i = 0; i < m_weighed.size(); ++i)
    ask(static_cast<Part>(i), {"MEMORY", "USAGE", m_weighed[i].key, "SAMPLES", "50"}, out);
  return !m_weighed.empty();
}

KeyReader::End KeyReader::onWeight(unsigned part, const Result<Reply> &answer, SteadyTime now, ReadHeuristics &lore, std::vector<TaggedCommand> &out) {
  auto &weighed = m_weighed[part];
  if (!answer)
    m_error = answer.error();
  else if (m_stage == Stage::Counting)
    weighed.entries = countOf(*answer); // of a failure none: what holds another type by now is told by its fetch
  else if (answer->isFailure())
    lore.mayWeigh &= !isOfCommand(*answer);
  else
    weighed.bytes = static_cast<std::uint64_t>(weightOf(static_cast<std::int64_t>(countOf(*answer)), weighed.key));
  if (m_pending > 0)
    return End::Pending;
  if (m_error)
    return End::Failed;
  if (m_stage == Stage::Weighing) {
    m_stage = Stage::Counting;
    for (std::size_t i = 0; i < m_weighed.size(); ++i)
      if (m_weighed[i].bytes > mostUncounted)
        ask(static_cast<Part>(i), sizeOf(m_weighed[i].type, m_weighed[i].key), out);
    if (m_pending > 0)
      return End::Pending;
  }
  m_companions.light = m_elided.empty() && std::ranges::none_of(m_weighed, &Weighed::isHeavy);
  fetch(now, out);
  return End::Pending;
}

} // namespace lockhouse
