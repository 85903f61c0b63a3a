// SPDX-License-Identifier: Apache-2.0
// The fields of a hash: page by page, or, where it is long and mostly something else, those of its locks alone.
#include "core/base/redisson_names.h"
#include "core/watch/detect/first_signs.h"
#include "core/watch/detect/key_content.h"
#include "core/watch/scan/key_reader.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr std::size_t mostFields = mostRead + 100; // of a hash: its holders, and what else lies there
constexpr unsigned mostSifted = 100;               // pages
constexpr unsigned mostAskedFor = 1000;            // of a key that somebody asks for
constexpr std::string_view pageOfSifted = "1000";  // a page of which costs a server 0.1 ms
constexpr std::int64_t mostLeases = 100;
constexpr std::string_view countMark = ":lock_count";

bool isLockCount(const std::pair<std::string, std::string> &field) { return field.first.ends_with(countMark); }

bool hasMode(const std::vector<std::pair<std::string, std::string>> &fields) {
  const auto mode = std::ranges::find(fields, "mode", [](const auto &field) -> const std::string & { return field.first; });
  return mode != fields.end() && (mode->second == "read" || mode->second == "write");
}

} // namespace

bool KeyReader::mayBelong(std::string_view field) const {
  return redisson::isOwner(field) || redisson::isWriter(field) || mayBeLockedValue(field) || m_families->firstMayBe(ValueType::Hash, field) ||
         m_families->nameMayBe(ValueType::Hash, m_key);
}

void KeyReader::takeFields(const Reply &reply) {
  const auto &halves = reply.array();
  if (halves.size() != 2 || !halves[0].text()) {
    m_foreign = true;
    return;
  }
  const auto &words = halves[1].array();
  const bool isSifted = !m_sift.empty();
  for (std::size_t i = 0; i + 1 < words.size() && !m_foreign; i += 2) {
    const auto *field = words[i].bulk(), *value = words[i + 1].bulk();
    if (!field || (!value && !isSifted)) { // of a lock's field that is known by its name, the value may be too long
      m_foreign = true;
      return;
    }
    if (isOfLocks() && m_facts.fields.size() >= mostFields) {
      ++m_unkept;
      continue;
    }
    if (!isSifted && *field != "mode")
      ++(mayBelong(*field) ? m_owners : m_strangers);
    m_facts.fields.emplace_back(*field, value ? shortened(*value) : std::string());
  }
  m_cursor = *halves[0].text();
  if (m_cursor == "0")
    m_cursor.clear();
  // A stranger among holders hides no lock. Where strangers prevail this is none: no need to fetch the rest.
  m_foreign |= !isSifted && m_strangers > m_owners + (m_cursor.empty() ? 1 : 0);
}

bool KeyReader::isOfLocks() const { return !m_sift.empty() && m_sift != lockCounts; }

Command KeyReader::fieldsFrom(std::string_view cursor) const {
  if (m_sift.empty())
    return {"HSCAN", m_key, cursor, "COUNT", "100"};
  return {"HSCAN", m_key, cursor, "MATCH", m_sift, "COUNT", pageOfSifted};
}

bool KeyReader::askMoreFields(std::vector<TaggedCommand> &out) {
  const bool isFirst = m_pages == 0;
  if (!m_cursor.empty() && isFirst && m_sift.empty() && std::ranges::any_of(m_facts.fields, isLockCount)) {
    m_sift = lockCounts; // the three fields of a value lie far from each other
    m_facts.fields.clear();
    m_cursor = "0";
  }
  const bool isSifted = !m_sift.empty();
  const bool isFull = isSifted ? m_facts.fields.size() >= mostRead && !isOfLocks() : m_facts.fields.size() >= mostFields; // else they are counted
  const bool hasRoom = !isFull && (!isSifted || m_pages < (isAskedFor() ? mostAskedFor : mostSifted));
  if (!m_cursor.empty() && hasRoom) {
    ask(Part::Fields, fieldsFrom(m_cursor), out);
  } else if (!m_cursor.empty() && !isSifted) {
    ask(Part::Mode, {"HGET", m_key, "mode"}, out); // it decides, and may lie behind what is read
    m_cursor.clear();
  } else if (isSifted) {
    if (m_sift == lockCounts && m_named.empty())
      askLockedValues(out);
    else if (isOfLocks()) { // what was passed over is no lock's
      m_isCut |= !m_cursor.empty();
      m_facts.size = std::max<std::uint64_t>(m_facts.size, m_facts.fields.size() + m_unkept);
      m_facts.passed = !m_isCut ? m_facts.size : std::min<std::uint64_t>(m_facts.size, 1000 * (std::uint64_t{m_pages} + 1));
      m_facts.passed -= std::min(m_facts.passed, m_unkept);
    }
    m_cursor.clear();
  }
  if (m_pending > 0 && ++m_pages == 1)
    ask(Part::Length, sizeOf(m_facts.type, m_key), out);
  return m_pending > 0;
}

