// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/text/shape.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockhouse {

/// Which bytes a text contains: each ASCII byte by itself, all others as one.
class BytesIn {
public:
  constexpr BytesIn() = default;
  constexpr explicit BytesIn(std::string_view text) {
    for (const char byte : text)
      add(byte);
  }
  constexpr void add(char byte) {
    const auto at = static_cast<unsigned char>(byte) < 0x80 ? static_cast<unsigned char>(byte) : 0U;
    (at < 64 ? m_low : m_high) |= std::uint64_t{1} << at % 64;
  }
  constexpr bool areIn(const BytesIn &others) const { return (m_low & ~others.m_low) == 0 && (m_high & ~others.m_high) == 0; }
  constexpr bool operator==(const BytesIn &) const = default;
  static constexpr BytesIn all() {
    BytesIn every;
    every.m_low = every.m_high = ~std::uint64_t{0};
    return every;
  }

private:
  std::uint64_t m_low = 0, m_high = 0; // NUL stands for all that are not ASCII
};

/// The size and the set of some bytes, computed once before patterns are tried on them.
struct Sight {
  std::size_t size = 0;
  BytesIn bytes;
  explicit Sight(std::string_view text) : size(text.size()), bytes(text) {}
};

/// What all texts that a pattern matches have in common. By default anything fits.
struct Outline {
  std::size_t least = 0, most = std::string_view::npos; ///< bytes
  BytesIn wanted, allowed = BytesIn::all();
  bool operator==(const Outline &) const = default;
  bool fits(const Sight &sight) const { return sight.size >= least && sight.size <= most && wanted.areIn(sight.bytes) && sight.bytes.areIn(allowed); }
};

/// The values of a pattern's names in the bytes that it matched. Views into these bytes and into the pattern, which live longer.
class Captures {
public:
  using Capture = std::pair<std::string_view, std::string_view>;
  std::optional<std::string_view> find(std::string_view name) const;
  void set(std::string_view name, std::string_view bytes) { m_all.emplace_back(name, bytes); }
  void shrink(std::size_t size) { m_all.erase(m_all.begin() + static_cast<std::ptrdiff_t>(size), m_all.end()); }
  std::size_t size() const { return m_all.size(); }
  auto begin() const { return m_all.begin(); }
  auto end() const { return m_all.end(); }

private:
  std::vector<Capture> m_all;
};

/// The form of a key's name or of a value: text as it is, and in braces what varies, as `{name:shape}`, `{name:shape*24}` for that
/// many bytes, `{name:shape*1..8}` for a range, or `{name}` for any bytes but none. `{{` and `}}` are a brace. Names need not differ,
/// but what they stood for must then be equal. The whole of the bytes must match; shapes take as many as they can. Unless a name repeats, that
/// takes no more steps than the square of the bytes' length, times that of its texts.
/// A value: cheap to copy, any thread.
class Pattern {
public:
  /// Error: why the text is no pattern, with the position.
  static std::expected<Pattern, std::string> parse(std::string_view text);

  bool matches(std::string_view bytes, Captures *captures = nullptr) const;
  /// Every way in which they match, up to `most`; first those in which the earlier shapes take more bytes.
  std::vector<Captures> everyMatch(std::string_view bytes, std::size_t most) const;
  /// The text that it matches with these captures; nothing if one is missing.
  std::optional<std::string> filled(const Captures &captures) const;

  /// A glob of Redis that fits all that it matches, and possibly more.
  std::string glob() const;
  /// The longest literal: all that it matches contains it.
  std::string_view longest() const { return m_parts->longest; }

  bool captures(std::string_view name) const;
  std::vector<std::string_view> names() const;                         ///< of its captures
  std::vector<std::string_view> shapesOf(std::string_view name) const; ///< of its captures of this name
  const std::string &text() const { return m_parts->text; }
  std::string_view prefix() const { return m_parts->prefix; } ///< the text that all it matches opens with
  std::string_view suffix() const { return m_parts->suffix; } ///< … and ends with
  std::size_t least() const { return m_parts->least; }        ///< bytes: what is shorter it does not match
  std::size_t most() const { return m_parts->most; }          ///< … and what is longer
  Outline outline() const;
  /// The length of the longest literal.
  std::size_t longestLiteral() const { return m_parts->longest.size(); }

private:
  struct Piece {
    std::string literal; // or, where empty, what varies:
    std::string name;
    const Shape *shape = nullptr;
    std::size_t least = 1, most = 0;
  };
  struct Parts {
    std::size_t least = 0, most = 0; ///< bytes of all that it matches; first, with the ends, because they exclude nearly all texts
    std::string_view prefix, suffix; ///< the first and the last piece, if they are literals
    std::string longest;             ///< of the literals
    bool isRepeating = false;        ///< a name stands for two pieces
    std::vector<Piece> pieces;
    std::string text;
    void measure();
  };
  std::shared_ptr<const Parts> m_parts;

  explicit Pattern(std::shared_ptr<const Parts> parts) : m_parts(std::move(parts)) {}
  struct Ways {
    std::vector<Captures> found;
    std::size_t most;
  };
  bool mayMatch(std::string_view bytes) const;
  struct Walk;
  static std::expected<Piece, std::string> parseCapture(std::string_view inside);
};

} // namespace lockhouse
