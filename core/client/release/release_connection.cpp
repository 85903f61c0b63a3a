// SPDX-License-Identifier: Apache-2.0
#include "core/client/release/release_connection.h"

#include <utility>

namespace lockhouse {

ReleaseConnection::ReleaseConnection(Loop &loop, Uri uri, ConnectionOptions options, const std::atomic<bool> &unlocked)
    : m_loop(loop), m_unlocked(unlocked), m_uri(std::move(uri)) {
  options.reconnect = false;
  m_connection = std::make_unique<Connection>(loop, m_uri, options);
  m_connection->onState([this](Connection::State state, const Error *) {
    if (state == Connection::State::Connecting)
      return;
    for (auto &each : std::exchange(m_waiting, {}))
      send(std::move(each));
  });
}

ReleaseConnection::~ReleaseConnection() { *m_isAlive = false; }

void ReleaseConnection::read(Command command, Answer answer) { ask({std::move(command), std::move(answer), false}); }

void ReleaseConnection::write(Command command, Answer answer) { ask({std::move(command), std::move(answer), true}); }

void ReleaseConnection::ask(Waiting waiting) {
  if (m_connection->state() == Connection::State::Ready || whyLost() != nullptr)
    return send(std::move(waiting));
  m_waiting.push_back(std::move(waiting));
  m_connection->open();
}

// One that is down refuses it, and says that it was not sent.
void ReleaseConnection::send(Waiting waiting) {
  if (!waiting.writes || m_unlocked)
    return m_connection->send(std::move(waiting.command), std::move(waiting.answer));
  refuseLater(std::move(waiting.answer), Error{ErrorCode::ReadOnly, LH_MESSAGE("PlanWords", "locked again before the release was sent"), m_uri.address(), {}});
}

// Not inside the connection's call, nor the caller's: going on may end who asks, and this lane.
void ReleaseConnection::refuseLater(Answer answer, Error why) {
  m_loop.post([answer = std::move(answer), why = std::move(why), alive = m_isAlive]() mutable {
    if (*alive)
      answer(std::unexpected(std::move(why)));
  });
}

const Error *ReleaseConnection::whyLost() const { return m_connection->state() == Connection::State::Down ? m_connection->why() : nullptr; }

} // namespace lockhouse
