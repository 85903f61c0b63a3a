// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/message.h"

#include <expected>
#include <string>
#include <string_view>
#include <system_error>

namespace lockhouse {

/// Which case of failure an Error is; callers branch on this, never on words.
enum class ErrorCode {
  Usage,        ///< the caller's input is wrong; nothing was sent
  Unreachable,  ///< no connection: refused, timed out, host unknown, connection lost before the command was sent
  TlsRejected,  ///< the TLS handshake or the peer's identity was refused
  AuthFailed,   ///< AUTH or HELLO was refused; the connection is closed
  NotPermitted, ///< NOPERM: the user's ACL forbids this command, key or channel
  Timeout,      ///< no answer within the deadline; the command may have run
  InDoubt,      ///< sent, then the connection was lost before the answer; the command may have run
  Protocol,     ///< the peer broke the protocol or a reader limit; the connection is closed
  Server,       ///< the server answered with an error reply (in `what`)
  ReadOnly,     ///< a write was refused: the connection is locked to reading, or the node is a replica
  Cancelled,    ///< the caller cancelled
  TooFewCopies, ///< fewer replicas than wanted had the write in time; it was undone
  Deadlock,     ///< two would wait for each other for ever; this one was refused, the other waits on
  TooLong,      ///< what lies there is too long to be read, so that it is not known what it is
  Storage,      ///< a file or database on this machine failed
  Internal,     ///< a broken invariant of Lockhouse itself
};

std::string_view name(ErrorCode code);

/// One failure in words a person can act on: what happened, where, what to do next.
/// Bytes that came from outside are already made safe (see safeText).
struct Error {
  ErrorCode code = ErrorCode::Internal;
  Message what;      ///< "connection refused"
  std::string where; ///< node address, key, file: "127.0.0.1:6379"; may be empty
  Message next;      ///< "start the server or check --url"; may be empty

  /// "where: what; next", without the parts that are empty.
  Message message() const;
  /// The same in English.
  std::string sentence() const { return message().english(); }
  bool operator==(const Error &) const = default;
};

/// A value or the Error that took its place. No exception crosses a room's door.
template <class T> using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, Message what, std::string where = {}, Message next = {}) {
  return std::unexpected(Error{code, std::move(what), std::move(where), std::move(next)});
}

/// What the operating system, OpenSSL or the resolver says of a failure; the commonest have translations.
Message systemMessage(std::string_view words);
inline Message systemMessage(const std::error_code &error) { return systemMessage(error.message()); }

} // namespace lockhouse
