// SPDX-License-Identifier: Apache-2.0
#include "core/lab/stress/stress_probe.h"

#include "core/lab/stress/command_stats.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

StressProbe::StressProbe(Loop &loop, const std::vector<Uri> &nodes, const ConnectionOptions &options) : m_heard(nodes.size(), false) {
  for (const auto &uri : nodes) {
    const auto node = m_connections.size();
    m_connections.emplace_back(loop, uri, options).onState([this, node](Connection::State state, const Error *why) { heard(node, state, why); });
  }
}

void StressProbe::open(OpenedHandler opened) {
  m_opened = std::move(opened);
  for (auto &connection : m_connections)
    connection.open();
}

void StressProbe::heard(std::size_t node, Connection::State state, const Error *why) {
  if (state != Connection::State::Connecting && std::erase(m_toClear, node) != 0)
    clearAt(node);
  if (!m_opened || m_heard[node] || state == Connection::State::Connecting)
    return;
  m_heard[node] = true;
  m_ready += state == Connection::State::Ready ? 1U : 0U;
  if (state == Connection::State::Down && !m_why)
    m_why = *why;
  if (!std::ranges::all_of(m_heard, std::identity()))
    return;
  auto opened = std::exchange(m_opened, {});
  opened(m_ready > m_heard.size() / 2 ? Result<void>() : std::unexpected(*m_why));
}

void StressProbe::ask(Handler done) {
  auto sum = std::make_shared<Sum>(std::move(done), m_connections.size());
  for (auto &connection : m_connections)
    connection.send({"INFO", "commandstats"}, [sum](const Result<Reply> &reply) {
      const auto text = reply ? reply->text() : std::nullopt;
      const auto calls = text ? serverCalls(*text) : std::nullopt;
      if (sum->calls && calls)
        *sum->calls += *calls;
      else
        sum->calls.reset();
      if (--sum->left == 0)
        sum->done(sum->calls);
    });
}

void StressProbe::clear(std::vector<std::string> keys, Loop::Task done) {
  m_keys = std::move(keys);
  m_cleared = std::move(done);
  m_uncleared = m_connections.size();
  for (std::size_t node = 0; node < m_connections.size(); ++node)
    if (m_keys.empty() || m_connections[node].state() == Connection::State::Ready)
      clearAt(node);
    else
      m_toClear.push_back(node);
}

void StressProbe::clearAt(std::size_t node) {
  for (const auto &key : m_keys) // one by one: a cluster node refuses keys of different slots in one command
    m_connections[node].send({"UNLINK", key}, [](const Result<Reply> &) {});
  // The last command: its answer says that all are done.
  m_connections[node].send({"PING"}, [this](const Result<Reply> &) {
    if (--m_uncleared == 0)
      std::exchange(m_cleared, {})();
  });
}

} // namespace lockhouse
