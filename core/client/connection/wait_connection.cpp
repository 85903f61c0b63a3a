// SPDX-License-Identifier: Apache-2.0
#include "core/client/connection/wait_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace lockhouse {
namespace {

/// Of INFO replication.
std::uint32_t replicasIn(std::string_view info) {
  constexpr std::string_view field = "connected_slaves:";
  std::uint32_t count = 0;
  if (const auto at = info.find(field); at != std::string_view::npos)
    std::from_chars(info.data() + at + field.size(), info.data() + info.size(), count);
  return count;
}

std::unexpected<Error> tooFew(std::int64_t had, std::uint32_t wanted, const std::string &address, milliseconds limit) {
  return fail(ErrorCode::TooFewCopies, LH_ENGLISH("acked %1 of %2 wanted replicas within %3 ms; the hold is given back")(had, wanted, limit.count()), address,
              LH_ENGLISH("look at INFO replication of the node, ask for fewer replicas or give them longer"));
}

} // namespace

WaitConnection::WaitConnection(Loop &loop, Uri node, ConnectionOptions options)
    : m_address(node.address()), m_commandTimeout(options.commandTimeout), m_connection(loop, std::move(node), std::move(options)) {
  m_connection.onState([this](Connection::State state, const Error *) { stateChanged(state); });
}

void WaitConnection::stateChanged(Connection::State state) {
  if (state == Connection::State::Connecting)
    return;
  m_hasConcluded = true;
  for (auto &waiting : std::exchange(m_waiting, {}))
    m_connection.send(std::move(waiting.command), std::move(waiting.handler));
  if (state == Connection::State::Ready && std::exchange(m_hasBeenReady, true) && m_onBack)
    m_onBack();
}

void WaitConnection::send(Command command, Connection::Handler handler) {
  if (!std::exchange(m_isOpened, true))
    m_connection.open();
  if (m_hasConcluded)
    m_connection.send(std::move(command), std::move(handler));
  else
    m_waiting.push_back({std::move(command), std::move(handler)});
}

void WaitConnection::wait(const ReplicaAck &ack, milliseconds limit, Done done) {
  if (ack.kind == ReplicaAck::Kind::Count)
    return waitFor(ack.replicas, limit, std::move(done));
  send({"INFO", "replication"}, [this, ack, limit, askedAt = SteadyClock::now(), handler = std::move(done)](const Result<Reply> &reply) mutable {
    if (!reply)
      return handler(std::unexpected(reply.error()));
    if (reply->isFailure())
      return handler(std::unexpected(errorOf(*reply, m_address)));
    const auto wanted = ack.wanted(replicasIn(reply->text().value_or("")));
    if (wanted == 0)
      return handler(fail(ErrorCode::TooFewCopies, LH_ENGLISH("the node lists no replica that could have the hold, which is given back"), m_address,
                          LH_ENGLISH("look at INFO replication of the node, or do not ask for an acknowledgement")));
    waitFor(wanted, limit - std::chrono::floor<milliseconds>(SteadyClock::now() - askedAt), std::move(handler));
  });
}

void WaitConnection::waitFor(std::uint32_t wanted, milliseconds limit, Done done) {
  limit = std::max(limit, milliseconds(1)); // zero means no limit
  Command command{"WAIT"};
  command.arg(std::int64_t{wanted}).arg(std::int64_t{limit.count()});
  m_connection.send(std::move(command), limit + m_commandTimeout, [this, wanted, limit, handler = std::move(done)](const Result<Reply> &reply) mutable {
    if (!reply)
      return handler(std::unexpected(reply.error()));
    const auto had = reply->integer();
    if (!had)
      return handler(std::unexpected(errorOf(*reply, m_address)));
    if (*had < std::int64_t{wanted})
      return handler(tooFew(*had, wanted, m_address, limit));
    handler(Acknowledged{.replicas = static_cast<std::uint32_t>(*had), .wanted = wanted});
  });
}

void WaitConnection::close() {
  m_connection.close();
  for (auto &waiting : std::exchange(m_waiting, {})) // never sent
    waiting.handler(fail(ErrorCode::Cancelled, LH_ENGLISH("the connection is closed"), m_address));
}

std::uint64_t WaitConnection::sent() const { return m_connection.counters().commands; }

} // namespace lockhouse
