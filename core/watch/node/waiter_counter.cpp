// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/waiter_counter.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

constexpr std::uint64_t mostListed = 500;   // clients: CLIENT LIST of more would take the server too long
constexpr std::size_t mostReadAgain = 1000; // at once

using Question = WaiterCounter::Question;

std::uint64_t tagOf(Question question) { return tagOf(AskedBy::Waiters, static_cast<std::uint64_t>(question)); }

void add(std::vector<SubscribedNumbers::Question> lists, Asks &out) {
  for (auto &[list, command] : lists)
    out.push_back({tagOf(static_cast<Question>(static_cast<unsigned>(Question::Semaphores) + static_cast<unsigned>(list))), std::move(command)});
}

} // namespace

void WaiterCounter::beginConnection() {
  m_counts.forget();
  m_remote.forget();
  m_blocked.reset();
  m_heuristics.mayCountListeners = true;
}

void WaiterCounter::firstInfo(const InfoReply &info) {
  m_heuristics.mayCountSharded = info.isCluster;
  m_numbers.beginConnection(info.isCluster);
}

void WaiterCounter::beginEpoch(bool isCluster) {
  if (isCluster)
    m_remote.beginRound();
}

void WaiterCounter::beginScan(Asks &out) { add(m_numbers.beginScan(m_heuristics), out); }

void WaiterCounter::listNumbers(const InfoReply &info, Asks &out) { add(m_numbers.beat(info.channels.value_or(0), m_heuristics), out); }

void WaiterCounter::askRemotely(WatchActions &out) {
  if (auto channels = m_remote.next(m_cache.sorted(), *m_heuristics.families); !channels.empty())
    out.subscriberQuestions.push_back({++m_remoteQuestion, std::move(channels)});
}

bool WaiterCounter::finishScan(WatchActions &out) {
  if (!m_remote.isInRound())
    return false;
  askRemotely(out);
  return m_remote.isAsking();
}

void WaiterCounter::beat(bool isCluster, WatchActions &out) {
  if (isCluster) {
    m_remote.keep(m_cache);
    askRemotely(out);
  }
  if (!m_heuristics.mayCount())
    return;
  for (auto &[isSharded, command] : m_counts.next(m_cache.sorted(), m_heuristics))
    out.asks.push_back({tagOf(isSharded ? Question::ShardCounts : Question::Counts), std::move(command)});
}

// Nothing shows which key a blocked client waits for. But if no client is blocked at a master, no client waits for a lock whose waiters block; they
// block at masters only.
WaiterCounter::Keys WaiterCounter::onInfo(const InfoReply &info, bool isFirst, Asks &out) {
  if (info.role != "master")
    return setBlocked(std::nullopt);
  if (info.blockedClients.value_or(1) == 0)
    return setBlocked(0);
  if (!(m_hasBlocking || isFirst) || !info.blockedClients || info.connectedClients > mostListed)
    return setBlocked(std::nullopt);
  out.push_back({tagOf(Question::Blocked), {"CLIENT", "LIST"}});
  return {};
}

WaiterCounter::Keys WaiterCounter::setBlocked(std::optional<std::uint64_t> clients) {
  const bool wasNone = std::exchange(m_blocked, clients) == std::uint64_t{0};
  Keys keys;
  if (wasNone == (clients == std::uint64_t{0}) || !m_hasBlocking)
    return keys;
  m_cache.each([&](const std::string &key, const LockCache::Known &known) {
    const auto *family = m_heuristics.families->find(known.record->family);
    if (family && family->waits == Waits::Blocked && keys.size() < mostReadAgain)
      keys.push_back(key);
  });
  return keys;
}

WaiterCounter::Keys WaiterCounter::onAnswer(Question question, const Result<Reply> &answer) {
  const bool isAnswered = answer && !answer->isFailure();
  if (question == Question::Blocked)
    return setBlocked(isAnswered ? std::optional(blockedIn(answer->text().value_or(""), m_db)) : std::nullopt);
  if (!isAnswered)
    (question == Question::ShardCounts ? m_heuristics.mayCountSharded : m_heuristics.mayCountListeners) = false;
  return m_counts.changed(isAnswered ? &*answer : nullptr, m_cache, m_remote);
}

