// SPDX-License-Identifier: Apache-2.0
#include "core/lock/options/replica_ack.h"

#include <charconv>

namespace lockhouse {

std::optional<ReplicaAck> ReplicaAck::named(std::string_view word) {
  if (word == "majority")
    return majority();
  if (word == "all")
    return all();
  std::uint32_t number = 0;
  const auto *end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  return error == std::errc{} && stop == end && number > 0 ? std::optional(by(number)) : std::nullopt;
}

std::string ReplicaAck::name() const {
  switch (kind) {
  case Kind::Count: return std::to_string(replicas);
  case Kind::Majority: return "majority";
  case Kind::All: return "all";
  case Kind::None: break;
  }
  return "none";
}

std::uint32_t ReplicaAck::wanted(std::uint32_t connected) const {
  switch (kind) {
  case Kind::Count: return replicas;
  case Kind::Majority: return (connected + 1) / 2; // the node has it already
  case Kind::All: return connected;
  case Kind::None: break;
  }
  return 0;
}

} // namespace lockhouse
