// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/lock/options/lock_mode.h"
#include "core/net/address/uri.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lockhouse::test {

/// A hold of one of our own locks; given back at its end.
class OwnHold {
public:
  virtual ~OwnHold() = default;
  virtual bool isHeld() const = 0;
  virtual std::string token() const = 0;
  virtual std::optional<Fence> fence() const = 0;
  virtual bool release() = 0; ///< false: it was somebody else's
};

/// A client of our own library.
class OwnClient {
public:
  explicit OwnClient(const Uri &uri);
  ~OwnClient();
  /// Blocks, at most 25 s; null: not acquired. Any thread.
  std::unique_ptr<OwnHold> acquire(std::string_view primitive, const std::string &name, LockMode mode = {}, bool renew = true) const;

private:
  struct Inside;
  std::unique_ptr<Inside> m_inside;
};

/// A Quorum of our own library, of one node.
class OwnQuorum {
public:
  explicit OwnQuorum(const Uri &uri);
  ~OwnQuorum();
  std::unique_ptr<OwnHold> acquire(std::string_view primitive, const std::string &name) const; ///< as OwnClient::acquire()
  std::uint64_t refusals(std::string_view primitive) const;                                    ///< of those that wait, so far

private:
  struct Inside;
  std::unique_ptr<Inside> m_inside;
};

} // namespace lockhouse::test
