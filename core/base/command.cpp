// SPDX-License-Identifier: Apache-2.0
#include "core/base/command.h"

#include <charconv>

namespace lockhouse {

Command::Command(std::initializer_list<std::string_view> words) {
  std::size_t total = 0;
  for (auto word : words)
    total += word.size();
  m_data.reserve(total);
  for (auto word : words)
    arg(word);
}

Command &Command::arg(std::string_view word) {
  m_data.append(word);
  const auto end = static_cast<std::uint32_t>(m_data.size());
  if (m_count < inlineWords)
    m_ends[m_count] = end;
  else
    m_moreEnds.push_back(end);
  ++m_count;
  return *this;
}

Command &Command::arg(std::int64_t number) {
  std::array<char, 24> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return arg(std::string_view(text.data(), end));
}

Command Command::evalsha(const Script &script, std::span<const std::string_view> keys, std::span<const std::string_view> args) {
  std::size_t total = 7 + script.sha1.size() + 4;
  for (auto word : keys)
    total += word.size();
  for (auto word : args)
    total += word.size();
  Command command;
  command.m_data.reserve(total);
  command.arg("EVALSHA").arg(script.sha1).arg(static_cast<std::int64_t>(keys.size()));
  for (auto key : keys)
    command.arg(key);
  for (auto word : args)
    command.arg(word);
  command.m_script = &script;
  return command;
}

Command Command::evalsha(const Script &script, std::initializer_list<std::string_view> keys, std::initializer_list<std::string_view> args) {
  return evalsha(script, std::span(keys.begin(), keys.size()), std::span(args.begin(), args.size()));
}

std::string_view Command::operator[](std::size_t i) const {
  const std::size_t begin = i == 0 ? 0 : end(i - 1);
  return std::string_view(m_data).substr(begin, end(i) - begin);
}

} // namespace lockhouse
