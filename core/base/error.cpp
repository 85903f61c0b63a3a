// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"

#include <algorithm>
#include <array>

namespace lockhouse {
namespace {

// What systems say most often.
constexpr std::array systemWords{
    LH_MESSAGE("ErrorWords", "Connection refused"),
    LH_MESSAGE("ErrorWords", "Connection reset by peer"),
    LH_MESSAGE("ErrorWords", "Connection timed out"),
    LH_MESSAGE("ErrorWords", "No route to host"),
    LH_MESSAGE("ErrorWords", "Network is unreachable"),
    LH_MESSAGE("ErrorWords", "No such file or directory"),
    LH_MESSAGE("ErrorWords", "Permission denied"),
    LH_MESSAGE("ErrorWords", "Is a directory"),
    LH_MESSAGE("ErrorWords", "Not a directory"),
    LH_MESSAGE("ErrorWords", "No space left on device"),
    LH_MESSAGE("ErrorWords", "Read-only file system"),
    LH_MESSAGE("ErrorWords", "Broken pipe"),
    LH_MESSAGE("ErrorWords", "Name or service not known"),
    LH_MESSAGE("ErrorWords", "Temporary failure in name resolution"),
    LH_MESSAGE("ErrorWords", "No address associated with hostname"),
    LH_MESSAGE("ErrorWords", "self-signed certificate"),
    LH_MESSAGE("ErrorWords", "self-signed certificate in certificate chain"),
    LH_MESSAGE("ErrorWords", "unable to get local issuer certificate"),
    LH_MESSAGE("ErrorWords", "unable to verify the first certificate"),
    LH_MESSAGE("ErrorWords", "certificate has expired"),
    LH_MESSAGE("ErrorWords", "certificate is not yet valid"),
    LH_MESSAGE("ErrorWords", "hostname mismatch"),
    LH_MESSAGE("ErrorWords", "IP address mismatch"),
};

} // namespace

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

Message Error::message() const {
  std::vector<Message> parts(what.parts().begin(), what.parts().end());
  if (!where.empty())
    parts.front() = LH_MESSAGE("ErrorWords", "%1: %2")(where, std::move(parts.front()));
  parts.push_back(next);
  return Message::joined(std::move(parts));
}

Message systemMessage(std::string_view words) {
  const auto *known = std::ranges::find(systemWords, words, [](const MessageText &text) { return std::string_view(text.words); });
  return known == systemWords.end() ? Message::verbatim(std::string(words)) : Message(*known);
}

} // namespace lockhouse
