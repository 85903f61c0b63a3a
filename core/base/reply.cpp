// SPDX-License-Identifier: Apache-2.0
#include "core/base/reply.h"

#include "core/base/safe_text.h"

namespace lockhouse {

bool Reply::isOk() const {
  const auto *status = std::get_if<Status>(&m_value);
  return status != nullptr && status->text == "OK";
}

std::optional<std::int64_t> Reply::integer() const {
  const auto *number = std::get_if<std::int64_t>(&m_value);
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

const std::string *Reply::bulk() const { return std::get_if<std::string>(&m_value); }

std::optional<std::string_view> Reply::text() const {
  if (const auto *bytes = bulk())
    return *bytes;
  if (const auto *status = std::get_if<Status>(&m_value))
    return status->text;
  return std::nullopt;
}

std::optional<std::uint64_t> Reply::elided() const {
  const auto *elided = std::get_if<Elided>(&m_value);
  return elided != nullptr ? std::optional(elided->size) : std::nullopt;
}

const Reply::Array &Reply::array() const {
  static const Array none;
  const auto *array = std::get_if<Array>(&m_value);
  return array != nullptr ? *array : none;
}

Reply::Array &Reply::array() {
  if (!isArray())
    m_value = Array{};
  return std::get<Array>(m_value);
}

std::string_view Reply::failure() const {
  const auto *failure = std::get_if<Failure>(&m_value);
  return failure != nullptr ? std::string_view(failure->text) : std::string_view{};
}

std::string_view Reply::failureWord() const {
  const auto text = failure();
  return text.substr(0, text.find(' '));
}

Error errorOf(const Reply &failure, std::string_view where) {
  const auto word = failure.failureWord();
  Error error{ErrorCode::Server, safeText(failure.failure(), 200), std::string(where), {}};
  if (word == "NOPERM") {
    error.code = ErrorCode::NotPermitted;
    error.next = "ask for an ACL rule that allows it";
  } else if (word == "NOAUTH" || word == "WRONGPASS") {
    error.code = ErrorCode::AuthFailed;
    error.next = "check the user and the password in the URL";
  } else if (word == "READONLY") {
    error.code = ErrorCode::ReadOnly;
    error.next = "use the master of this replica";
  }
  return error;
}

} // namespace lockhouse
