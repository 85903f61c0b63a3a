// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockhouse::test {

/// A certificate authority in a temporary folder, made with the openssl command line, that signs what a test asks for.
class TestAuthority {
public:
  explicit TestAuthority(const std::string &name);
  ~TestAuthority();
  TestAuthority(const TestAuthority &) = delete;
  TestAuthority &operator=(const TestAuthority &) = delete;

  struct Pair {
    std::string cert, key; ///< PEM files
  };
  /// A certificate for these subjectAltName entries ("DNS:localhost,IP:127.0.0.1") that is valid from today for `days`; a negative
  /// number gives one that ended in 2020.
  Pair sign(const std::string &name, const std::string &alternatives, int days = 2) const;
  const std::string &cert() const { return m_own.cert; } ///< its own, self-signed
  const std::string &key() const { return m_own.key; }

private:
  std::filesystem::path m_folder;
  Pair m_own;

  Pair fileNames(const std::string &name) const;
  void signExpired(const std::string &request, const std::string &extensions, const std::string &cert) const;
};

} // namespace lockhouse::test
