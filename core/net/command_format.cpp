// SPDX-License-Identifier: Apache-2.0
#include "core/net/command_format.h"

#include <fmt/format.h>

namespace lockhouse {

void appendCommand(std::string &out, const Command &command) {
  const auto header = [&out](char kind, std::size_t size) {
    const fmt::format_int digits(size);
    (out += kind).append(digits.data(), digits.size()) += "\r\n";
  };
  header('*', command.size());
  for (std::size_t i = 0; i < command.size(); ++i) {
    header('$', command[i].size());
    out.append(command[i]) += "\r\n";
  }
}

Command evalOf(const Command &command) {
  Command eval{"EVAL", command.script()->body};
  for (std::size_t i = 2; i < command.size(); ++i)
    eval.arg(command[i]);
  return eval;
}

} // namespace lockhouse