// "value:owner:lock_count" was read; "value" and "value:owner:expire_time" belong to it.
void KeyReader::askLockedValues(std::vector<TaggedCommand> &out) {
  constexpr std::size_t valueSize = 22;
  Command command{"HMGET", m_key};
  for (const auto &[field, count] : m_facts.fields) {
    const auto hold = std::string_view(field).substr(0, field.size() - std::min(field.size(), countMark.size()));
    if (hold.size() <= valueSize || hold[valueSize] != ':')
      continue;
    for (auto name : {std::string(hold.substr(0, valueSize)), std::string(hold) + ":expire_time"}) {
      command.arg(name);
      m_named.push_back(std::move(name));
    }
  }
  if (!m_named.empty())
    ask(Part::Named, std::move(command), out);
}

void KeyReader::takeNames(const Reply &reply) {
  for (const auto &word : reply.array())
    if (const auto *field = word.bulk())
      m_facts.fields.emplace_back(*field, std::string());
  m_facts.size = reply.array().size();
}

void KeyReader::takeNamed(const Reply &reply) {
  const auto &values = reply.array();
  for (std::size_t i = 0; i < std::min(values.size(), m_named.size()); ++i)
    if (const auto *value = values[i].bulk())
      m_facts.fields.emplace_back(m_named[i], *value);
}

// A lock of one holder lasts as long as he does.
bool KeyReader::askReaderLeases(std::vector<TaggedCommand> &out) {
  constexpr std::size_t ofOneHolder = 2; // fields
  if (m_facts.type != ValueType::Hash || !m_leases.empty() || m_facts.fields.size() <= ofOneHolder || !hasMode(m_facts.fields))
    return false;
  auto room = mostLeases;
  for (const auto &[field, value] : m_facts.fields) {
    const auto count = redisson::isOwner(field) ? redisson::holdCount(value).value_or(0) : 0;
    if (count == 0 || count > room)
      continue;
    room -= count;
    for (std::int64_t entry = 1; entry <= count; ++entry) {
      ask(Part::ReaderLease, {"PTTL", redisson::readerLeaseKey(m_key, field, entry)}, out);
      m_leaseAsks.push_back(m_leases.size());
    }
    m_leases.push_back({.reader = field});
  }
  return !m_leases.empty();
}

void KeyReader::takeReaderLease(const Reply &reply) {
  constexpr std::int64_t gone = -2;
  auto &lease = m_leases[m_leaseAsks[m_leasesAnswered++]];
  if (reply.integer() == gone)
    return;
  const auto left = leaseOf(reply);
  lease.isKnown &= left.has_value(); // refused, or it never ends
  lease.left = std::max(lease.left, left.value_or(lease.left));
}

// Where none of them is there at all, nobody has kept them.
void KeyReader::noteReaderLeases() {
  if (std::ranges::none_of(m_leases, [](const ReaderLease &lease) { return lease.left > milliseconds(0); }))
    return;
  for (auto &[reader, left, isKnown] : m_leases)
    if (isKnown)
      m_facts.readerLeases.push_back({std::move(reader), left});
}

} // namespace lockhouse
