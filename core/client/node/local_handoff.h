// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/lock_owner.h"

namespace lockhouse {

class Acquisition;

/// A hold that goes from one owner of this client to the next without the server, where it stays under the first one's name.
struct HandoffGrant {
  LockToken token;                        ///< under which the server has it
  std::uint64_t number = 0;               ///< of the owner to whom the server gave it
  std::uint64_t fence = 0;                ///< of the next hold
  std::uint64_t lastFence = 0;            ///< the last one that belongs to the server's grant
  SteadyTime until{};                     ///< end of its lease
  std::vector<std::uint64_t> behind = {}; ///< owners whose places are the first in the server's queue, in this order
  std::vector<std::uint64_t> served = {}; ///< owners who had the hold, and whose places are still there
};

/// Who may get the hold of one owner without the server: the next waiter of this client. The server's grant has fences for so many holds as
/// may be handed over. Loop thread only.
class LocalHandoff {
public:
  explicit LocalHandoff(LockOwner &owner) : m_owner(owner) {}

  /// The owner has a new name: nothing is known of its places.
  void reset() { m_behind.clear(); }
  /// The server gave the hold to the owner.
  void granted();
  /// The server said whose places are right behind the owner's.
  void setBehind(const std::vector<std::uint64_t> &owners) { m_behind = owners; }
  /// To whom the hold may be handed; null if it has to be released at the server.
  Acquisition *successor();
  /// The hold of the owner, for that successor. `isBehind`: its place at the server is the first one.
  HandoffGrant handOver(SteadyTime until, bool isBehind);
  /// The owner has what was handed over.
  void takeOver(HandoffGrant grant);
  /// The owner, which is new, is to release what was handed over and is not wanted.
  void takeOverToRelease(HandoffGrant grant, SteadyTime now);

  /// The hold is to be handed over after the current call.
  bool isPlanned() const { return m_isPlanned; }
  void setPlanned(bool isPlanned) { m_isPlanned = isPlanned; }
  /// Another owner is about to hand its hold over to this one.
  bool isExpected() const { return m_isExpected; }
  void setExpected(bool isExpected) { m_isExpected = isExpected; }

private:
  Acquisition *firstBehind();

  LockOwner &m_owner;
  std::uint64_t m_lastFence = 0; // as of HandoffGrant
  std::vector<std::uint64_t> m_behind;
  bool m_isPlanned = false;
  bool m_isExpected = false;
};

} // namespace lockhouse
