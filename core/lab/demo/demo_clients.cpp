// SPDX-License-Identifier: Apache-2.0
#include "core/lab/demo/demo_clients.h"

#include "core/base/encoding.h"
#include "core/base/redisson_names.h"
#include "core/lab/scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace lockhouse {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds redissonLease{30000};
constexpr milliseconds fairWait{60000};
constexpr std::size_t fairWaiters = 6;
constexpr std::size_t readerCount = 4;
constexpr milliseconds netEvery{1000}; // what a lost message would have told is found out by then

std::string text(milliseconds length) { return std::to_string(length.count()); }

} // namespace

DemoFairQueue::DemoFairQueue(DemoNode &node, std::string name)
    : m_node(node), m_name(std::move(name)), m_queue(redisson::queueKey(m_name)), m_deadlines(redisson::timeoutKey(m_name)), m_turn(node.loop()),
      m_join(node.loop()), m_net(node.loop()) {}

std::string DemoFairQueue::channel(const std::string &owner) const { return redisson::fairChannel(m_name, owner); }

void DemoFairQueue::begin() {
  join();
  keepUp();
}

void DemoFairQueue::join() {
  if (m_waiting.size() < fairWaiters + (m_holder.empty() ? 1 : 0)) {
    auto owner = m_node.owner();
    if (owner != m_holder && std::ranges::find(m_waiting, owner) == m_waiting.end()) {
      m_waiting.push_back(owner);
      m_node.listen(channel(owner), [this, owner] { tryTake(owner); });
      tryTake(owner);
    }
  }
  m_join.after(m_waiting.size() < fairWaiters ? m_node.between(60ms, 160ms) : m_node.between(400ms, 1200ms), [this] { join(); });
}

void DemoFairQueue::tryTake(const std::string &owner) {
  m_node.send(Command::evalsha(lab_scripts::demoFairTake, {m_name, m_queue, m_deadlines},
                               {owner, text(redissonLease), text(fairWait), std::to_string(epochMilliseconds())}),
              [this, owner](std::int64_t answer) {
                if (answer == 1)
                  taken(owner);
              });
}

void DemoFairQueue::taken(const std::string &owner) {
  m_node.unlisten(channel(owner));
  std::erase(m_waiting, owner);
  m_holder = owner;
  m_turn.after(m_node.between(2500ms, 6000ms), [this] { give(); });
}

void DemoFairQueue::give() {
  m_node.send(Command::evalsha(lab_scripts::demoFairGive, {m_name, m_queue}, {m_holder, channel("")}));
  m_holder.clear();
}

void DemoFairQueue::keepUp() {
  for (const auto &owner : m_waiting)
    tryTake(owner);
  m_net.after(netEvery, [this] { keepUp(); });
}

DemoReaders::DemoReaders(DemoNode &node, std::string name)
    : m_node(node), m_name(std::move(name)), m_channel(redisson::rwChannel(m_name)), m_patience(node.loop()), m_net(node.loop()), m_write(node.loop()) {
  for (std::size_t i = 0; i < readerCount; ++i)
    m_readers.push_back({{}, Timer(node.loop())});
}

std::string DemoReaders::leaseKey(const Reader &reader) const { return redisson::readerLeaseKey(m_name, reader.owner, 1); }

void DemoReaders::begin() {
  for (auto &reader : m_readers)
    reader.timer.after(m_node.between(0ms, 300ms), [this, &reader] { read(reader); });
  m_net.after(500ms, [this] { await(); });
}

void DemoReaders::read(Reader &reader) {
  reader.timer.after(netEvery, [this, &reader] { read(reader); });
  if (m_closing || m_writing)
    return;
  reader.owner = m_node.owner();
  m_node.send(Command::evalsha(lab_scripts::demoReadTake, {m_name, leaseKey(reader)}, {reader.owner, text(redissonLease)}),
              [this, &reader](std::int64_t answer) {
                if (answer == 1)
                  reader.timer.after(m_node.between(3000ms, 9000ms), [this, &reader] { leave(reader); });
              });
}

void DemoReaders::leave(Reader &reader) {
  m_node.send(Command::evalsha(lab_scripts::demoReadGive, {m_name, leaseKey(reader)}, {reader.owner, m_channel}));
  reader.timer.after(m_node.between(300ms, 1500ms), [this, &reader] { read(reader); });
}

// A writer comes and waits.
void DemoReaders::await() {
  m_writer = m_node.owner();
  m_node.listen(m_channel, [this] { tryWrite(); });
  m_patience.after(m_node.between(20000ms, 30000ms), [this] { m_closing = true; });
  tryWrite();
}

