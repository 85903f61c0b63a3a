// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <string>

namespace lockhouse {

/// A fresh temporary folder (0700) whose Unix socket's path fits its limit; removed with all that is in it in the destructor. Where a
/// process ends without one, the next folder that is made in the same place removes what it left: folders of this user whose owner has
/// let go of the lock on their file and on whose socket nobody listens.
class SandboxFolder {
public:
  /// Error Storage says which folder could not be made.
  static Result<SandboxFolder> make();
  ~SandboxFolder();
  SandboxFolder(SandboxFolder &&other) noexcept;
  SandboxFolder &operator=(SandboxFolder &&) = delete;

  const std::string &path() const { return m_path; }
  std::string socket() const;

private:
  SandboxFolder(std::string path, int owner) : m_path(std::move(path)), m_owner(owner) {}
  std::string m_path;
  int m_owner; // locked while we live; the kernel lets go of it when we end
};

} // namespace lockhouse
