// SPDX-License-Identifier: Apache-2.0
#include "core/net/connection/subscriptions.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lockhouse {

bool Subscriptions::add(const std::string &channel, Done &done) {
  auto &entry = m_entries[channel];
  ++entry.holders;
  if (entry.confirmed)
    return true;
  if (done)
    entry.waiting.push_back(std::exchange(done, nullptr));
  return false;
}

bool Subscriptions::remove(const std::string &channel) {
  const auto found = m_entries.find(channel);
  if (found == m_entries.end() || --found->second.holders > 0)
    return false;
  m_entries.erase(found);
  return true;
}

Subscriptions::Ticket Subscriptions::sent(const std::string &channel) { return m_entries.at(channel).ticket = ++m_lastTicket; }

bool Subscriptions::needsSending(const std::string &channel) const {
  const auto found = m_entries.find(channel);
  return found != m_entries.end() && found->second.ticket == 0;
}

std::vector<Subscriptions::Done> Subscriptions::confirm(const std::string &channel, Ticket ticket) {
  const auto found = m_entries.find(channel);
  if (found == m_entries.end() || found->second.ticket != ticket)
    return {};
  found->second.confirmed = true;
  return std::exchange(found->second.waiting, {});
}

std::vector<Subscriptions::Done> Subscriptions::refuse(const std::string &channel, Ticket ticket) {
  const auto found = m_entries.find(channel);
  if (found == m_entries.end() || found->second.ticket != ticket)
    return {};
  auto waiting = std::move(found->second.waiting);
  m_entries.erase(found);
  return waiting;
}

std::vector<Subscriptions::Done> Subscriptions::reset() {
  std::vector<Done> waiting;
  for (auto &[channel, entry] : m_entries) {
    entry.ticket = 0;
    entry.confirmed = false;
    std::ranges::move(entry.waiting, std::back_inserter(waiting));
    entry.waiting.clear();
  }
  return waiting;
}

std::vector<std::string> Subscriptions::channels() const {
  std::vector<std::string> names;
  for (const auto &[channel, entry] : m_entries)
    names.push_back(channel);
  return names;
}

} // namespace lockhouse
