// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <sys/stat.h>

namespace lockhouse {

/// Which file a path leads to, whatever it is called by then, and how long it is; number 0: to none.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;
  off_t size = 0;

  static FileIdentity of(const std::string &path) {
    struct stat found{};
    return stat(path.c_str(), &found) == 0 ? FileIdentity{found.st_dev, found.st_ino, found.st_size} : FileIdentity{};
  }
  bool isSameAs(const FileIdentity &other) const { return device == other.device && number == other.number; }
};

} // namespace lockhouse