void DemoReaders::tryWrite() {
  if (m_writing)
    return;
  m_net.after(netEvery, [this] { tryWrite(); });
  if (!m_closing)
    return;
  m_node.send(Command::evalsha(lab_scripts::demoWriteTake, {m_name}, {m_writer, text(redissonLease)}), [this](std::int64_t answer) {
    if (answer == 1 && !std::exchange(m_writing, true)) {
      m_node.unlisten(m_channel);
      m_net.cancel();
      m_write.after(m_node.between(1500ms, 3000ms), [this] { written(); });
    }
  });
}

void DemoReaders::written() {
  m_node.send(Command::evalsha(lab_scripts::demoWriteGive, {m_name}, {m_writer, m_channel}));
  m_writing = m_closing = false;
  m_net.after(m_node.between(1500ms, 3000ms), [this] { await(); });
}

DemoSilentHolder::DemoSilentHolder(DemoNode &node, std::string name)
    : m_node(node), m_name(std::move(name)), m_channel(redisson::lockChannel(m_name)), m_timer(node.loop()) {}

void DemoSilentHolder::begin() {
  // The one who waits takes over as soon as somebody releases the lock, and is a good holder.
  m_node.listen(m_channel, [this] { take(true); });
  take(false);
}

void DemoSilentHolder::take(bool healthy) {
  constexpr milliseconds silentLease{45000};
  const auto lease = healthy ? redissonLease : silentLease;
  m_node.send(Command::evalsha(lab_scripts::demoLockTake, {m_name}, {m_node.owner(), text(lease)}));
  m_timer.after(400ms, [this, lease, healthy] { renew(healthy ? 40 : 5, lease, healthy); });
}

void DemoSilentHolder::renew(int left, milliseconds lease, bool healthy) {
  if (left > 0) {
    m_node.send({"PEXPIRE", m_name, text(lease)});
    m_timer.after(400ms, [this, left, lease, healthy] { renew(left - 1, lease, healthy); });
  } else {
    if (healthy)
      m_node.send({"DEL", m_name});
    m_timer.after(healthy ? 800ms : lease + 1200ms, [this] { take(false); });
  }
}

DemoForgetful::DemoForgetful(DemoNode &node, std::string name, Token token, std::optional<milliseconds> lease)
    : m_node(node), m_name(std::move(name)), m_token(token), m_lease(lease), m_timer(node.loop()) {}

void DemoForgetful::begin() {
  std::array<char, 16> random{};
  if (randomBytes(random)) {
    const std::string_view bytes(random.data(), random.size());
    auto token = m_token == Token::Base64 ? base64(bytes) : hex(bytes);
    if (m_token == Token::Uuid1Hex) {
      token[12] = '1'; // version and variant of a time-based UUID, without its dashes
      token[16] = 'a';
    }
    if (m_lease)
      m_node.send({"SET", m_name, token, "NX", "PX", text(*m_lease)});
    else
      m_node.send({"SET", m_name, token, "NX"});
  }
  m_timer.after(m_lease.value_or(60s) + 900ms, [this] { begin(); });
}

DemoForeignData::DemoForeignData(DemoNode &node) : m_node(node), m_timer(node.loop()) {}

void DemoForeignData::begin() {
  for (int i = 0; i < 200; ++i) {
    m_node.send(
        {"SET", fmt::format("session:{:04}", i), fmt::format(R"({{"user":{},"cart":[{},{}],"theme":"light"}})", 7000 + i, i * 3, i * 7), "PX", "86400000"});
    m_node.send({"HSET", fmt::format("user:{}", 7000 + i), "name", fmt::format("Customer {}", i), "visits", std::to_string(i)});
  }
  m_node.send({"SET", "config:features", R"({"newCheckout":true,"rollout":0.25})"});
  m_node.send({"RPUSH", "jobs:thumbnails", "a.png", "b.png", "c.png"});
  m_node.send({"ZADD", "board:sales", "120", "north", "95", "south"});
  touch();
}

void DemoForeignData::touch() {
  ++m_turn;
  m_node.send({"INCR", "count:views"});
  m_node.send({"SET", fmt::format("page:{}", m_turn % 40), "<html><body>cached</body></html>", "PX", "15000"});
  m_node.send({"ZINCRBY", "board:sales", "1", m_turn % 3 == 0 ? "south" : "north"});
  m_timer.after(m_node.between(150ms, 350ms), [this] { touch(); });
}

} // namespace lockhouse
