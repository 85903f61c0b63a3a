// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/script.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockhouse {

/// One Redis command: its words, binary safe. A value; one allocation for the usual command of up to eight words.
class Command {
public:
  Command() = default;
  Command(std::initializer_list<std::string_view> words);

  Command &arg(std::string_view word);
  Command &arg(std::int64_t number);
  /// EVALSHA of `script` with these keys and arguments. The connection answers NOSCRIPT by sending EVAL once.
  static Command evalsha(const Script &script, std::span<const std::string_view> keys, std::span<const std::string_view> args);
  static Command evalsha(const Script &script, std::initializer_list<std::string_view> keys, std::initializer_list<std::string_view> args);

  std::size_t size() const { return m_count; }
  std::string_view operator[](std::size_t i) const;
  /// The command's name as written: "SET"; empty for an empty command.
  std::string_view name() const { return m_count == 0 ? std::string_view{} : (*this)[0]; }
  /// The script that an EVALSHA runs, for the fallback to EVAL; null for any other command.
  const Script *script() const { return m_script; }
  std::size_t bytes() const { return m_data.size(); }

private:
  static constexpr std::size_t inlineWords = 8;
  std::string m_data;                              // all words, one behind the other
  std::array<std::uint32_t, inlineWords> m_ends{}; // where each of the first words ends in m_data
  std::vector<std::uint32_t> m_moreEnds;           // the same for the ninth word on
  std::size_t m_count = 0;
  const Script *m_script = nullptr;

  std::size_t end(std::size_t i) const { return i < inlineWords ? m_ends[i] : m_moreEnds[i - inlineWords]; }
};

} // namespace lockhouse
