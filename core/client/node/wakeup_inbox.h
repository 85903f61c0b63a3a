// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/node_driver.h"
#include "core/client/node/wakeup_subscriptions.h"
#include "core/lock/machines/acquire_machine.h"

#include <cstdint>
#include <unordered_map>

namespace lockhouse {

class Acquisition;

/// The one channel on which a client is told of the locks that were passed on to its waiters: "<primitive> <numbers> <fence> <lock>";
/// fence 0 = ask again, which is all that a hint can say. The first of the numbers has it, the others stand right behind it. Loop thread only.
class WakeupInbox final : public WakeupSubscriptions::Ear {
public:
  explicit WakeupInbox(NodeDriver::Core &driver) : m_driver(driver) {}

  bool listen(); ///< as of WakeupSubscriptions
  void stop(SteadyTime now);
  void enter(std::uint64_t number, Acquisition &owner) { m_owners[number] = &owner; }
  void leave(std::uint64_t number) { m_owners.erase(number); }
  /// The lock was passed on to this owner of ours. If nobody wants it any more, it is given back at once.
  void passedOn(const Primitive &primitive, const LockName &lock, const PassedOn &grant, SteadyTime now);
  /// Who was last given that number; null if he has another one by now.
  Acquisition *owner(std::uint64_t number) const;

  void stands(bool hears) override;
  void heard(std::string_view message) override;
  void gap() override;

private:
  void tellAll(AcquireEvent event);

  NodeDriver::Core &m_driver;
  std::unordered_map<std::uint64_t, Acquisition *> m_owners; // by number
};

} // namespace lockhouse