std::vector<std::string> WaiterCounter::onNumbers(Question question, const Result<Reply> &answer) {
  const auto list = static_cast<SubscribedNumbers::List>(static_cast<unsigned>(question) - static_cast<unsigned>(Question::Semaphores));
  return m_numbers.take(list, answer, *m_heuristics.families);
}

WaiterCounter::Keys WaiterCounter::onRemoteCounts(const watching::RemoteCounts &counts) {
  if (counts.number != m_remoteQuestion || !m_remote.isAsking())
    return {};
  const bool wasWhole = m_remote.isWhole();
  auto keys = m_remote.take(counts.clients, counts.nodes, counts.isWhole);
  std::erase_if(keys, [this](const std::string &key) { return m_cache.find(key) == nullptr; });
  if (wasWhole != counts.isWhole)
    std::ranges::move(subscribedLocks(), std::back_inserter(keys));
  return keys;
}

WaiterCounter::Keys WaiterCounter::subscribedLocks() const {
  Keys keys;
  m_cache.each([&](const std::string &key, const LockCache::Known &known) {
    if (known.record->waiters && keys.size() < mostReadAgain && listenersChannel(*known.record, *m_heuristics.families))
      keys.push_back(key);
  });
  return keys;
}

void WaiterCounter::onSubscribersWanted(const watching::SubscribersWanted &event, bool isOpen, WatchActions &out) {
  if (!isOpen || (event.areSharded && !m_heuristics.mayCountSharded)) {
    out.subscriberAnswers.push_back({event.request, std::nullopt});
    return;
  }
  Command command{"PUBSUB", event.areSharded ? "SHARDNUMSUB" : "NUMSUB"};
  for (const auto &channel : event.channels)
    command.arg(channel);
  out.asks.push_back({lockhouse::tagOf(AskedBy::RemoteWatcher, event.request << 1 | event.areSharded), std::move(command)});
}

void WaiterCounter::onSubscribersCounted(std::uint64_t rest, const Result<Reply> &answer, WatchActions &out) {
  const auto request = rest >> 1;
  const bool areSharded = (rest & 1) != 0;
  if (!answer || answer->isFailure()) {
    if (answer)
      (areSharded ? m_heuristics.mayCountSharded : m_heuristics.mayCountListeners) = false;
    out.subscriberAnswers.push_back({request, std::nullopt});
    return;
  }
  std::vector<std::uint64_t> clients;
  for (std::size_t i = 1; i < answer->array().size(); i += 2)
    clients.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(0, answer->array()[i].integer().value_or(0))));
  out.subscriberAnswers.push_back({request, std::move(clients)});
}

void WaiterCounter::addTo(KeyFacts &facts, const std::string &channel) const {
  m_remote.addTo(facts, channel);
  facts.blockedClients = m_blocked;
}

void WaiterCounter::explain(LockRecord &record, bool areDatabasesSeveral) const {
  m_remote.explain(record, *m_heuristics.families);
  if (areDatabasesSeveral && record.waiters.value_or(0) > 0 && record.queue.empty() && listenersChannel(record, *m_heuristics.families))
    record.evidence.emplace_back(listenersOfAll);
}

bool WaiterCounter::addLock(const LockRecord &record, bool askRemotely) {
  const auto *family = m_heuristics.families->find(record.family);
  const bool isBlocking = family && family->waits == Waits::Blocked;
  m_hasBlocking |= isBlocking;
  auto channel = askRemotely || !isBlocking ? listenersChannel(record, *m_heuristics.families) : std::nullopt;
  const bool isUnannounced = isBlocking || channel;
  if (askRemotely && channel)
    m_remote.add(record.id.key.bytes(), std::move(*channel));
  return isUnannounced;
}

} // namespace lockhouse
