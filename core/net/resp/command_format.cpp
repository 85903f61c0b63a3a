// SPDX-License-Identifier: Apache-2.0
#include "core/net/resp/command_format.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {

void appendCommand(std::string &out, const Command &command) {
  constexpr std::size_t mostAround = 1 + 20 + 2 + 2; // a word's kind, its length in digits, and two line ends
  auto most = out.size() + mostAround;
  for (std::size_t i = 0; i < command.size(); ++i)
    most += mostAround + command[i].size();
  const auto before = out.size();
  out.resize_and_overwrite(most, [&command, before](char *begin, std::size_t) {
    auto *end = begin + before;
    const auto put = [&end](std::string_view text) { end = std::ranges::copy(text, end).out; };
    const auto header = [&](char kind, std::size_t size) {
      const fmt::format_int digits(size);
      *end++ = kind;
      put({digits.data(), digits.size()});
      put("\r\n");
    };
    header('*', command.size());
    for (std::size_t i = 0; i < command.size(); ++i) {
      header('$', command[i].size());
      put(command[i]);
      put("\r\n");
    }
    return static_cast<std::size_t>(end - begin);
  });
}

Command evalOf(const Command &command) {
  Command eval{"EVAL", command.script()->body};
  for (std::size_t i = 2; i < command.size(); ++i)
    eval.arg(command[i]);
  return eval;
}

} // namespace lockhouse
