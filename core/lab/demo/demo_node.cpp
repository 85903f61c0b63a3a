// SPDX-License-Identifier: Apache-2.0
#include "core/lab/demo/demo_node.h"

#include <fmt/format.h>

#include <utility>

namespace lockhouse {
namespace {

ConnectionOptions connectionOptions() {
  ConnectionOptions options;
  options.clientName = "lockhouse-demo";
  return options;
}

} // namespace

DemoNode::DemoNode(Loop &loop, const Uri &node, std::uint64_t seed)
    : m_loop(loop), m_connection(loop, node, connectionOptions()), m_subscriber(loop, node, connectionOptions()), m_jitter(seed) {
  for (auto &instance : m_instances)
    instance = randomUuid().value_or("5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01");
  m_subscriber.onMessage([this](const Subscriber::Message &message) {
    if (const auto found = m_listeners.find(std::string(message.channel)); found != m_listeners.end())
      found->second();
  });
}

void DemoNode::open(Loop::Task ready) {
  m_ready = std::move(ready);
  m_connection.onState([this](Connection::State state, const Error *) {
    if (state == Connection::State::Ready && m_ready)
      std::exchange(m_ready, {})();
  });
  m_connection.open();
  m_subscriber.open();
}

void DemoNode::send(Command command, Number done) {
  m_connection.send(std::move(command), [this, done = std::move(done)](Result<Reply> reply) mutable {
    if (done && !m_ends)
      done(reply ? reply->integer().value_or(-1) : -1);
  });
}

void DemoNode::listen(const std::string &channel, Loop::Task woken) {
  m_listeners.insert_or_assign(channel, std::move(woken));
  m_subscriber.subscribe(Channel(channel));
}

void DemoNode::unlisten(const std::string &channel) {
  if (m_listeners.erase(channel) != 0)
    m_subscriber.unsubscribe(Channel(channel));
}

milliseconds DemoNode::between(milliseconds least, milliseconds most) {
  return least + milliseconds(static_cast<milliseconds::rep>(m_jitter.unit() * static_cast<double>((most - least).count())));
}

std::string DemoNode::owner() {
  const auto instance = m_jitter.next() % m_instances.size();
  return fmt::format("{}:{}", m_instances[instance], 1 + m_jitter.next() % 64);
}

std::int64_t epochMilliseconds() { return std::chrono::duration_cast<milliseconds>(wallNow().time_since_epoch()).count(); }

} // namespace lockhouse
