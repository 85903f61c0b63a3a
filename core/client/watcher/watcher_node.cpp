// SPDX-License-Identifier: Apache-2.0
#include "core/client/watcher/watcher_node.h"

#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr std::string_view invalidations = "__redis__:invalidate";
constexpr std::string_view allEvents = "__keyevent@*__:*"; // literally so: ACL rules for patterns are compared as text

} // namespace

WatcherNode::WatcherNode(Loop &loop, Uri uri, NodeWatcher::Options options, const ConnectionOptions &connection, ChangeLog &log,
                         std::function<void()> afterEvent)
    : m_loop(loop), m_uri(std::move(uri)), m_options(connection), m_machine(std::move(options), log), m_afterEvent(std::move(afterEvent)),
      m_ownEvents(fmt::format("__keyevent@{}__:", m_uri.db)), m_tick(loop), m_commands(loop, m_uri, connection) {
  m_commands.onState([this](Connection::State state, const Error *why) {
    if (state == Connection::State::Ready)
      handle(watching::CommandsUp{});
    else if (state == Connection::State::Down && why)
      handle(watching::CommandsDown{*why});
  });
}

WatcherNode::~WatcherNode() {
  m_isClosing = true;
  for (auto &[request, done] : std::exchange(m_reads, {}))
    done(fail(ErrorCode::Cancelled, LH_MESSAGE("ErrorWords", "the watcher was closed"), m_uri.address()));
}

void WatcherNode::read(const LockName &key, ReadDone done) {
  m_reads.emplace(++m_lastRead, std::move(done));
  handle(watching::ReadWanted{key, m_lastRead});
}

// One clock reading an event: a scan has a million of them. The wall clock is read again every 100 ms.
Moment WatcherNode::moment() {
  const auto now = SteadyClock::now();
  if (now - m_wallReadAt > milliseconds(100)) {
    m_wallReadAt = now;
    m_wallRead = wallNow();
  }
  return {now, m_wallRead + std::chrono::duration_cast<microseconds>(now - m_wallReadAt)};
}

void WatcherNode::handle(WatchEvent event) {
  if (m_isClosing)
    return;
  const auto now = moment();
  m_machine.on(std::move(event), now, m_actions);
  perform();
  setTick(now.steady);
  m_afterEvent();
}

// A scan has a million answers, and one read of the socket brings hundreds of them: goOn() runs once for all of these.
void WatcherNode::take(watching::Answered answer) {
  if (m_isClosing)
    return;
  m_machine.take(std::move(answer), moment(), m_actions);
  perform();
  if (std::exchange(m_isGoOnPosted, true))
    return;
  m_loop.post([this, life = std::weak_ptr(m_life)] {
    if (!life.expired())
      goOn();
  });
}

void WatcherNode::goOn() {
  m_isGoOnPosted = false;
  const auto now = moment();
  m_machine.goOn(now, m_actions);
  perform();
  setTick(now.steady);
  m_afterEvent();
}

void WatcherNode::perform() {
  for (auto &[tag, command] : m_actions.asks)
    m_commands.send(std::move(command), [this, from = tag](Result<Reply> reply) { take({from, std::move(reply)}); });
  m_actions.asks.clear(); // its memory is kept: a scan comes here a million times
  applyFeed(std::exchange(m_actions.feed, {}));
  for (auto &[request, record] : std::exchange(m_actions.readsDone, {}))
    if (auto read = m_reads.extract(request))
      read.mapped()(std::move(record));
  for (auto &question : std::exchange(m_actions.subscriberQuestions, {}))
    m_remoteCounting.ask(std::move(question));
  for (auto &answer : std::exchange(m_actions.subscriberAnswers, {}))
    m_remoteCounting.answer(std::move(answer));
}

void WatcherNode::applyFeed(const FeedActions &wanted) {
  if (wanted.close) {
    ++m_feedNumber; // later messages of the old connection are ignored
    m_feed.reset();
  }
  if (wanted.open)
    openFeed();
  if (!m_feed)
    return;
  const auto ifPresent = [this, feed = m_feedNumber](WatchEvent event) {
    if (feed == m_feedNumber)
      handle(std::move(event));
  };
  if (wanted.subscribeAll)
    m_feed->psubscribe(Channel(allEvents), [ifPresent](Result<void> result) { ifPresent(watching::FeedSubscribed{std::move(result)}); });
  if (wanted.ping)
    m_feed->ping([ifPresent, number = *wanted.ping](const Result<void> &result) {
      if (result)
        ifPresent(watching::FeedPong{number});
    });
}

void WatcherNode::openFeed() {
  ++m_feedNumber;
  m_trackingRefused.reset();
  auto options = m_options;
  options.reconnect = false; // an epoch is one connection; the machine decides when the next one opens
  m_feed = std::make_unique<Subscriber>(m_loop, m_uri, options);
  m_feed->onLogin(
      [this](std::int64_t clientId) {
        std::vector<Command> commands;
        if (clientId != 0)
          commands.push_back(Command{"CLIENT", "TRACKING", "ON", "REDIRECT", std::to_string(clientId), "BCAST"});
        else
          m_trackingRefused = Error{ErrorCode::NotPermitted, LH_MESSAGE("ErrorWords", "CLIENT ID is refused, so changes cannot be tracked"), m_uri.address(),
                                    LH_MESSAGE("ErrorWords", "permit CLIENT ID and CLIENT TRACKING")};
        return commands;
      },
      [this](std::size_t, const Reply &reply) {
        if (reply.isFailure())
          m_trackingRefused = errorOf(reply, m_uri.address());
      });
  m_feed->onMessage([this](const Subscriber::Message &message) { onMessage(message); });
  m_feed->onUp([this](std::int64_t) { handle(watching::FeedUp{m_trackingRefused}); });
  m_feed->onGap([this](const Error &why) { handle(watching::FeedDown{why}); });
  m_feed->subscribe(Channel(invalidations), [this, feed = m_feedNumber](const Result<void> &result) {
    if (!m_isClosing && feed == m_feedNumber && !result && result.error().code != ErrorCode::Cancelled)
      m_trackingRefused = result.error();
  });
  for (const auto event : {"expired", "evicted", "del"}) // they name the cause; if refused, it is inferred
    m_feed->subscribe(Channel(m_ownEvents + event));
  m_feed->open();
}

void WatcherNode::onMessage(const Subscriber::Message &message) {
  if (message.channel == invalidations) {
    if (message.raw && message.raw->isArray())
      handle(watching::KeysInvalidated{&message.raw->array()});
    else
      handle(watching::AllInvalidated{});
    return;
  }
  const bool isOurs = message.channel.starts_with(m_ownEvents);
  const auto event = isOurs ? message.channel.substr(m_ownEvents.size()) : std::string_view{};
  handle(watching::KeyEvent{.event = event, .key = message.payload, .elsewhere = !isOurs});
}

void WatcherNode::setTick(SteadyTime now) {
  const auto at = m_machine.wakeAt();
  if (at >= m_tickAt) // an early tick does no harm; a timer set for every event would
    return;
  m_tickAt = at;
  m_tick.after(at - now, [this] {
    m_tickAt = SteadyTime::max();
    handle(watching::Tick{});
  });
}

} // namespace lockhouse
