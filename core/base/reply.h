// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockhouse {

/// One answer of a Redis server (RESP2). A value that owns its bytes; every byte in it came from outside.
class Reply {
public:
  struct Nil {
    bool operator==(const Nil &) const = default;
  };
  struct Status {
    std::string text;
    bool operator==(const Status &) const = default;
  };
  struct Failure {
    std::string text; ///< as the server sent it: "WRONGTYPE Operation against…"; untrusted
    bool operator==(const Failure &) const = default;
  };
  /// A bulk string that was longer than the reader keeps; only its length is known.
  struct Elided {
    std::uint64_t size = 0;
    bool operator==(const Elided &) const = default;
  };
  using Array = std::vector<Reply>;

  Reply() = default; // nil
  explicit Reply(std::int64_t number) : m_value(number) {}
  explicit Reply(std::string bulk) : m_value(std::move(bulk)) {}
  explicit Reply(Status status) : m_value(std::move(status)) {}
  explicit Reply(Failure failure) : m_value(std::move(failure)) {}
  explicit Reply(Elided elided) : m_value(elided) {}
  explicit Reply(Array array) : m_value(std::move(array)) {}

  bool isNil() const { return std::holds_alternative<Nil>(m_value); }
  bool isFailure() const { return std::holds_alternative<Failure>(m_value); }
  bool isElided() const { return std::holds_alternative<Elided>(m_value); }
  bool isArray() const { return std::holds_alternative<Array>(m_value); }
  /// True for the status reply OK.
  bool isOk() const;

  std::optional<std::int64_t> integer() const;  ///< of an integer reply; nothing otherwise
  const std::string *bulk() const;              ///< of a bulk string; null otherwise
  std::optional<std::string_view> text() const; ///< of a bulk string or status; nothing otherwise
  std::optional<std::uint64_t> elided() const;  ///< length of an elided bulk; nothing otherwise
  const Array &array() const;                   ///< of an array; an empty one otherwise
  Array &array();
  std::string_view failure() const; ///< the error text; empty otherwise
  /// First word of an error reply: "WRONGTYPE", "NOPERM", "NOSCRIPT"; empty otherwise. Match on this, not on the sentence.
  std::string_view failureWord() const;

  bool operator==(const Reply &) const = default;

private:
  std::variant<Nil, std::int64_t, std::string, Status, Failure, Elided, Array> m_value;
};

/// An error reply as an Error, its words made safe: NOPERM → NotPermitted, NOAUTH/WRONGPASS → AuthFailed, READONLY → ReadOnly,
/// any other → Server. `where` names the node.
Error errorOf(const Reply &failure, std::string_view where);
/// Whether that is MOVED: another master of the cluster has the key.
bool isMoved(const Error &error);

} // namespace lockhouse
