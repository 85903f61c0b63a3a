// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/node_session.h"
#include "tests/contract/world/making.h"

#include <memory>
#include <vector>

namespace lockhouse::test {

/// Whom a client talks to, and how it makes locks of what is there.
struct Place {
  std::vector<Uri> nodes;
  std::size_t living = 1; ///< how many of them answer
  Making making = Making::Alone;
  ReplicaAck acknowledge = {}; ///< of every hold that asks for none itself
};

/// The driver that a place needs, so that the same case runs over one node or many. Loop thread only, except commandsSent().
class PlaceDriver {
public:
  static std::unique_ptr<PlaceDriver> open(Loop &loop, Place place, NodeDriver::Options options);
  virtual ~PlaceDriver() = default;
  PlaceDriver(const PlaceDriver &) = delete;
  PlaceDriver &operator=(const PlaceDriver &) = delete;

  virtual std::unique_ptr<OwnerSession> session(const Primitive &primitive, LockName name, LockOptions options) = 0;
  virtual bool isReady() const = 0; ///< connected to all that live
  /// To be asked until it is so.
  virtual bool isSettled() = 0;
  virtual std::uint64_t commandsSent() const = 0;

protected:
  PlaceDriver() = default;
};

} // namespace lockhouse::test
