// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/reader_leases.h"

#include "core/base/redisson_names.h"
#include "core/watch/detect/key_content.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr std::int64_t mostLeases = 100;
constexpr std::size_t fieldsOfOneHolder = 2; // such a lock's lease is its holder's

bool hasMode(const std::vector<std::pair<std::string, std::string>> &fields) {
  const auto mode = std::ranges::find(fields, "mode", [](const auto &field) -> const std::string & { return field.first; });
  return mode != fields.end() && (mode->second == "read" || mode->second == "write");
}

} // namespace

void ReaderLeases::begin() {
  m_leases.clear();
  m_asked.clear();
  m_answered = 0;
}

bool ReaderLeases::ask(const std::string &key, const KeyFacts &facts, unsigned part, ReadCommands &out) {
  if (facts.type != ValueType::Hash || !m_leases.empty() || facts.fields.size() <= fieldsOfOneHolder || !hasMode(facts.fields))
    return false;
  auto room = mostLeases;
  for (const auto &[field, value] : facts.fields) {
    const auto count = redisson::isOwner(field) ? redisson::holdCount(value).value_or(0) : 0;
    if (count == 0 || count > room)
      continue;
    room -= count;
    for (std::int64_t entry = 1; entry <= count; ++entry) {
      out.push_back({part, {"PTTL", redisson::readerLeaseKey(key, field, entry)}});
      m_asked.push_back(m_leases.size());
    }
    m_leases.push_back({.reader = field});
  }
  return !m_leases.empty();
}

void ReaderLeases::take(const Reply &reply) {
  constexpr std::int64_t absent = -2;
  auto &lease = m_leases[m_asked[m_answered++]];
  if (reply.integer() == absent)
    return;
  const auto left = leaseOf(reply);
  lease.isKnown &= left.has_value(); // refused, or it never ends
  lease.left = std::max(lease.left, left.value_or(lease.left));
}

// If no timeout key exists at all, the lock's readers do not write them.
void ReaderLeases::addTo(KeyFacts &facts) {
  if (std::ranges::none_of(m_leases, [](const Lease &lease) { return lease.left > milliseconds(0); }))
    return;
  for (auto &[reader, left, isKnown] : m_leases)
    if (isKnown)
      facts.readerLeases.push_back({std::move(reader), left});
}

} // namespace lockhouse
