// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/slot_migration.h"

namespace lockhouse {
namespace {

constexpr std::size_t mostKeys = 200;
constexpr unsigned mostReads = 60;

} // namespace

void SlotMigration::add(std::string key) {
  if (m_keys.size() < mostKeys)
    m_keys.try_emplace(std::move(key));
}

bool SlotMigration::note(const ReadsInFlight::Done &done, bool isKnown, bool isLock) {
  const bool isUnserved = done.end == KeyReader::End::Refused && done.read.error()->code != ErrorCode::NotPermitted;
  const bool isMoving = isUnserved || (!isLock && done.isServedElsewhere());
  const auto key = m_keys.find(done.read.key());
  if (key == m_keys.end()) {
    if (isMoving && (isKnown || done.ticket.mark.hinted) && m_keys.size() < mostKeys)
      m_keys.emplace(done.read.key(), Key{.reads = 0, .companion = done.read.companion()});
    return false;
  }
  if (!isMoving || ++key->second.reads > mostReads)
    m_keys.erase(key);
  else
    key->second.companion.add(done.read.companion());
  return true;
}

std::vector<std::pair<std::string, Companion>> SlotMigration::keys() const {
  std::vector<std::pair<std::string, Companion>> keys;
  for (const auto &[name, key] : m_keys)
    keys.emplace_back(name, key.companion);
  return keys;
}

} // namespace lockhouse
