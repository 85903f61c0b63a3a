// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"

#include <cstdint>
#include <vector>

namespace lockhouse {

/// A command that a machine wants sent; its answer comes back with the same tag. The top byte of a tag says whose it is.
struct TaggedCommand {
  std::uint64_t tag = 0;
  Command command;
};
using Asks = std::vector<TaggedCommand>;

enum class AskedBy : std::uint8_t { KeyspaceScan = 1, Reads, Server, Waiters, Cluster, Feed, RemoteWatcher };

constexpr std::uint64_t tagOf(AskedBy asker, std::uint64_t rest) { return static_cast<std::uint64_t>(asker) << 56 | rest; }
constexpr AskedBy askerOf(std::uint64_t tag) { return static_cast<AskedBy>(tag >> 56); }
constexpr std::uint64_t restOf(std::uint64_t tag) { return tag & 0x00ff'ffff'ffff'ffffU; }

} // namespace lockhouse
