// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/watch/node/lock_cache.h"
#include "core/watch/node/remote_subscribers.h"
#include "core/watch/scan/key_probe.h"

namespace lockhouse {

/// A client that waits for a Redisson lock subscribes to its channel, once per client however many of its threads wait. No feed announces it. So
/// the numbers of all known locks are asked for in turn, and if one changed its lock is read again: the row shows the number of that read.
/// Without I/O.
/// Redis: PUBSUB NUMSUB of at most 500 channels a beat; at a node of a cluster PUBSUB SHARDNUMSUB of the same names too, and both are added.
/// Not promised: a client that polls (RSpinLock) is not counted, so a lock without subscribers may have waiters.
class SubscriberCounts {
public:
  struct Question {
    bool isSharded;
    Command command;
  };

  /// The questions for the locks of this list after the ones asked for last; none if there are no such locks, or questions are under way.
  std::vector<Question> next(const std::vector<LockRecordPtr> &sorted, const ReadHeuristics &heuristics);
  /// An answer to one of them, null if it failed. After the last one: the locks whose number of subscribers, with those `elsewhere`, changed.
  std::vector<std::string> changed(const Reply *answer, const LockCache &cache, const RemoteSubscribers &elsewhere);
  void forget() { m_asked.clear(); } ///< the questions under way will not be answered

private:
  struct Asked {
    std::string lock, channel;
    std::uint64_t listening = 0;
  };
  std::vector<Asked> m_asked; // in the order of the channels
  unsigned m_pending = 0;     // answers
  bool m_isAnswered = false;  // one of them did not fail
  std::size_t m_next = 0;     // index in the list
};

/// The channel that this lock's waiters subscribe to; nothing if its family's waiters are counted otherwise, or not at all.
std::optional<std::string> listenersChannel(const LockRecord &record, const FamilyRegistry &families);

/// The same for a family whose TOML names a channel; nothing for Redisson's, which are read together.
std::optional<std::string> ownChannel(std::string_view family, std::string_view lock, const FamilyRegistry &families);

} // namespace lockhouse
