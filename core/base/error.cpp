// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"

namespace lockhouse {

std::string_view name(ErrorCode code) {
  switch (code) {
  case ErrorCode::Usage: return "usage";
  case ErrorCode::Unreachable: return "unreachable";
  case ErrorCode::TlsRejected: return "tls-rejected";
  case ErrorCode::AuthFailed: return "auth-failed";
  case ErrorCode::NotPermitted: return "not-permitted";
  case ErrorCode::Timeout: return "timeout";
  case ErrorCode::InDoubt: return "in-doubt";
  case ErrorCode::Protocol: return "protocol";
  case ErrorCode::Server: return "server";
  case ErrorCode::ReadOnly: return "read-only";
  case ErrorCode::Cancelled: return "cancelled";
  case ErrorCode::TooFewCopies: return "too-few-copies";
  case ErrorCode::Deadlock: return "deadlock";
  case ErrorCode::TooLong: return "too-long";
  case ErrorCode::Storage: return "storage";
  case ErrorCode::Internal: return "internal";
  }
  return "internal";
}

std::string Error::sentence() const {
  std::string text;
  if (!where.empty())
    text = where + ": ";
  text += what;
  if (!next.empty())
    text += "; " + next;
  return text;
}

} // namespace lockhouse
