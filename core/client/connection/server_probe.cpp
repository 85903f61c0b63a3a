// SPDX-License-Identifier: Apache-2.0
#include "core/client/connection/server_probe.h"

#include <utility>

namespace lockhouse {

void ServerProbe::start() {
  m_features = {};
  Command commands{"COMMAND", "INFO"};
  for (const auto word : ServerFeatures::asked)
    commands.arg(word);
  m_connection.send({"INFO", "server"}, [this](const Result<Reply> &reply) { readInfo(reply); });
  m_connection.send(std::move(commands), [this](const Result<Reply> &reply) {
    if (reply)
      m_features = readServerFeatures(std::exchange(m_info, {}), *reply);
  });
}

void ServerProbe::readInfo(const Result<Reply> &reply) {
  if (!reply) // the connection is lost again: the next one starts anew
    return;
  m_info = reply->text().value_or("");
  std::string runId;
  const std::string_view text = m_info;
  if (const auto at = text.find("run_id:"); at != std::string_view::npos)
    runId = text.substr(at + 7, 40);
  const bool restarted = !m_runId.empty() && !runId.empty() && runId != m_runId;
  m_runId = std::move(runId);
  if (m_onIdentified)
    m_onIdentified(restarted);
}

} // namespace lockhouse
