// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/hash_reader.h"

#include "core/base/redisson_names.h"
#include "core/watch/detect/first_signs.h"
#include "core/watch/detect/key_content.h"
#include "core/watch/scan/key_probe.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr std::size_t mostFields = mostRead + 100; // holders, and what else the hash holds
constexpr unsigned mostSifted = 100;               // pages
constexpr unsigned mostRequested = 1000;           // pages of a key that a caller asks for
constexpr std::string_view pageOfSifted = "1000";  // fields; such a page costs a server 0.1 ms
constexpr std::string_view countSuffix = ":lock_count";

bool isLockCount(const std::pair<std::string, std::string> &field) { return field.first.ends_with(countSuffix); }

bool mayBeOfLock(const ReadTarget &target, std::string_view field) {
  return redisson::isOwner(field) || redisson::isWriter(field) || mayBeLockedValue(field) || target.families->firstMayBe(ValueType::Hash, field) ||
         target.families->nameMayBe(ValueType::Hash, target.key);
}

} // namespace

void HashReader::begin(const ReadTarget &target, ValueType type) {
  m_glob = type == ValueType::Hash ? target.families->siftOf(target.key) : std::string_view();
  m_cursor.clear();
  m_named.clear();
  m_pages = 0;
  m_unkept = 0;
  m_lockFields = m_otherFields = 0;
  m_isForeign = m_isCut = false;
}

bool HashReader::isOfLocks() const { return isSifted() && m_glob != lockCounts; }

Command HashReader::pageFrom(const ReadTarget &target, std::string_view cursor) const {
  if (!isSifted())
    return {"HSCAN", target.key, cursor, "COUNT", "100"};
  return {"HSCAN", target.key, cursor, "MATCH", m_glob, "COUNT", pageOfSifted};
}

void HashReader::take(Part part, const ReadTarget &target, const Reply &reply, KeyFacts &facts) {
  const auto &words = reply.array();
  switch (part) {
  case Fields: return takeFields(target, reply, facts);
  case Names:
    for (const auto &word : words)
      if (const auto *field = word.bulk())
        facts.fields.emplace_back(*field, std::string());
    facts.size = words.size();
    return;
  case Mode:
    if (const auto *mode = reply.bulk())
      facts.fields.emplace_back("mode", *mode);
    return;
  case Named:
    for (std::size_t i = 0; i < std::min(words.size(), m_named.size()); ++i)
      if (const auto *value = words[i].bulk())
        facts.fields.emplace_back(m_named[i], *value);
    return;
  case Length: facts.size = countOf(reply); return;
  case End: return;
  }
}

void HashReader::takeFields(const ReadTarget &target, const Reply &reply, KeyFacts &facts) {
  const auto &halves = reply.array();
  if (halves.size() != 2 || !halves[0].text()) {
    m_isForeign = true;
    return;
  }
  const auto &words = halves[1].array();
  for (std::size_t i = 0; i + 1 < words.size() && !m_isForeign; i += 2) {
    const auto *field = words[i].bulk(), *value = words[i + 1].bulk();
    if (!field || (!value && !isSifted())) { // a sifted field is a lock's by its name, however long its value is
      m_isForeign = true;
      return;
    }
    if (isOfLocks() && facts.fields.size() >= mostFields) {
      ++m_unkept;
      continue;
    }
    if (!isSifted() && *field != "mode")
      ++(mayBeOfLock(target, *field) ? m_lockFields : m_otherFields);
    facts.fields.emplace_back(*field, value ? shortened(*value) : std::string());
  }
  m_cursor = *halves[0].text();
  if (m_cursor == "0")
    m_cursor.clear();
  // One other field does not hide a lock. If most fields are others, this is no lock, and the rest need not be fetched.
  m_isForeign |= !isSifted() && m_otherFields > m_lockFields + (m_cursor.empty() ? 1 : 0);
}

bool HashReader::askMore(const ReadTarget &target, KeyFacts &facts, ReadCommands &out) {
  const auto asked = out.size();
  if (!m_cursor.empty() && m_pages == 0 && !isSifted() && std::ranges::any_of(facts.fields, isLockCount)) {
    m_glob = lockCounts; // the three fields of one value may be in different pages
    facts.fields.clear();
    m_cursor = "0";
  }
  const bool isFull = isSifted() ? facts.fields.size() >= mostRead && !isOfLocks() : facts.fields.size() >= mostFields; // locks beyond that are counted
  const bool hasRoom = !isFull && (!isSifted() || m_pages < (target.isRequested() ? mostRequested : mostSifted));
  if (!m_cursor.empty() && hasRoom) {
    out.push_back({Fields, pageFrom(target, m_cursor)});
  } else if (!m_cursor.empty() && !isSifted()) {
    out.push_back({Mode, {"HGET", target.key, "mode"}}); // it decides, and may be behind the fields that are read
    m_cursor.clear();
  } else if (isSifted()) {
    if (m_glob == lockCounts && m_named.empty())
      askLockedValues(target, facts, out);
    else if (isOfLocks())
      countPassed(facts);
    m_cursor.clear();
  }
  if (out.size() > asked && ++m_pages == 1)
    out.push_back({Length, sizeOf(facts.type, target.key)});
  return out.size() > asked;
}

// The fields that HSCAN MATCH skipped are no locks.
void HashReader::countPassed(KeyFacts &facts) {
  m_isCut |= !m_cursor.empty();
  facts.size = std::max<std::uint64_t>(facts.size, facts.fields.size() + m_unkept);
  facts.passed = !m_isCut ? facts.size : std::min<std::uint64_t>(facts.size, 1000 * (std::uint64_t{m_pages} + 1));
  facts.passed -= std::min(facts.passed, m_unkept);
}

// "value:owner:lock_count" was read; "value" and "value:owner:expire_time" belong to it.
void HashReader::askLockedValues(const ReadTarget &target, const KeyFacts &facts, ReadCommands &out) {
  constexpr std::size_t valueSize = 22;
  Command command{"HMGET", target.key};
  for (const auto &[field, count] : facts.fields) {
    const auto hold = std::string_view(field).substr(0, field.size() - std::min(field.size(), countSuffix.size()));
    if (hold.size() <= valueSize || hold[valueSize] != ':')
      continue;
    for (auto name : {std::string(hold.substr(0, valueSize)), std::string(hold) + ":expire_time"}) {
      command.arg(name);
      m_named.push_back(std::move(name));
    }
  }
  if (!m_named.empty())
    out.push_back({Named, std::move(command)});
}

} // namespace lockhouse
