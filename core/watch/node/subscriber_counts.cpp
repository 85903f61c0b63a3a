// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/subscriber_counts.h"

#include "core/base/redisson_names.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr std::size_t mostChannels = 500; // of one command
constexpr std::size_t mostPassed = 5000;  // records a beat, so that many without a channel do not take too long

} // namespace

std::optional<std::string> ownChannel(std::string_view slug, std::string_view lock, const FamilyRegistry &families) {
  const auto *family = families.find(slug);
  if (!family || !family->channel || family->recognise || family->waits != Waits::Listening)
    return std::nullopt;
  return companionName(*family, *family->channel, lock);
}

std::optional<std::string> listenersChannel(const LockRecord &record, const FamilyRegistry &families) {
  if (record.family == "redisson-lock" || record.family == "redisson-multilock")
    return redisson::lockChannel(record.id.key.bytes());
  if (record.family == "redisson-rw")
    return redisson::rwChannel(record.id.key.bytes());
  if (record.family == "redisson-semaphore" || record.family == "redisson-permits")
    return redisson::semaphoreChannel(record.id.key.bytes());
  if (record.family == "redisson-latch")
    return redisson::latchChannel(record.id.key.bytes());
  return ownChannel(record.family, record.id.key.bytes(), families);
}

std::vector<SubscriberCounts::Question> SubscriberCounts::next(const std::vector<LockRecordPtr> &sorted, const ReadHeuristics &heuristics) {
  if (!m_asked.empty())
    return {};
  std::vector<Question> asks;
  if (heuristics.mayCountListeners)
    asks.push_back({false, {"PUBSUB", "NUMSUB"}});
  if (heuristics.mayCountSharded)
    asks.push_back({true, {"PUBSUB", "SHARDNUMSUB"}});
  if (asks.empty())
    return {};
  for (std::size_t passed = 0; passed < std::min(sorted.size(), mostPassed) && m_asked.size() < mostChannels; ++passed) {
    m_next = m_next < sorted.size() ? m_next : 0;
    const auto &record = *sorted[m_next++];
    if (const auto channel = listenersChannel(record, *heuristics.families)) {
      for (auto &ask : asks)
        ask.command.arg(*channel);
      m_asked.push_back({record.id.key.bytes(), *channel});
    }
  }
  if (m_asked.empty())
    return {};
  m_pending = static_cast<unsigned>(asks.size());
  m_isAnswered = false;
  return asks;
}

std::vector<std::string> SubscriberCounts::changed(const Reply *answer, const LockCache &cache, const RemoteSubscribers &elsewhere) {
  if (m_asked.empty())
    return {};
  if (answer) {
    const auto &words = answer->array();
    m_isAnswered = true;
    for (std::size_t i = 0; i < m_asked.size() && 2 * i + 1 < words.size(); ++i)
      m_asked[i].listening += static_cast<std::uint64_t>(std::max<std::int64_t>(0, words[2 * i + 1].integer().value_or(0)));
  }
  if (--m_pending > 0)
    return {};
  std::vector<std::string> keys;
  for (auto &[lock, channel, listening] : std::exchange(m_asked, {})) {
    const auto *known = m_isAnswered ? cache.find(lock) : nullptr;
    if (known && known->record->waiters.value_or(0) != listening + elsewhere.at(channel))
      keys.push_back(std::move(lock));
  }
  return keys;
}

} // namespace lockhouse
