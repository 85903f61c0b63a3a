// SPDX-License-Identifier: Apache-2.0
#include "core/net/command_format.h"

#include <hiredis/hiredis.h>

#include <memory>
#include <new>
#include <vector>

namespace lockhouse {

void appendCommand(std::string &out, const Command &command) {
  constexpr std::size_t usual = 16;
  std::array<const char *, usual> fewWords{};
  std::array<std::size_t, usual> fewSizes{};
  std::vector<const char *> manyWords(command.size() > usual ? command.size() : 0);
  std::vector<std::size_t> manySizes(manyWords.size());
  const char **words = manyWords.empty() ? fewWords.data() : manyWords.data();
  std::size_t *sizes = manySizes.empty() ? fewSizes.data() : manySizes.data();
  for (std::size_t i = 0; i < command.size(); ++i) {
    words[i] = command[i].data();
    sizes[i] = command[i].size();
  }
  char *formatted = nullptr;
  const auto size = redisFormatSdsCommandArgv(&formatted, static_cast<int>(command.size()), words, sizes);
  if (size < 0)
    throw std::bad_alloc(); // the only way it fails
  const std::unique_ptr<char, decltype(&redisFreeSdsCommand)> owned(formatted, redisFreeSdsCommand);
  out.append(formatted, static_cast<std::size_t>(size));
}

Command evalOf(const Command &command) {
  Command eval{"EVAL", command.script()->body};
  for (std::size_t i = 2; i < command.size(); ++i)
    eval.arg(command[i]);
  return eval;
}

} // namespace lockhouse
