// SPDX-License-Identifier: Apache-2.0
#include "tests/arch/documents.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

#include <sys/wait.h>

namespace lockhouse::arch {

const std::filesystem::path root = LOCKHOUSE_SOURCE_DIR;

std::string read(const std::filesystem::path &path) {
  std::ifstream in(root / path, std::ios::binary);
  EXPECT_TRUE(in.is_open()) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Ran run(const std::string &line) {
  Ran ran;
  FILE *pipe = popen(line.c_str(), "r");
  if (pipe == nullptr)
    return ran;
  std::array<char, 4096> part{};
  for (std::size_t got = 0; (got = fread(part.data(), 1, part.size(), pipe)) > 0;)
    ran.out.append(part.data(), got);
  const int status = pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

std::set<std::string> all(const std::string &text, const std::regex &pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.insert((*at)[1]);
  return found;
}

} // namespace lockhouse::arch
