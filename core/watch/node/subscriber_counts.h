// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/watch/node/lock_cache.h"
#include "core/watch/node/remote_subscribers.h"
#include "core/watch/scan/key_probe.h"

namespace lockhouse {

/// Who waits for a Redisson lock subscribes to its channel, one subscription per client however many of its threads wait. No feed
/// tells of it, so the numbers of all known locks are asked for in turn, and where one has changed its lock is read again: what the row then
/// shows is of that read (noteListeners, addUnqueued). Without I/O.
/// Redis: PUBSUB NUMSUB of at most 500 channels a beat; at a node of a cluster PUBSUB SHARDNUMSUB of the same names too, and both are added.
/// Not promised: who waits by asking again and again (RSpinLock) is not seen; nobody listening does not mean that nobody waits.
class SubscriberCounts {
public:
  struct TaggedCommand {
    bool isSharded;
    Command command;
  };

  /// What may be counted of the locks of this list behind the ones asked for last; nothing if there are none, or some are under way.
  std::vector<TaggedCommand> next(const std::vector<LockRecordPtr> &sorted, const ReadHeuristics &lore);
  /// An answer to one of them, null where it failed. With the last one: the locks whose number of listeners, with those `elsewhere`, is not the
  /// one known.
  std::vector<std::string> changed(const Reply *answer, const LockCache &cache, const RemoteSubscribers &elsewhere);
  void forget() { m_asked.clear(); } ///< what was asked will not be answered

private:
  struct Asked {
    std::string lock, channel;
    std::uint64_t listening = 0;
  };
  std::vector<Asked> m_asked; // in the order of the channels
  unsigned m_pending = 0;     // answers
  bool m_told = false;        // by one of them at least
  std::size_t m_next = 0;     // where to go on in the list
};

/// The channel that waiters of this lock listen to; nothing for a family whose waiters are known otherwise, or not at all.
std::optional<std::string> listenersChannel(const LockRecord &record, const FamilyRegistry &families);

/// The same of a family that says so in its text; nothing of Redisson's, which are read together with others.
std::optional<std::string> ownChannel(std::string_view family, std::string_view lock, const FamilyRegistry &families);

} // namespace lockhouse
