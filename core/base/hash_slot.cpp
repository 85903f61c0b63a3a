// SPDX-License-Identifier: Apache-2.0
#include "core/base/hash_slot.h"

#include <cstdint>

namespace lockhouse {
namespace {

// CRC-16/XMODEM, as the cluster specification has it.
std::uint16_t crc16(std::string_view bytes) {
  unsigned crc = 0;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(byte)) << 8U;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ 0x1021U : crc << 1U;
    crc &= 0xffffU;
  }
  return static_cast<std::uint16_t>(crc);
}

} // namespace

std::string_view hashTag(std::string_view key) {
  const auto open = key.find('{');
  const auto close = open == key.npos ? key.npos : key.find('}', open);
  return close == key.npos || close == open + 1 ? key : key.substr(open + 1, close - open - 1);
}

unsigned hashSlot(std::string_view key) { return crc16(hashTag(key)) % 16384U; }

} // namespace lockhouse
