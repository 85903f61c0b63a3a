// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/key_facts.h"
#include "core/watch/scan/read_target.h"

namespace lockhouse {

/// The leases of the readers of a Redisson read-write lock with several holders. Each hold of a reader has a timeout key; PTTL of up to a hundred of
/// them is asked for, of each reader for all or for none.
class ReaderLeases {
public:
  void begin();
  /// False: there is nothing to ask for, or it was asked for.
  bool ask(const std::string &key, const KeyFacts &facts, unsigned part, ReadCommands &out);
  void take(const Reply &reply); ///< the answers, in the order of the commands
  void addTo(KeyFacts &facts);

private:
  struct Lease {
    std::string reader;
    milliseconds left{};
    bool isKnown = true;
  };
  std::vector<Lease> m_leases;
  std::vector<std::size_t> m_asked; // the lease that each command asks for
  std::size_t m_answered = 0;
};

} // namespace lockhouse
