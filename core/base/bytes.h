// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ascii.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lockhouse {

/// Bytes with a meaning: two kinds of it never convert into each other, so that a token cannot be passed where a lock's
/// name is wanted. They are bytes, not text: any value, any length, NUL and invalid UTF-8 included. Show them with safeText().
template <class Tag> class StrongBytes {
public:
  StrongBytes() = default;
  explicit StrongBytes(std::string bytes) : m_bytes(std::move(bytes)) {}
  explicit StrongBytes(std::string_view bytes) : m_bytes(bytes) {}
  explicit StrongBytes(const char *text) : m_bytes(text) {}

  const std::string &bytes() const & { return m_bytes; }
  std::string bytes() && { return std::move(m_bytes); }
  bool empty() const { return m_bytes.empty(); }

  auto operator<=>(const StrongBytes &) const = default;
  bool operator==(const StrongBytes &) const = default;

private:
  std::string m_bytes;
};

using LockName = StrongBytes<struct LockNameTag>;   ///< a lock's raw key, as SCAN returns it
using LockToken = StrongBytes<struct LockTokenTag>; ///< what an owner writes into Redis to prove that a lock is its own
using Channel = StrongBytes<struct ChannelTag>;     ///< a pub/sub channel
using NodeId = StrongBytes<struct NodeIdTag>;       ///< a node as the user named it: "host:port" or a socket path

/// A fencing token: greater for every later grant of the same lock.
struct Fence {
  std::uint64_t value = 0;
  auto operator<=>(const Fence &) const = default;
};

/// The fencing token that these decimal digits are; nothing for anything else.
inline std::optional<Fence> parseFence(std::string_view digits) {
  const auto number = parseNumber(digits);
  return number ? std::optional(Fence{*number}) : std::nullopt;
}

} // namespace lockhouse

template <class Tag> struct std::hash<lockhouse::StrongBytes<Tag>> {
  std::size_t operator()(const lockhouse::StrongBytes<Tag> &value) const noexcept { return std::hash<std::string>{}(value.bytes()); }
};
