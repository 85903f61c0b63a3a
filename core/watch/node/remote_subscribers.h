// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family_registry.h"
#include "core/watch/detect/key_facts.h"
#include "core/watch/node/lock_cache.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace lockhouse {

/// Who listens at other nodes of the cluster: PUBLISH goes to all of them, so that a plain SUBSCRIBE may be made at any, wherever the lock
/// is; and who listens to a sharded channel at a replica of its master. The channels of all known locks are asked for in turn, one batch at a
/// time; where a number has changed, its lock is read again, and what is heard elsewhere is added to what is heard at its own node. Without
/// I/O: see NodeWatcher, and ClusterSubscribers for who is asked.
/// At most 500 channels a batch at the first look, and later so few that of all nodes together nobody is asked for more than 500 a beat.
class RemoteSubscribers {
public:
  /// From now on the channels of all locks are asked for once, at full speed.
  void beginRound();
  bool isInRound() const { return m_isRound; } ///< not all of them are asked for yet
  bool isAsking() const { return !m_asked.empty(); }

  /// The channels to ask for; none if some are under way, or there are none.
  std::vector<std::string> next(const std::vector<LockRecordPtr> &sorted, const FamilyRegistry &families);
  /// How many listen to each of them at `nodes` other nodes; `isWhole` unless others may listen at masters that were not asked. The locks of
  /// which that is news.
  std::vector<std::string> heard(const std::vector<std::uint64_t> &clients, std::size_t nodes, bool isWhole);
  /// A lock that was not there before: its channel goes first.
  void add(std::string lock, std::string channel);
  void keep(const LockCache &cache); ///< forgets the channels of locks that are gone
  void forget();                     ///< what was asked will not be answered, and what was heard is old

  std::uint64_t at(const std::string &channel) const;
  bool isWhole() const { return m_isWhole; }
  /// To what was read of one key at its own node; `channel`: of KeyReader.
  void addTo(KeyFacts &facts, const std::string &channel) const;
  /// In its evidence, what of its waiters was heard elsewhere, and that there may be more.
  void note(LockRecord &record, const FamilyRegistry &families) const;

private:
  struct Channel {
    std::string lock, name;
  };
  struct Heard {
    std::string lock;
    std::uint64_t clients = 0;
  };
  std::vector<Channel> m_asked, m_new;
  std::unordered_map<std::string, Heard> m_heard; // by channel; where somebody listens
  std::size_t m_next = 0, m_nodes = 1;
  bool m_isRound = false, m_isWhole = true;
};

/// What evidence says of a lock whose server has keys in several databases, whose channels are the same.
inline constexpr auto listenersOfAll =
    LH_MESSAGE("Evidence", "channels are of all databases of the server: who listens may want the lock of this name in another one");

} // namespace lockhouse
