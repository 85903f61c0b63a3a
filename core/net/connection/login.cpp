// SPDX-License-Identifier: Apache-2.0
#include "core/net/connection/login.h"

#include "core/base/safe_text.h"

#include <fmt/format.h>

namespace lockhouse {
namespace {

// The server turns the connection away as a whole, whatever was asked: it says so in a line of its own and hangs up.
bool isTurnedAway(const Reply &reply) {
  return reply.failureWord() == "DENIED" || reply.failureWord() == "LOADING" || reply.failure().starts_with("ERR max number of clients");
}

} // namespace

Login::Login(const Uri &uri, const ConnectionOptions &options, bool wantsClientId)
    : m_uri(uri), m_clientName(options.clientName), m_wantsClientId(wantsClientId), m_authenticated(uri.user.empty() && uri.password.empty()) {}

std::vector<Command> Login::next() {
  if (!m_awaited.empty() || m_asked)
    return {};
  if (!m_authenticated) {
    m_awaited.push_back(Step::Auth);
    return {m_uri.user.empty() ? Command{"AUTH", m_uri.password} : Command{"AUTH", m_uri.user, m_uri.password}};
  }
  m_asked = true;
  std::vector<Command> commands;
  const auto ask = [&](Step step, Command command) {
    m_awaited.push_back(step);
    commands.push_back(std::move(command));
  };
  if (m_uri.db != 0)
    ask(Step::Select, Command{"SELECT", std::to_string(m_uri.db)});
  if (!m_clientName.empty())
    ask(Step::Mark, Command{"CLIENT", "SETNAME", m_clientName});
  ask(Step::Mark, Command{"CLIENT", "SETINFO", "LIB-NAME", "lockhouse"});
  ask(Step::Mark, Command{"CLIENT", "SETINFO", "LIB-VER", LOCKHOUSE_VERSION});
  if (m_wantsClientId)
    ask(Step::ClientId, Command{"CLIENT", "ID"});
  ask(Step::Ping, Command{"PING"});
  return commands;
}

Result<bool> Login::on(const Reply &reply) {
  auto result = judge(reply);
  if (!result) {
    m_asked = true; // nothing more is said
    m_awaited.clear();
  }
  return result;
}

Result<bool> Login::judge(const Reply &reply) {
  if (isTurnedAway(reply)) {
    const auto text = safeText(reply.failure(), 200);
    return fail(ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "the server turns clients away: %1")(text), m_uri.address(),
                Message::joined({triedAgain, LH_MESSAGE("ErrorWords", "free a client or wait until it has loaded")}));
  }
  if (m_awaited.empty())
    return fail(ErrorCode::Protocol, LH_MESSAGE("ErrorWords", "the server spoke before it was asked"), m_uri.address(),
                LH_MESSAGE("ErrorWords", "check that a Redis server listens there"));
  const auto step = m_awaited.front();
  m_awaited.pop_front();
  if (auto error = refusal(step, reply))
    return std::unexpected(std::move(*error));
  if (step == Step::Auth)
    m_authenticated = true;
  if (step == Step::ClientId)
    m_clientId = reply.integer().value_or(0);
  return m_asked && m_awaited.empty();
}

std::optional<Error> Login::refusal(Step step, const Reply &reply) const {
  const auto where = m_uri.address();
  if (step == Step::Auth && !reply.isOk()) {
    const auto text = reply.isFailure() ? safeText(reply.failure(), 200) : "an answer that is neither OK nor an error";
    return Error{ErrorCode::AuthFailed, LH_MESSAGE("ErrorWords", "the server refused the login: %1")(text), where,
                 LH_MESSAGE("ErrorWords", "check the user and the password in the URL")};
  }
  if (reply.failureWord() == "NOAUTH")
    return Error{ErrorCode::AuthFailed, LH_MESSAGE("ErrorWords", "the server wants a password"), where,
                 LH_MESSAGE("ErrorWords", "put user and password into the URL: redis://user:password@host")};
  if (step == Step::Select && !reply.isOk()) {
    auto error = errorOf(reply, where);
    error.what = LH_MESSAGE("ErrorWords", "database %1 cannot be selected: %2")(m_uri.db, error.what);
    error.next = LH_MESSAGE("ErrorWords", "choose another database in the URL");
    return error;
  }
  return std::nullopt;
}

} // namespace lockhouse
