// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"

#include <cstdint>

namespace lockhouse {

/// A number for any bytes, the same on every machine, build and language that follows these three steps (all unsigned, modulo 2^64):
///
///   h = 0xcbf29ce484222325; for each byte b: h = (h xor b) * 0x100000001b3           FNV-1a, 64 bit
///   h ^= h >> 33; h *= 0xff51afd7ed558ccd; h ^= h >> 33; h *= 0xc4ceb9fe1a85ec53; h ^= h >> 33
///
/// It will not change: processes of different versions must meet at the same stripe. "" → efd01f60ba992926, "a" → 82a2a958a9bece5b,
/// "foobar" → 2c22194922d1672b, the three bytes 00 ff 00 → 3b170ca7c3697056.
/// Not promised: anything against somebody who chooses keys so that they meet.
/// Source: FNV-1a (Fowler, Noll, Vo), then the last mixing of MurmurHash3 (A. Appleby, public domain), without which the low bits
/// of short keys are uneven.
std::uint64_t stripeHash(std::string_view key);

/// stripeHash(key) modulo `stripes`, which must not be zero.
std::uint64_t stripeOf(std::string_view key, std::uint64_t stripes);

/// `<base>:stripe:<number>`, the number in decimal from 0. Nothing is put in braces: on a cluster the stripes of "orders" spread over
/// its slots, and with them the work; who wants all of them in one slot says so in the base, "{orders}".
LockName stripeName(const LockName &base, std::uint64_t stripe);

} // namespace lockhouse
