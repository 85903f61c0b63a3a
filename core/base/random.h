// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/base/error.h"

#include <cstdint>
#include <span>

namespace lockhouse {

/// Fills `out` from the operating system's entropy (getrandom), through a small per-thread pool that is wiped as it is used
/// and never shared with a forked child. Error Internal if the system has no entropy: never a weaker source instead.
Result<void> randomBytes(std::span<char> out);

/// A fresh owner token: 128 random bits as 32 lower-case hex digits.
Result<LockToken> randomToken();

/// A fresh RFC 9562 version 4 UUID, lower case with dashes.
Result<std::string> randomUuid();

/// A seed for Jitter: of the operating system's entropy, or of the clock if it has none.
std::uint64_t randomSeed();

/// A small, fast generator for jitter. Not for tokens.
class Jitter {
public:
  explicit Jitter(std::uint64_t seed) : m_state(seed) {}
  std::uint64_t next(); ///< splitmix64 (Steele, Lea, Flood 2014)
  double unit();        ///< uniform in [0, 1)

private:
  std::uint64_t m_state;
};

} // namespace lockhouse
