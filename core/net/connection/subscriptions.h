// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/subscriber.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockhouse {

/// What a subscriber wants to hear, across connections, and what the server has confirmed of it on this one. Channels or patterns:
/// one object each. Pure. Each SUBSCRIBE that is sent gets a ticket, so that the late answer to one that was left again is not
/// taken for the answer to a newer one of the same channel.
class Subscriptions {
public:
  using Done = Subscriber::Done;
  using Ticket = std::uint64_t;

  /// One more holder of `channel`. True: it is confirmed already and `done` is untouched; else `done` was taken to wait.
  bool add(const std::string &channel, Done &done);
  /// One holder less. True if that was the last: the channel is forgotten.
  bool remove(const std::string &channel);
  bool holds(const std::string &channel) const { return m_entries.contains(channel); }

  /// The SUBSCRIBE of `channel` is sent now: the ticket that its answer is to be met with. The channel must be held.
  Ticket sent(const std::string &channel);
  /// Whether no SUBSCRIBE for it is sent on this connection.
  bool needsSending(const std::string &channel) const;
  /// The server's answer. Returns who waited for it; a refused channel is forgotten.
  std::vector<Done> confirm(const std::string &channel, Ticket ticket);
  std::vector<Done> refuse(const std::string &channel, Ticket ticket);

  /// The connection is gone: nothing is sent or confirmed any more. Returns everyone who waited.
  std::vector<Done> reset();
  std::vector<std::string> channels() const;

private:
  struct Entry {
    std::size_t holders = 0;
    Ticket ticket = 0; // of the SUBSCRIBE sent on this connection, if any
    bool confirmed = false;
    std::vector<Done> waiting;
  };
  std::map<std::string, Entry> m_entries;
  Ticket m_lastTicket = 0;
};

} // namespace lockhouse
