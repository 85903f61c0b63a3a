// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <regex>
#include <set>
#include <string>

namespace lockhouse::arch {

extern const std::filesystem::path root; ///< of the source tree

/// A file of the tree; a test fails if it is not there.
std::string read(const std::filesystem::path &path);

struct Ran {
  int code = -1;
  std::string out;
};

/// A line for the shell, to its end.
Ran run(const std::string &line);

/// The first group of every match.
std::set<std::string> all(const std::string &text, const std::regex &pattern);

} // namespace lockhouse::arch
