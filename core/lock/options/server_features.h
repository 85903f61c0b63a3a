// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/reply.h"

#include <cstdint>
#include <string_view>

namespace lockhouse {

/// What a server has beyond Redis 6 that locks make use of. Nothing of it until the server has said so.
struct ServerFeatures {
  /// How a key is deleted if it holds a value.
  enum class CompareAndDelete : std::uint8_t {
    Script,
    Delex,   ///< DELEX key IFEQ value; Redis 8.4
    Delifeq, ///< DELIFEQ key value; Valkey 9
  };
  CompareAndDelete compareAndDelete = CompareAndDelete::Script;
  bool shardedChannels = false; ///< SPUBLISH and SSUBSCRIBE; Redis 7
  bool cluster = false;         ///< a node of a cluster

  bool operator==(const ServerFeatures &) const = default;

  /// Asks for the commands above; the answer goes to readServerFeatures().
  static constexpr std::string_view asked[] = {"DELEX", "DELIFEQ", "SPUBLISH"};
};

/// Of the answers to INFO server and to COMMAND INFO of ServerFeatures::asked. Total: an error or anything unknown is no feature.
ServerFeatures readServerFeatures(std::string_view info, const Reply &commands);

} // namespace lockhouse
