// SPDX-License-Identifier: Apache-2.0
#include "core/lock/formats/stripe.h"

namespace lockhouse {

std::uint64_t stripeHash(std::string_view key) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : key)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

std::uint64_t stripeOf(std::string_view key, std::uint64_t stripes) { return stripeHash(key) % stripes; }

LockName stripeName(const LockName &base, std::uint64_t stripe) { return LockName(base.bytes() + ":stripe:" + std::to_string(stripe)); }

} // namespace lockhouse
