// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/base/error.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockhouse {

/// Where a Redis node is and how to log in, parsed from
///   redis://[user[:password]@]host[:port][/db]
///   rediss://…  the same over TLS, with ?cacert=FILE&cert=FILE&key=FILE
///   unix:///path/to/socket[?db=N], with [user[:password]@] before the path
/// Percent-escapes are decoded in user, password, path and query values. Default port 6379, default db 0; IPv6 hosts in brackets.
/// A lone `:password@` means the default user.
struct Uri {
  enum class Kind { Tcp, Tls, Unix };
  Kind kind = Kind::Tcp;
  std::string host{};
  std::uint16_t port = 6379;
  std::string path{}; ///< of the Unix socket
  int db = 0;
  std::string user{};
  std::string password{};
  std::string caCert{}, cert{}, key{}; ///< PEM files; caCert empty = the system's trust store

  /// "host:port", "[v6]:port" or the socket's path: what the node is called. Never holds a secret.
  std::string address() const;
  /// The URI with the password replaced by ***, for people.
  std::string shown() const;
  bool operator==(const Uri &) const = default;
};

/// Error Usage says which part is wrong, without repeating a password.
Result<Uri> parseUri(std::string_view text);

/// Several nodes. Error Usage also where two of them name one database of one address.
Result<std::vector<Uri>> parseUris(std::span<const std::string> texts);

} // namespace lockhouse
