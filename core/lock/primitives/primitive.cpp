// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/primitive.h"

#include <algorithm>
#include <array>

namespace lockhouse {

std::vector<PassedOn> Primitive::readPassedOn(const Reply &) const { return {}; }

std::vector<std::string> Primitive::lasting(const LockName &) const { return {}; }

std::optional<Command> Primitive::acquireNext(const Ask &, std::string_view, const Reply &) const { return std::nullopt; }

AcquireAnswer Primitive::readAcquireStep(std::string_view, const Reply &reply) const { return readAcquire(reply); }

Command Primitive::block(const LockName &, seconds) const { return {}; }

Channel Primitive::wakeChannel(const LockName &) const { return {}; }

Channel Primitive::ownerChannel(const LockName &name, const LockToken &) const { return wakeChannel(name); }

Command Primitive::releaseTogether(std::span<const Ask>) const { return {}; }

AcquirePolicy Primitive::defaultPolicy() const { return defaultPolicyOf(info()); }

bool Primitive::takes(const AcquirePolicy &policy) const { return takesPolicy(info(), policy); }

bool Primitive::isBusy(const Reply &reply) {
  static constexpr std::array<std::string_view, 6> words{"LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "NOREPLICAS"};
  return std::ranges::find(words, reply.failureWord()) != words.end();
}

} // namespace lockhouse
