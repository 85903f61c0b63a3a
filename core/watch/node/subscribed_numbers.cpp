// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/subscribed_numbers.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

constexpr std::size_t mostNames = 10'000;       // of each list
constexpr std::uint64_t channelsOfFeed = 4;     // invalidations, and the expired, evicted and deleted keys
constexpr std::uint64_t channelsPerBeat = 4000; // PUBSUB CHANNELS compares each of them: 0.2 ms

} // namespace

std::vector<SubscribedNumbers::Question> SubscribedNumbers::ask(const ReadHeuristics &heuristics) {
  m_beatsWaited = 0;
  std::vector<Question> questions;
  const auto add = [&](List semaphores, List latches, std::string_view subcommand) {
    questions.push_back({semaphores, {"PUBSUB", subcommand, "redisson_sc:*"}});
    questions.push_back({latches, {"PUBSUB", subcommand, "redisson_countdownlatch__channel__{*"}});
  };
  if (heuristics.mayCountListeners)
    add(List::Semaphores, List::Latches, "CHANNELS");
  if (m_mayListSharded)
    add(List::ShardSemaphores, List::ShardLatches, "SHARDCHANNELS");
  m_pending += static_cast<unsigned>(questions.size());
  return questions;
}

std::vector<SubscribedNumbers::Question> SubscribedNumbers::beginScan(const ReadHeuristics &heuristics) {
  m_names = {};
  return ask(heuristics);
}

// If there are only as many channels as our own feed uses, they are listed only when their number changes.
std::vector<SubscribedNumbers::Question> SubscribedNumbers::beat(std::uint64_t channels, const ReadHeuristics &heuristics) {
  const auto before = std::exchange(m_channels, channels);
  const bool areOurs = m_channels == before && m_channels <= channelsOfFeed;
  if (areOurs || isAsking() || m_beatsWaited++ < m_channels / channelsPerBeat)
    return {};
  return ask(heuristics);
}

std::vector<std::string> SubscribedNumbers::take(List list, const Result<Reply> &answer, const FamilyRegistry &families) {
  if (!isAsking())
    return {};
  --m_pending;
  const bool areLatches = list == List::Latches || list == List::ShardLatches;
  if ((list == List::ShardSemaphores || list == List::ShardLatches) && (!answer || answer->isFailure()))
    m_mayListSharded = false;
  const auto *family = families.find(areLatches ? "redisson-latch" : "redisson-semaphore");
  if (!answer || answer->isFailure() || !family)
    return {};
  auto &names = m_names[static_cast<std::size_t>(list)];
  const auto before = std::exchange(names, {});
  std::vector<std::string> added;
  for (const auto &word : answer->array()) {
    Captures captures;
    const auto *channel = word.bulk();
    if (!channel || names.size() >= mostNames || !family->channel->matches(*channel, &captures))
      continue;
    const auto name = names.emplace(captures.find("lock").value_or("")).first;
    if (!before.contains(*name))
      added.push_back(*name);
  }
  return added;
}

bool SubscribedNumbers::contains(const std::string &key) const {
  return std::ranges::any_of(m_names, [&key](const auto &names) { return names.contains(key); });
}

} // namespace lockhouse
