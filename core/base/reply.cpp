// SPDX-License-Identifier: Apache-2.0
#include "core/base/reply.h"

#include "core/base/safe_text.h"

#include <algorithm>
#include <array>

namespace lockhouse {
namespace {

// What an error reply that starts with these words means, and what helps.
struct Refusal {
  std::string_view start;
  ErrorCode code = ErrorCode::Server;
  MessageFormat<0> next;
};
constexpr auto askForRule = LH_MESSAGE("ErrorWords", "ask for an ACL rule that allows it");
constexpr std::array refusals{
    Refusal{"NOPERM", ErrorCode::NotPermitted, askForRule},
    Refusal{"ERR The user executing the script", ErrorCode::NotPermitted, askForRule}, // before Redis 7.2, of a command inside a script
    Refusal{"ERR ACL failure in", ErrorCode::NotPermitted, askForRule},                // since, of the same: "script: User …"
    Refusal{"NOAUTH", ErrorCode::AuthFailed, LH_MESSAGE("ErrorWords", "check the user and the password in the URL")},
    Refusal{"WRONGPASS", ErrorCode::AuthFailed, LH_MESSAGE("ErrorWords", "check the user and the password in the URL")},
    Refusal{"READONLY", ErrorCode::ReadOnly, LH_MESSAGE("ErrorWords", "use the master of this replica")},
    Refusal{"BUSY", ErrorCode::Server, LH_MESSAGE("ErrorWords", "wait until the script that runs there has ended, or end it with SCRIPT KILL")},
    Refusal{"LOADING", ErrorCode::Server, LH_MESSAGE("ErrorWords", "wait until the server has read its data")},
    Refusal{"OOM", ErrorCode::Server, LH_MESSAGE("ErrorWords", "free memory on the server, or raise its maxmemory")},
    Refusal{"MISCONF", ErrorCode::Server, LH_MESSAGE("ErrorWords", "free space on the server's disk: it cannot save what it is given")},
    Refusal{"NOREPLICAS", ErrorCode::Server, LH_MESSAGE("ErrorWords", "bring the server's replicas back, or lower its min-replicas-to-write")},
    Refusal{"MASTERDOWN", ErrorCode::Server, LH_MESSAGE("ErrorWords", "use the master, or wait until this replica reaches it")},
    Refusal{"CLUSTERDOWN", ErrorCode::Server, LH_MESSAGE("ErrorWords", "wait until the cluster serves all of its slots")},
    Refusal{"TRYAGAIN", ErrorCode::Server, LH_MESSAGE("ErrorWords", "wait until the cluster has moved the slot")},
    Refusal{"CROSSSLOT", ErrorCode::Server, LH_MESSAGE("ErrorWords", "give the keys names that share a part in braces, such as {order:7}")},
    Refusal{"MOVED", ErrorCode::Server, LH_MESSAGE("ErrorWords", "give a URL of the cluster's node that the answer names")},
    Refusal{"ASK", ErrorCode::Server, LH_MESSAGE("ErrorWords", "wait until the cluster has moved the slot")},
    Refusal{"WRONGTYPE", ErrorCode::Server, LH_MESSAGE("ErrorWords", "choose another key: this one holds something else")},
    Refusal{"ERR DB index is out of range", ErrorCode::Usage, LH_MESSAGE("ErrorWords", "choose another database in the URL")},
    Refusal{"ERR invalid DB index", ErrorCode::Usage, LH_MESSAGE("ErrorWords", "choose another database in the URL")},
    Refusal{"ERR SELECT is not allowed in cluster mode", ErrorCode::Usage, LH_MESSAGE("ErrorWords", "leave the database out of the URL")},
    Refusal{"ERR unknown command", ErrorCode::Server, LH_MESSAGE("ErrorWords", "check whether the server has renamed or lacks this command")},
};

} // namespace

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
  const auto *found = std::ranges::find_if(refusals, [text = failure.failure()](const Refusal &refusal) {
    return text.starts_with(refusal.start) && (text.size() == refusal.start.size() || text[refusal.start.size()] == ' ');
  });
  const auto &refusal = found == refusals.end() ? Refusal{} : *found;
  return {refusal.code, Message::verbatim(safeText(failure.failure(), 200)), std::string(where), refusal.next};
}

bool isMoved(const Error &error) { return error.code == ErrorCode::Server && error.what.verbatimText().starts_with("MOVED "); }

} // namespace lockhouse
