// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace lockhouse {

/// What one reply may cost. Beyond a limit the connection is closed with a Protocol error, but a bulk string longer than
/// `bulk` (up to the 512 MB that Redis allows) is read past and handed on as Reply::Elided, so that one huge key name of a
/// stranger cannot blind a watcher. Source: Redis' own
/// proto-max-bulk-len.
struct ReplyLimits {
  static constexpr std::size_t deepest = 7; ///< what the parser of hiredis 0.14 takes

  std::size_t line = 64 * 1024;         ///< bytes of a status or error line; a number's may have 24
  std::size_t bulk = 1024 * 1024;       ///< bytes kept of one bulk string
  std::size_t elements = 1024 * 1024;   ///< elements of one array
  std::size_t depth = deepest;          ///< nested arrays; more than `deepest` is taken as that
  std::size_t total = 64 * 1024 * 1024; ///< bytes kept of one whole reply
};

} // namespace lockhouse
