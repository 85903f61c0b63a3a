// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/world/probe.h"

#include <charconv>
#include <future>
#include <utility>

namespace lockhouse::test {

Probe::Probe(Loop &loop, Uri node) : m_loop(loop) {
  std::promise<void> ready;
  m_loop.call([&] {
    m_connection = std::make_unique<Connection>(m_loop, node, ConnectionOptions{});
    m_subscriber = std::make_unique<Subscriber>(m_loop, node, ConnectionOptions{});
    m_connection->onState([&ready, told = false](Connection::State state, const Error *) mutable {
      if (state == Connection::State::Ready && !std::exchange(told, true))
        ready.set_value();
    });
    m_subscriber->onMessage([this](const Subscriber::Message &message) {
      const std::scoped_lock guard(m_mutex);
      m_heard.push_back(std::string(message.channel) + " " + std::string(message.payload));
    });
    m_connection->open();
  });
  ready.get_future().wait();
}

Probe::~Probe() {
  m_loop.call([&] {
    m_connection.reset();
    m_subscriber.reset();
  });
}

Reply Probe::operator()(std::span<const std::string_view> words) {
  Command command;
  for (const auto word : words)
    command.arg(word);
  std::promise<Reply> answer;
  m_loop.call([&] {
    m_connection->send(std::move(command), [&](Result<Reply> reply) { answer.set_value(reply ? *reply : Reply(Reply::Failure{reply.error().sentence()})); });
  });
  return answer.get_future().get();
}

void Probe::listenToAll() {
  std::promise<void> subscribed;
  m_loop.call([&] {
    m_subscriber->open();
    m_subscriber->psubscribe(Channel("*"), [&](Result<void>) { subscribed.set_value(); });
  });
  subscribed.get_future().wait();
}

std::vector<std::string> Probe::heard() {
  const std::scoped_lock guard(m_mutex);
  return m_heard;
}

std::size_t Probe::subscriptions() { return (*this)({"PUBSUB", "CHANNELS"}).array().size() + (*this)({"PUBSUB", "SHARDCHANNELS"}).array().size(); }

std::size_t Probe::blocked() { return infoNumber("clients", "blocked_clients:"); }

std::uint64_t Probe::calls(const std::string &command) { return infoNumber("commandstats", "cmdstat_" + command + ":calls="); }

std::uint64_t Probe::infoNumber(std::string_view section, const std::string &field) {
  const auto info = text({"INFO", section});
  const auto at = info.find(field);
  std::uint64_t number = 0;
  if (at != std::string::npos)
    std::from_chars(info.data() + at + field.size(), info.data() + info.size(), number);
  return number;
}

bool Probe::isFollowedBy(int replicas) {
  // A replica is listed as online before it is sent what is written, and its first acknowledgement is of what came with the snapshot.
  const auto follow = [&] {
    (*this)({"SET", "written", "1"});
    (*this)({"DEL", "written"});
    return number({"WAIT", std::to_string(replicas), "50"}) == replicas;
  };
  return follow() && follow();
}

} // namespace lockhouse::test
