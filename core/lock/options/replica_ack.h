// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockhouse {

/// How many replicas of the node must have a hold before its owner is told of it. Made by the functions; nothing by default.
struct ReplicaAck {
  enum class Kind : std::uint8_t {
    None,
    Count,    ///< as many as `replicas`
    Majority, ///< so many that most copies have it, the node's own included: of two or three replicas, one or two
    All,
  };
  Kind kind = Kind::None;
  std::uint32_t replicas = 0; ///< of Count
  milliseconds limit{1000};   ///< of the wait for them; less where the wait limit or the lease ends before

  /// At least one: less is refused with Usage.
  static constexpr ReplicaAck by(std::uint32_t replicas, milliseconds limit = milliseconds(1000)) { return {Kind::Count, replicas, limit}; }
  /// Most and all are counted by the replicas that the node lists at that moment; one that is gone is not counted. Who must not depend
  /// on that says the number. A node without any: refused.
  static constexpr ReplicaAck majority(milliseconds limit = milliseconds(1000)) { return {Kind::Majority, 0, limit}; }
  static constexpr ReplicaAck all(milliseconds limit = milliseconds(1000)) { return {Kind::All, 0, limit}; }

  /// "majority", "all" or a number from 1; nothing for anything else.
  static std::optional<ReplicaAck> named(std::string_view word);
  /// The same back; "none" if none is wanted.
  std::string name() const;
  bool isWanted() const { return kind != Kind::None; }
  /// Of a node with `connected` replicas; 0 = it has none.
  std::uint32_t wanted(std::uint32_t connected) const;
  bool operator==(const ReplicaAck &) const = default;
};

/// How many replicas had a hold when its owner was told.
struct Acknowledged {
  std::uint32_t replicas = 0; ///< at least
  std::uint32_t wanted = 0;
  bool operator==(const Acknowledged &) const = default;
};

} // namespace lockhouse
