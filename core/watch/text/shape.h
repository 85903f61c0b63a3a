// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockhouse {

/// The set of bytes that pass a test.
class ByteSet {
public:
  constexpr ByteSet(bool (*isOne)(char)) {
    for (unsigned byte = 0; byte < m_has.size(); ++byte)
      m_isAll &= m_has[byte] = isOne(static_cast<char>(byte));
  }
  constexpr bool operator()(char byte) const { return m_has[static_cast<unsigned char>(byte)]; }
  constexpr bool isAll() const { return m_isAll; }

private:
  std::array<bool, 256> m_has{};
  bool m_isAll = true;
};

/// A kind of bytes that a piece of a Pattern may be.
struct Shape {
  std::string_view name;
  std::string_view words;                      ///< its description for users
  std::size_t least = 1;                       ///< bytes, unless the pattern gives a length
  std::size_t most = 0;                        ///< 0 = any number
  ByteSet allows;                              ///< of each byte
  bool (*accepts)(std::string_view) = nullptr; ///< the whole text, if the bytes alone do not decide
  /// If the captured text differs from the bytes: the conversion, and the reverse.
  std::optional<std::string_view> (*read)(std::string_view) = nullptr;
  std::string (*write)(std::string_view) = nullptr;
};

/// All shapes that a pattern may name.
std::span<const Shape> shapes();
const Shape *findShape(std::string_view name); ///< null: there is none of this name

} // namespace lockhouse
