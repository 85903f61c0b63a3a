// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/connection.h"

#include <deque>
#include <optional>
#include <vector>

namespace lockhouse {

/// What is said on a fresh connection before it is Ready, as a pure dialogue. AUTH goes alone: nothing follows it before its OK,
/// since a server whose default user needs no password would otherwise run what follows as that user. Then, in one piece:
/// SELECT, CLIENT SETNAME, CLIENT SETINFO twice, CLIENT ID if wanted, PING. Refusals of CLIENT are ignored: an old server or a narrow
/// ACL may lack it. PING tells a server that is still loading.
class Login {
public:
  Login(const Uri &uri, const ConnectionOptions &options, bool wantsClientId);

  /// Commands to send now; empty while an answer is awaited.
  std::vector<Command> next();
  /// The answer to the oldest unanswered command: true when logged in. Also for an error line that came before any command was
  /// sent. A refused AUTH is AuthFailed.
  Result<bool> on(const Reply &reply);
  std::int64_t clientId() const { return m_clientId; } ///< 0 if refused or not wanted

private:
  enum class Step { Auth, Select, Mark, ClientId, Ping };
  Uri m_uri;
  std::string m_clientName;
  bool m_wantsClientId;
  bool m_authenticated;
  bool m_asked = false; // everything was sent
  std::deque<Step> m_awaited;
  std::int64_t m_clientId = 0;

  Result<bool> judge(const Reply &reply);
  std::optional<Error> refusal(Step step, const Reply &reply) const;
};

} // namespace lockhouse
