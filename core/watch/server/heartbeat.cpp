// SPDX-License-Identifier: Apache-2.0
#include "core/watch/server/heartbeat.h"

#include <utility>

namespace lockhouse {
namespace {

// What our commands cost a server, measured on Redis 7.0. It is only shown.
std::chrono::nanoseconds costOf(const Command &command) {
  const auto name = command.name();
  if (name == "SCAN")
    return std::chrono::microseconds(250);
  if (name == "PUBSUB")
    return std::chrono::nanoseconds(1200 + 70 * static_cast<long>(command.size())); // for each channel
  return name == "INFO" ? std::chrono::microseconds(150) : std::chrono::nanoseconds(1200);
}

} // namespace

void Heartbeat::begin(SteadyTime now) {
  m_isPending = true;
  m_due = now + m_every;
  m_since = now;
  m_cost = {};
}

bool Heartbeat::beat(SteadyTime now) {
  m_due = now + m_every;
  return !std::exchange(m_isPending, true);
}

void Heartbeat::addCost(std::span<const TaggedCommand> asks) {
  for (const auto &ask : asks)
    m_cost += costOf(ask.command);
}

std::optional<double> Heartbeat::takeShare(SteadyTime now) {
  const auto passed = now - std::exchange(m_since, now);
  const auto cost = std::exchange(m_cost, {});
  if (passed.count() <= 0)
    return std::nullopt;
  return static_cast<double>(cost.count()) / static_cast<double>(passed.count());
}

} // namespace lockhouse
