// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/ears.h"
#include "core/client/lock_driver.h"
#include "core/client/soon.h"
#include "core/lock/acquire_machine.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace lockhouse {

class LockTenure;
struct HandedOn;

/// The one channel on which a client is told of the locks that were passed on to its waiters: "<primitive> <numbers> <fence> <lock>";
/// fence 0 = ask again. Several numbers: they have it one after the other. Loop thread only.
class Inbox final : public Ears::Ear {
public:
  explicit Inbox(LockDriver::Core &driver);

  bool listen(); ///< as of Ears
  void stop(SteadyTime now);
  void enter(std::uint64_t number, LockTenure &owner) { m_owners[number] = &owner; }
  void leave(std::uint64_t number) { m_owners.erase(number); }
  /// The lock was passed on to this owner of ours. If nobody wants it any more, it is given back at once.
  void passedOn(const Primitive &primitive, const LockName &lock, const PassedOn &grant, SteadyTime now);
  /// The holder has done with it: to the first of those behind who waits for it; if nobody does, it is given back.
  void handOn(const Primitive &primitive, const LockName &lock, HandedOn what, SteadyTime now);
  /// Nobody is known to hold it: it is given back, and the server, which knows whether it is ours, grants it to the next of those behind.
  void letGo(const Primitive &primitive, const LockName &lock, HandedOn what, SteadyTime now);
  /// Those of them who wait for it.
  std::vector<std::uint64_t> waitingOf(const Primitive &primitive, const LockName &lock, std::vector<std::uint64_t> behind) const;
  /// They have no place in the server's line any more: in a later turn of the loop they ask again.
  void wakeSoon(const Primitive &primitive, const LockName &lock, std::vector<std::uint64_t> behind);

  void stands(bool hears) override;
  void heard(std::string_view message) override;
  void gap() override;

private:
  void tellAll(AcquireEvent event);
  LockTenure *waiting(const Primitive &primitive, const LockName &lock, std::uint64_t number) const;

  LockDriver::Core &m_driver;
  std::unordered_map<std::uint64_t, LockTenure *> m_owners; // by number
  Soon m_soon;
};

} // namespace lockhouse
