// SPDX-License-Identifier: Apache-2.0
#include "core/watch/listeners.h"

#include "core/base/redisson_names.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr std::size_t mostChannels = 500; // of one command
constexpr std::size_t mostLooked = 5000;  // records a beat, so that many foreign ones do not cost a beat's time

} // namespace

std::optional<std::string> ownChannel(std::string_view slug, std::string_view lock, const Families &families) {
  const auto *family = families.find(slug);
  if (!family || !family->channel || family->recognise || family->waits != Waits::Listening)
    return std::nullopt;
  return nameBeside(*family, *family->channel, lock);
}

std::optional<std::string> listenersChannel(const LockRecord &record, const Families &families) {
  if (record.family == "redisson-lock")
    return redisson::lockChannel(record.id.key.bytes());
  if (record.family == "redisson-rw")
    return redisson::rwChannel(record.id.key.bytes());
  if (record.family == "redisson-semaphore" || record.family == "redisson-permits")
    return redisson::semaphoreChannel(record.id.key.bytes());
  if (record.family == "redisson-latch")
    return redisson::latchChannel(record.id.key.bytes());
  return ownChannel(record.family, record.id.key.bytes(), families);
}

std::optional<Command> Listeners::next(const std::vector<LockRecordPtr> &sorted, const Families &families) {
  if (!m_asked.empty())
    return std::nullopt;
  Command command{"PUBSUB", "NUMSUB"};
  for (std::size_t looked = 0; looked < std::min(sorted.size(), mostLooked) && m_asked.size() < mostChannels; ++looked) {
    m_next = m_next < sorted.size() ? m_next : 0;
    const auto &record = *sorted[m_next++];
    if (const auto channel = listenersChannel(record, families)) {
      command.arg(*channel);
      m_asked.push_back(record.id.key.bytes());
    }
  }
  return m_asked.empty() ? std::nullopt : std::optional(std::move(command));
}

std::vector<std::string> Listeners::changed(const Reply &answer, const Mirror &mirror) {
  std::vector<std::string> keys;
  const auto &words = answer.array();
  for (std::size_t i = 0; i < m_asked.size() && 2 * i + 1 < words.size(); ++i) {
    const auto *known = mirror.find(m_asked[i]);
    const auto listening = static_cast<std::uint64_t>(std::max<std::int64_t>(0, words[2 * i + 1].integer().value_or(0)));
    if (known && known->record->waiters.value_or(0) != listening)
      keys.push_back(std::move(m_asked[i]));
  }
  m_asked.clear();
  return keys;
}

} // namespace lockhouse
