// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family_registry.h"
#include "core/watch/scan/read_queue.h"
#include "core/watch/scan/tagged_command.h"

#include <memory>

namespace lockhouse {

/// The reads that are under way, each a KeyReader in a slot; the slot's number is in the tag of its commands.
class ReadsInFlight {
public:
  struct Ticket {
    ReadQueue::Mark mark;
    std::uint64_t epoch = 0;   ///< a read begun in an epoch that has ended proves nothing
    std::uint64_t request = 0; ///< of somebody who waits for this very read; 0 = nobody
    std::string asked = {};    ///< the key that he asked for, where another was looked at first; empty: this very one
  };
  struct Done {
    KeyReader::End end;
    KeyReader read;
    Ticket ticket;
    bool isServedElsewhere() const; ///< another master of the cluster has the key, whatever lies beside it here
    /// Of a string that may be one of several keys of a lock by its value: which.
    std::optional<FamilyRegistry::MemberOf> memberOf(const FamilyRegistry &families);
  };

  /// What is asked for and known of a key before it is read.
  struct Wanted {
    ValueType type = ValueType::Unknown;
    Companion companion;
    std::string channel; ///< see KeyReader
  };
  void start(std::string key, Wanted wanted, Ticket ticket, SteadyTime now, const ReadHeuristics &lore, Asks &out);
  std::optional<Done> on(std::uint64_t rest, Result<Reply> answer, SteadyTime now, ReadHeuristics &lore, Asks &out);
  std::size_t inFlight() const { return m_slots.size() - m_free.size(); }

private:
  struct Slot {
    KeyReader read;
    Ticket ticket;
  };
  std::vector<std::unique_ptr<Slot>> m_slots;
  std::vector<std::uint32_t> m_free;
  std::vector<KeyReader::TaggedCommand> m_asks; // kept to save allocations

  void handOver(std::uint32_t slot, Asks &out);
};

} // namespace lockhouse
