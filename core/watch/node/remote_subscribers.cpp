// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/remote_subscribers.h"

#include "core/base/redisson_names.h"
#include "core/watch/node/subscriber_counts.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr std::size_t mostChannels = 500; // of one command
constexpr std::size_t mostPassed = 5000;  // records a beat, so that many without a channel do not take too long

} // namespace

void RemoteSubscribers::beginRound() {
  m_isRound = true;
  m_next = 0;
}

std::vector<std::string> RemoteSubscribers::next(const std::vector<LockRecordPtr> &sorted, const FamilyRegistry &families) {
  if (isAsking())
    return {};
  const auto most = m_isRound ? mostChannels : std::max<std::size_t>(1, mostChannels / m_nodes);
  const auto mayRead = m_isRound ? sorted.size() : std::min(sorted.size(), mostPassed);
  m_asked = std::exchange(m_new, {});
  m_asked.resize(std::min(m_asked.size(), most));
  m_next = m_isRound || m_next < sorted.size() ? m_next : 0;
  for (std::size_t passed = 0; passed < mayRead && m_asked.size() < most && m_next < sorted.size(); ++passed) {
    const auto &record = *sorted[m_next++];
    if (auto channel = listenersChannel(record, families))
      m_asked.push_back({record.id.key.bytes(), std::move(*channel)});
  }
  m_isRound = m_isRound && m_next < sorted.size();
  std::vector<std::string> channels;
  for (const auto &asked : m_asked)
    channels.push_back(asked.name);
  return channels;
}

std::vector<std::string> RemoteSubscribers::take(const std::vector<std::uint64_t> &clients, std::size_t nodes, bool isWhole) {
  m_nodes = std::max<std::size_t>(1, nodes);
  m_isWhole = isWhole;
  std::vector<std::string> keys;
  const auto asked = std::exchange(m_asked, {});
  for (std::size_t i = 0; i < std::min(asked.size(), clients.size()); ++i) {
    const auto &[lock, channel] = asked[i];
    if (at(channel) == clients[i])
      continue;
    if (clients[i] > 0)
      m_counts.insert_or_assign(channel, Count{lock, clients[i]});
    else
      m_counts.erase(channel);
    keys.push_back(lock);
  }
  return keys;
}

void RemoteSubscribers::add(std::string lock, std::string channel) {
  if (m_new.size() < mostChannels)
    m_new.push_back({std::move(lock), std::move(channel)});
}

void RemoteSubscribers::keep(const LockCache &cache) {
  std::erase_if(m_counts, [&cache](const auto &count) { return cache.find(count.second.lock) == nullptr; });
}

void RemoteSubscribers::forget() { *this = {}; }

std::uint64_t RemoteSubscribers::at(const std::string &channel) const {
  const auto found = m_counts.find(channel);
  return found == m_counts.end() ? 0 : found->second.clients;
}

void RemoteSubscribers::addTo(KeyFacts &facts, const std::string &channel) const {
  if (m_counts.empty())
    return;
  KeyFacts::SubscriberCounts clients;
  const auto key = std::string(facts.key);
  if (facts.type == ValueType::Hash) {
    clients.lock = at(redisson::lockChannel(key));
    clients.readWrite = at(redisson::rwChannel(key));
  } else if (facts.type == ValueType::String) {
    clients.permits = at(redisson::semaphoreChannel(key));
    clients.latch = at(redisson::latchChannel(key));
  }
  if (clients.lock + clients.readWrite + clients.permits + clients.latch > 0) {
    auto &all = facts.listeners.emplace(facts.listeners.value_or(KeyFacts::SubscriberCounts{}));
    all.lock += clients.lock;
    all.readWrite += clients.readWrite;
    all.permits += clients.permits;
    all.latch += clients.latch;
  }
  if (const auto others = channel.empty() ? 0 : at(channel); others > 0)
    facts.channelListeners = facts.channelListeners.value_or(0) + others;
}

void RemoteSubscribers::explain(LockRecord &record, const FamilyRegistry &families) const {
  if ((m_counts.empty() && m_isWhole) || !record.waiters)
    return;
  const auto channel = listenersChannel(record, families);
  if (!channel)
    return;
  if (const auto clients = at(*channel); clients > 0)
    record.evidence.push_back(LH_MESSAGE("Evidence", "clients that listen for its release at other nodes of the cluster: %1")(clients));
  if (m_isWhole)
    return;
  record.moreMayWait = true;
  record.evidence.emplace_back(
      LH_MESSAGE("Evidence", "clients that listen for its release at masters of the cluster that are not watched or not reached are not counted"));
}

} // namespace lockhouse
