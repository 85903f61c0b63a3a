// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/connection/wakeup_subscriptions.h"
#include "core/lock/machines/acquire_machine.h"
#include "core/lock/primitives/primitive.h"

#include <cstdint>
#include <unordered_map>

namespace lockhouse {

class Acquisition;
class NodeDriver;

/// The one channel of a client on which the server says which of its waiters got a lock: "<primitive> <numbers> <fence> <lock>". Fence 0
/// means that it may ask again, which is all that a hint can say. The first number is that of the new owner, the others have the next
/// places. Loop thread only.
class WakeupInbox final : public WakeupSubscriptions::Listener {
public:
  explicit WakeupInbox(NodeDriver &driver) : m_driver(driver) {}

  /// From now on, what arrives for this number is for `acquisition`.
  void add(std::uint64_t number, Acquisition &acquisition) { m_owners[number] = &acquisition; }
  void remove(std::uint64_t number) { m_owners.erase(number); }
  /// The owner of that number; null if it has another one by now.
  Acquisition *owner(std::uint64_t number) const;
  /// The lock was passed on to an owner of this client. If it does not want it any more, it is released at once.
  void passedOn(const Primitive &primitive, const LockName &lock, const PassedOn &grant, SteadyTime now);

  void subscribed(bool succeeded) override;
  void messageReceived(std::string_view message) override;
  void messagesMissed() override;

private:
  void notifyAll(AcquireEvent event);

  NodeDriver &m_driver;
  std::unordered_map<std::uint64_t, Acquisition *> m_owners; // by number
};

} // namespace lockhouse
