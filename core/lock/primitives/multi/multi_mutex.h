// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitives/primitive.h"

#include <span>
#include <vector>

namespace lockhouse {

/// Several mutexes of one hash slot as one lock: the same token under every name, taken, renewed and released by one script, all
/// or none. The keys are those of Mutex, so that both exclude each other. Its LockName is joined() of the names.
/// Not in Primitive::all(): MultiLock uses it where it can.
///
/// A release that finds one of the keys gone or somebody else's deletes the others and answers NotOwner.
class MultiMutex final : public Primitive {
public:
  /// `names` as one: the length of each, a colon, its bytes, a comma. Different lists never give the same bytes.
  static LockName joined(std::span<const LockName> names);
  static std::vector<std::string_view> parts(const LockName &joined);
  /// Whether a cluster keeps all of them in one hash slot. Source: Redis cluster specification, "Hash tags".
  static bool sameSlot(std::span<const LockName> names);

  const PrimitiveInfo &info() const override;
  bool isReentrant() const override { return false; }
  Result<LockToken> owner(std::string_view client, std::uint64_t number) const override;
  Command acquire(const Ask &ask, bool again) const override;
  Command renew(const Ask &ask) const override;
  Command release(const Ask &ask, bool wake) const override;
  AcquireAnswer readAcquire(const Reply &reply) const override;
  RenewAnswer readRenew(const Reply &reply) const override;
  ReleaseAnswer readRelease(const Reply &reply) const override;
};

/// The one constant of its kind, as Primitive::find() gives the others.
const MultiMutex &multiMutex();

} // namespace lockhouse
