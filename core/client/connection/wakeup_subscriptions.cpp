// SPDX-License-Identifier: Apache-2.0
#include "core/client/connection/wakeup_subscriptions.h"

#include <utility>
#include <vector>

namespace lockhouse {
namespace {

constexpr milliseconds linger{100}; // of a subscription after its last waiter

} // namespace

WakeupSubscriptions::WakeupSubscriptions(Loop &loop, Uri node, const ConnectionOptions &options)
    : m_loop(loop), m_node(node), m_options(options), m_timer(loop), m_subscriber(loop, std::move(node), options) {
  m_subscriber.onMessage([this](const Subscriber::Message &message) { messageReceived(message); });
  m_subscriber.onGap([this](const Error &why) { interrupted(&why); });
  m_subscriber.onUp([this](std::int64_t) { interrupted(nullptr); });
}

bool WakeupSubscriptions::subscribe(Listener &listener, const Channel &channel, bool isSharded) {
  ++listener.subscription.waiters;
  if (listener.subscription.state != State::Unsubscribed)
    return listener.isSubscribed();
  if (!std::exchange(m_isOpen, true))
    m_subscriber.open();
  listener.subscription.state = State::Requested;
  listener.subscription.channel = channel;
  listener.subscription.isSharded = isSharded;
  m_byChannel[channel] = &listener;
  m_sent.fetch_add(1, std::memory_order_relaxed);
  auto done = [this, channel](Result<void> result) { subscribed(channel, result); };
  if (isSharded)
    m_subscriber.ssubscribe(channel, std::move(done));
  else
    m_subscriber.subscribe(channel, std::move(done));
  return false;
}

bool WakeupSubscriptions::blockOnList(Listener &listener, Command block) {
  ++listener.subscription.waiters;
  if (listener.subscription.state != State::Unsubscribed)
    return listener.isSubscribed();
  listener.subscription.state = State::Requested;
  listener.subscription.block = std::move(block);
  m_onLists.push_back(&listener);
  openList(listener);
  return false;
}

void WakeupSubscriptions::openList(Listener &listener) {
  listener.subscription.connection = std::make_unique<Connection>(m_loop, m_node, m_options);
  listener.subscription.connection->onState([this, &listener](Connection::State state, const Error *) {
    if (state == Connection::State::Ready) {
      block(listener);
      if (std::exchange(listener.subscription.state, State::Subscribed) == State::Subscribed)
        listener.messagesMissed();
      else
        listener.subscribed(true);
    } else if (state == Connection::State::Down && listener.subscription.state == State::Requested)
      listener.subscribed(false); // it dials on; subscribed() follows when it is connected
  });
  listener.subscription.connection->open();
}

void WakeupSubscriptions::block(Listener &listener) {
  m_sent.fetch_add(1, std::memory_order_relaxed);
  listener.subscription.connection->send(listener.subscription.block, milliseconds::max(), [this, &listener](const Result<Reply> &reply) {
    if (!reply)
      return;
    if (reply->isFailure()) { // no right to block, or the key is no list
      listener.subscription.state = State::Requested;
      return listener.subscribed(false);
    }
    block(listener);
    if (reply->isArray())
      listener.messageReceived({});
  });
}

void WakeupSubscriptions::subscribed(const Channel &channel, const Result<void> &result) {
  const auto found = m_byChannel.find(channel);
  if (m_isClosed || found == m_byChannel.end())
    return;
  auto &listener = *found->second;
  listener.subscription.state = result ? State::Subscribed : State::Unsubscribed;
  if (!result) {
    m_byChannel.erase(found);
    sendUnsubscribe(listener); // the subscriber would keep the channel if only its connection was lost
  }
  listener.subscribed(result.has_value());
}

void WakeupSubscriptions::unsubscribe(Listener &listener, SteadyTime now) {
  if (listener.subscription.waiters == 0 || --listener.subscription.waiters > 0 || m_isClosed)
    return;
  // A list is left at the end of this turn, unless another waiter came: a connection that blocks there without a waiter takes a signal from others.
  const milliseconds pause = listener.subscription.connection ? milliseconds(0) : linger;
  listener.subscription.endAt = now + pause;
  if (!m_timer.isSet() || listener.subscription.connection)
    m_timer.after(pause, [this] { endUnused(); });
}

void WakeupSubscriptions::endUnused() {
  const auto now = SteadyClock::now();
  bool more = false;
  std::vector<Listener *> unused;
  for (const auto &[channel, listener] : m_byChannel)
    if (listener->subscription.waiters == 0) {
      more = more || listener->subscription.endAt > now;
      if (listener->subscription.endAt <= now)
        unused.push_back(listener);
    }
  for (auto *listener : m_onLists)
    if (listener->subscription.waiters == 0) {
      more = more || listener->subscription.endAt > now;
      if (listener->subscription.endAt <= now)
        unused.push_back(listener);
    }
  for (auto *listener : unused)
    end(*listener);
  if (more)
    m_timer.after(linger, [this] { endUnused(); });
}

void WakeupSubscriptions::remove(Listener &listener) {
  listener.subscription.waiters = 0;
  end(listener);
}

void WakeupSubscriptions::end(Listener &listener) {
  if (std::exchange(listener.subscription.state, State::Unsubscribed) == State::Unsubscribed)
    return;
  if (std::erase(m_onLists, &listener) > 0) {
    listener.subscription.connection.reset();
    return;
  }
  if (m_isClosed)
    return;
  m_byChannel.erase(listener.subscription.channel);
  m_sent.fetch_add(1, std::memory_order_relaxed);
  sendUnsubscribe(listener);
}

void WakeupSubscriptions::sendUnsubscribe(const Listener &listener) {
  if (listener.subscription.isSharded)
    m_subscriber.sunsubscribe(listener.subscription.channel);
  else
    m_subscriber.unsubscribe(listener.subscription.channel);
}

void WakeupSubscriptions::close() {
  m_isClosed = true;
  for (auto *listener : std::exchange(m_onLists, {}))
    listener->subscription.connection.reset();
  m_timer.cancel();
  m_subscriber.close();
}

void WakeupSubscriptions::messageReceived(const Subscriber::Message &message) {
  if (const auto found = m_byChannel.find(Channel(message.channel)); found != m_byChannel.end())
    found->second->messageReceived(message.payload);
}

void WakeupSubscriptions::interrupted(const Error *why) {
  if (m_onInterruption)
    m_onInterruption(why);
  std::vector<Channel> channels;
  channels.reserve(m_byChannel.size());
  for (const auto &[channel, listener] : m_byChannel)
    channels.push_back(channel);
  for (const auto &channel : channels) // one listener may end another one
    if (const auto found = m_byChannel.find(channel); found != m_byChannel.end())
      found->second->messagesMissed();
}

} // namespace lockhouse
