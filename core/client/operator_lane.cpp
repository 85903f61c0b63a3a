// SPDX-License-Identifier: Apache-2.0
#include "core/client/operator_lane.h"

#include <utility>

namespace lockhouse {

OperatorLane::OperatorLane(Loop &loop, Uri uri, ConnectionOptions options, const std::atomic<bool> &unlocked)
    : m_loop(loop), m_unlocked(unlocked), m_uri(std::move(uri)) {
  options.reconnect = false;
  m_connection = std::make_unique<Connection>(loop, m_uri, options);
  m_connection->onState([this](Connection::State state, const Error *why) {
    if (state == Connection::State::Connecting)
      return;
    auto waiting = std::exchange(m_waiting, {});
    if (state == Connection::State::Down)
      return refuseLater(std::move(waiting), why == nullptr ? Error{} : *why);
    for (auto &each : waiting)
      send(std::move(each));
  });
}

OperatorLane::~OperatorLane() { *m_isAlive = false; }

void OperatorLane::read(Command command, Answer answer) { ask({std::move(command), std::move(answer), false}); }

void OperatorLane::write(Command command, Answer answer) { ask({std::move(command), std::move(answer), true}); }

void OperatorLane::ask(Waiting waiting) {
  if (m_connection->state() == Connection::State::Ready)
    return send(std::move(waiting));
  if (m_connection->state() == Connection::State::Down && m_connection->why() != nullptr) {
    std::vector<Waiting> refused;
    refused.push_back(std::move(waiting));
    return refuseLater(std::move(refused), *m_connection->why());
  }
  m_waiting.push_back(std::move(waiting));
  m_connection->open();
}

void OperatorLane::send(Waiting waiting) {
  if (!waiting.writes || m_unlocked)
    return m_connection->send(std::move(waiting.command), std::move(waiting.answer));
  std::vector<Waiting> refused;
  refused.push_back(std::move(waiting));
  refuseLater(std::move(refused), Error{ErrorCode::ReadOnly, "locked again before the release was sent", m_uri.address(), {}});
}

// Not inside the connection's call, nor the caller's: going on may end who asks, and this lane.
void OperatorLane::refuseLater(std::vector<Waiting> refused, Error why) {
  m_loop.post([refused = std::move(refused), why = std::move(why), alive = m_isAlive]() mutable {
    for (auto &each : refused)
      if (*alive)
        each.answer(std::unexpected(why));
  });
}

} // namespace lockhouse
