// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family_registry.h"
#include "core/watch/scan/read_queue.h"
#include "core/watch/scan/tagged_command.h"

#include <memory>

namespace lockhouse {

/// The reads that are under way. Each is a KeyReader in a slot; the number of the slot is in the tag of its commands.
class ReadsInFlight {
public:
  struct Ticket {
    ReadQueue::Mark mark;
    std::uint64_t epoch = 0;   ///< a read that began in an earlier epoch proves nothing
    std::uint64_t request = 0; ///< of a caller who waits for this read; 0 = none
    std::string asked = {};    ///< the key that the caller named, if another one is read first; empty: it is this one
  };
  struct Done {
    KeyReader::End end;
    KeyReader read;
    Ticket ticket;
    bool isServedElsewhere() const; ///< another master of the cluster has the key, whatever companion keys are here
    /// The lock that a string belongs to, if by its value it may be one of several keys of a lock.
    std::optional<FamilyRegistry::MemberOf> memberOf(const FamilyRegistry &families);
  };

  /// `type`: Unknown if it is not known.
  void start(ReadTarget target, ValueType type, Ticket ticket, SteadyTime now, const ReadHeuristics &heuristics, Asks &out);
  std::optional<Done> on(std::uint64_t rest, Result<Reply> answer, SteadyTime now, ReadHeuristics &heuristics, Asks &out);
  std::size_t inFlight() const { return m_slots.size() - m_free.size(); }

private:
  struct Slot {
    KeyReader read;
    Ticket ticket;
  };
  std::vector<std::unique_ptr<Slot>> m_slots;
  std::vector<std::uint32_t> m_free;
  ReadCommands m_commands; // kept to save allocations

  void handOver(std::uint32_t slot, Asks &out);
};

} // namespace lockhouse
