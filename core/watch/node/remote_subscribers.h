// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family_registry.h"
#include "core/watch/detect/key_facts.h"
#include "core/watch/node/lock_cache.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace lockhouse {

/// The subscribers at other nodes of the cluster. PUBLISH reaches all nodes, so a client may subscribe at any of them; to a sharded channel a
/// client may subscribe at a replica of its master. The channels of all known locks are asked for in turn, one batch at a time. If a number
/// changed, the lock is read again, and the number is added to that of the lock's own node. Without I/O: ClusterSubscribers decides which nodes
/// are asked.
/// At most 500 channels a batch in the first round; later so few that no node is asked for more than 500 a beat by all others together.
class RemoteSubscribers {
public:
  /// From now on the channels of all locks are asked for once, without a rest.
  void beginRound();
  bool isInRound() const { return m_isRound; } ///< not all of them are asked for yet
  bool isAsking() const { return !m_asked.empty(); }

  /// The channels to ask for; none if some are under way, or there are none.
  std::vector<std::string> next(const std::vector<LockRecordPtr> &sorted, const FamilyRegistry &families);
  /// The number of subscribers of each channel at `nodes` other nodes; not `isWhole` if there may be more at masters that were not asked. Returns the
  /// locks whose number changed.
  std::vector<std::string> take(const std::vector<std::uint64_t> &clients, std::size_t nodes, bool isWhole);
  /// A new lock: its channel is asked for next.
  void add(std::string lock, std::string channel);
  void keep(const LockCache &cache); ///< forgets the channels of locks that no longer exist
  void forget();                     ///< the question under way will not be answered, and the numbers are outdated

  std::uint64_t at(const std::string &channel) const;
  bool isWhole() const { return m_isWhole; }
  /// Adds to what was read of one key at its own node; `channel`: of KeyReader.
  void addTo(KeyFacts &facts, const std::string &channel) const;
  /// Adds evidence: how many of its waiters are at other nodes, and that there may be more.
  void explain(LockRecord &record, const FamilyRegistry &families) const;

private:
  struct Channel {
    std::string lock, name;
  };
  struct Count {
    std::string lock;
    std::uint64_t clients = 0;
  };
  std::vector<Channel> m_asked, m_new;
  std::unordered_map<std::string, Count> m_counts; // by channel; of channels with subscribers
  std::size_t m_next = 0, m_nodes = 1;
  bool m_isRound = false, m_isWhole = true;
};

/// Evidence for a lock whose server has keys in several databases: they share their channels.
inline constexpr auto listenersOfAll =
    LH_MESSAGE("Evidence", "channels are of all databases of the server: who listens may want the lock of this name in another one");

} // namespace lockhouse
