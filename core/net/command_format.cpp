// SPDX-License-Identifier: Apache-2.0
#include "core/net/command_format.h"

#include <charconv>
#include <cstring>

namespace lockhouse {
namespace {

constexpr std::size_t longestHead = 24; // a type, 20 digits, CRLF

char *writeHead(char *to, char type, std::size_t number) {
  *to++ = type;
  to = std::to_chars(to, to + longestHead - 3, number).ptr;
  *to++ = '\r';
  *to++ = '\n';
  return to;
}

} // namespace

void appendCommand(std::string &out, const Command &command) {
  const std::size_t before = out.size();
  const std::size_t most = before + (command.size() + 1) * (longestHead + 2) + command.bytes();
  if (out.capacity() < most)
    out.reserve(std::max(most, out.capacity() * 2));
  out.resize(most);
  char *to = writeHead(out.data() + before, '*', command.size());
  for (std::size_t i = 0; i < command.size(); ++i) {
    const auto word = command[i];
    to = writeHead(to, '$', word.size());
    std::memcpy(to, word.data(), word.size());
    to += word.size();
    *to++ = '\r';
    *to++ = '\n';
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
}

Command evalOf(const Command &command) {
  Command eval{"EVAL", command.script()->body};
  for (std::size_t i = 2; i < command.size(); ++i)
    eval.arg(command[i]);
  return eval;
}

} // namespace lockhouse
