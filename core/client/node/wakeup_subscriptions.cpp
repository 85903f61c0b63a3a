// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/wakeup_subscriptions.h"

#include <utility>
#include <vector>

namespace lockhouse {
namespace {

constexpr milliseconds linger{100}; // of a subscription after its last listener

} // namespace

WakeupSubscriptions::WakeupSubscriptions(Loop &loop, Uri node, const ConnectionOptions &options)
    : m_loop(loop), m_node(node), m_options(options), m_timer(loop), m_subscriber(loop, std::move(node), options) {
  m_subscriber.onMessage([this](const Subscriber::Message &message) { heard(message); });
  m_subscriber.onGap([this](const Error &why) { gap(&why); });
  m_subscriber.onUp([this](std::int64_t) { gap(nullptr); });
}

bool WakeupSubscriptions::listen(Ear &ear, const Channel &channel, bool sharded) {
  ++ear.slot.listeners;
  if (ear.slot.state != State::Deaf)
    return ear.hears();
  if (!std::exchange(m_open, true))
    m_subscriber.open();
  ear.slot.state = State::Asked;
  ear.slot.channel = channel;
  ear.slot.sharded = sharded;
  m_wakeups[channel] = &ear;
  m_sent.fetch_add(1, std::memory_order_relaxed);
  auto done = [this, channel](Result<void> result) { subscribed(channel, result); };
  if (sharded)
    m_subscriber.ssubscribe(channel, std::move(done));
  else
    m_subscriber.subscribe(channel, std::move(done));
  return false;
}

bool WakeupSubscriptions::listenOnList(Ear &ear, Command block) {
  ++ear.slot.listeners;
  if (ear.slot.state != State::Deaf)
    return ear.hears();
  ear.slot.state = State::Asked;
  ear.slot.block = std::move(block);
  m_onLists.push_back(&ear);
  openLine(ear);
  return false;
}

void WakeupSubscriptions::openLine(Ear &ear) {
  ear.slot.line = std::make_unique<Connection>(m_loop, m_node, m_options);
  ear.slot.line->onState([this, &ear](Connection::State state, const Error *) {
    if (state == Connection::State::Ready) {
      block(ear);
      if (std::exchange(ear.slot.state, State::Hears) == State::Hears)
        ear.gap();
      else
        ear.stands(true);
    } else if (state == Connection::State::Down && ear.slot.state == State::Asked)
      ear.stands(false); // it dials on, and is told when it stands
  });
  ear.slot.line->open();
}

void WakeupSubscriptions::block(Ear &ear) {
  m_sent.fetch_add(1, std::memory_order_relaxed);
  ear.slot.line->send(ear.slot.block, milliseconds::max(), [this, &ear](const Result<Reply> &reply) {
    if (!reply)
      return;
    if (reply->isFailure()) { // no right to block, or the list is none
      ear.slot.state = State::Asked;
      return ear.stands(false);
    }
    block(ear);
    if (reply->isArray())
      ear.heard({});
  });
}

void WakeupSubscriptions::subscribed(const Channel &channel, const Result<void> &result) {
  const auto found = m_wakeups.find(channel);
  if (m_closed || found == m_wakeups.end())
    return;
  auto &ear = *found->second;
  ear.slot.state = result ? State::Hears : State::Deaf;
  if (!result) {
    m_wakeups.erase(found);
    unsubscribe(ear); // it would remember the channel if only its connection was lost
  }
  ear.stands(result.has_value());
}

void WakeupSubscriptions::stop(Ear &ear, SteadyTime now) {
  if (ear.slot.listeners == 0 || --ear.slot.listeners > 0 || m_closed)
    return;
  // A list is left at once, or rather when this turn has not found another listener: who blocks there for nothing takes a signal away.
  const milliseconds pause = ear.slot.line ? milliseconds(0) : linger;
  ear.slot.leaveAt = now + pause;
  if (!m_timer.isSet() || ear.slot.line)
    m_timer.after(pause, [this] { trim(); });
}

void WakeupSubscriptions::trim() {
  const auto now = SteadyClock::now();
  bool more = false;
  std::vector<Ear *> leaving;
  for (const auto &[channel, ear] : m_wakeups)
    if (ear->slot.listeners == 0) {
      more = more || ear->slot.leaveAt > now;
      if (ear->slot.leaveAt <= now)
        leaving.push_back(ear);
    }
  for (auto *ear : m_onLists)
    if (ear->slot.listeners == 0) {
      more = more || ear->slot.leaveAt > now;
      if (ear->slot.leaveAt <= now)
        leaving.push_back(ear);
    }
  for (auto *ear : leaving)
    leave(*ear);
  if (more)
    m_timer.after(linger, [this] { trim(); });
}

void WakeupSubscriptions::drop(Ear &ear) {
  ear.slot.listeners = 0;
  leave(ear);
}

void WakeupSubscriptions::leave(Ear &ear) {
  if (std::exchange(ear.slot.state, State::Deaf) == State::Deaf)
    return;
  if (std::erase(m_onLists, &ear) > 0) {
    ear.slot.line.reset();
    return;
  }
  if (m_closed)
    return;
  m_wakeups.erase(ear.slot.channel);
  m_sent.fetch_add(1, std::memory_order_relaxed);
  unsubscribe(ear);
}

void WakeupSubscriptions::unsubscribe(const Ear &ear) {
  if (ear.slot.sharded)
    m_subscriber.sunsubscribe(ear.slot.channel);
  else
    m_subscriber.unsubscribe(ear.slot.channel);
}

void WakeupSubscriptions::close() {
  m_closed = true;
  for (auto *ear : std::exchange(m_onLists, {}))
    ear->slot.line.reset();
  m_timer.cancel();
  m_subscriber.close();
}

void WakeupSubscriptions::heard(const Subscriber::Message &message) {
  if (const auto found = m_wakeups.find(Channel(message.channel)); found != m_wakeups.end())
    found->second->heard(message.payload);
}

void WakeupSubscriptions::gap(const Error *why) {
  if (m_onLine)
    m_onLine(why);
  std::vector<Channel> channels;
  channels.reserve(m_wakeups.size());
  for (const auto &[channel, ear] : m_wakeups)
    channels.push_back(channel);
  for (const auto &channel : channels) // what one ear tells may end another
    if (const auto found = m_wakeups.find(channel); found != m_wakeups.end())
      found->second->gap();
}

} // namespace lockhouse
