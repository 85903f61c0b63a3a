// SPDX-License-Identifier: Apache-2.0
#include "core/net/connection/subscriber.h"

#include "core/net/connection/link.h"
#include "core/net/connection/outcome_queue.h"
#include "core/net/connection/subscriptions.h"

namespace lockhouse {

class Subscriber::Core final : public Link {
public:
  /// Channels, patterns and sharded channels differ by words only, and in what the server counts together.
  struct Words {
    std::string_view subscribe, unsubscribe, subscribed, unsubscribed;
  };
  struct Kind {
    Words words;
    Subscriptions held;
    std::int64_t &counted;
  };
  Kind channels{{"SUBSCRIBE", "UNSUBSCRIBE", "subscribe", "unsubscribe"}, {}, m_subscribed};
  Kind patterns{{"PSUBSCRIBE", "PUNSUBSCRIBE", "psubscribe", "punsubscribe"}, {}, m_subscribed};
  Kind shards{{"SSUBSCRIBE", "SUNSUBSCRIBE", "ssubscribe", "sunsubscribe"}, {}, m_sharded};
  MessageHandler onMessage;
  std::move_only_function<void(std::int64_t)> onUp;
  std::move_only_function<void(const Error &)> onGap;
  std::move_only_function<std::vector<Command>(std::int64_t)> loginCommands;
  std::move_only_function<void(std::size_t, const Reply &)> loginDone;

  Core(Loop &loop, Uri uri, ConnectionOptions options) : Link(loop, std::move(uri), std::move(options), true) {}

  void subscribe(Kind &kind, const Channel &channel, Done done);
  void unsubscribe(Kind &kind, const Channel &channel);
  void ping(Done done);
  void end();

protected:
  void ready(std::int64_t clientId) override;
  void down(const Error &why) override;
  void closing(const Error &why) override;
  Result<void> take(Reply reply) override;
  SteadyTime deadline() const override { return m_awaited.empty() ? never : m_awaited.front().deadline; }
  void late() override {} // down() tells everyone
  void idle() override { ping({}); }

private:
  enum class Answer { Login, Subscribed, Unsubscribed, Pong };
  struct Awaited {
    Answer answer = Answer::Pong;
    Kind *kind = nullptr;
    std::string word{};       // the channel, or the nonce of a PING
    std::uint64_t number = 0; // the ticket, or the index of a login command
    Done done{};
    SteadyTime deadline{};
  };

  Ring<Awaited> m_awaited;   // answers to come, in order; messages come between them
  std::size_t m_untilUp = 0; // answers to come before onUp
  bool m_up = false;
  std::int64_t m_clientId = 0;
  std::int64_t m_subscribed = 0; // as the server counts: channels and patterns
  std::int64_t m_sharded = 0;    // sharded channels
  std::uint64_t m_nonce = 0;
  OutcomeQueue<Done, Result<void>> m_untold; // those known inside the call itself among them
  bool m_tellPosted = false;

  void expect(Awaited awaited, const Command &command);
  void sendSubscribe(Kind &kind, const std::string &channel);
  void tellLater(Done done, Result<void> result);
  bool isMessage(const Reply::Array &parts) const;
  Result<void> deliver(const Reply::Array &parts);
  Result<void> settle(Awaited awaited, const Reply &reply);
  Result<void> settleSubscription(const Awaited &awaited, const Reply &reply);
  Result<void> settlePong(Awaited &awaited, const Reply &reply);
  void fail(const Error &why);
  void countTowardsUp();
};

void Subscriber::Core::subscribe(Kind &kind, const Channel &channel, Done done) {
  if (isClosed())
    return tellLater(std::move(done), std::unexpected(*why()));
  if (kind.held.add(channel.bytes(), done))
    return tellLater(std::move(done), {});
  if (state() == State::Ready && kind.held.needsSending(channel.bytes()))
    sendSubscribe(kind, channel.bytes());
}

void Subscriber::Core::unsubscribe(Kind &kind, const Channel &channel) {
  const bool wasSent = kind.held.holds(channel.bytes()) && !kind.held.needsSending(channel.bytes());
  if (kind.held.remove(channel.bytes()) && wasSent && state() == State::Ready)
    expect({.answer = Answer::Unsubscribed, .kind = &kind, .word = channel.bytes()}, Command{kind.words.unsubscribe, channel.bytes()});
}

void Subscriber::Core::sendSubscribe(Kind &kind, const std::string &channel) {
  const auto ticket = kind.held.sent(channel);
  expect({.answer = Answer::Subscribed, .kind = &kind, .word = channel, .number = ticket}, Command{kind.words.subscribe, channel});
}

void Subscriber::Core::ping(Done done) {
  if (state() != State::Ready)
    return tellLater(std::move(done), lockhouse::fail(ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "not connected"), uri().address(), waitForConnection));
  auto nonce = "lockhouse:" + std::to_string(++m_nonce);
  const Command command{"PING", nonce};
  expect({.answer = Answer::Pong, .word = std::move(nonce), .done = std::move(done)}, command);
}

void Subscriber::Core::expect(Awaited awaited, const Command &command) {
  awaited.deadline = deadlineAfter(options().commandTimeout);
  write(command, awaited.deadline);
  m_awaited.push(std::move(awaited));
}

void Subscriber::Core::tellLater(Done done, Result<void> result) {
  m_untold.add(std::move(done), std::move(result));
  if (m_untold.empty() || std::exchange(m_tellPosted, true))
    return;
  loop().post([self = std::static_pointer_cast<Core>(shared_from_this())] {
    self->m_tellPosted = false;
    self->m_untold.callPresent();
  });
}

void Subscriber::Core::ready(std::int64_t clientId) {
  m_clientId = clientId;
  m_subscribed = 0;
  m_sharded = 0;
  m_up = false;
  if (loginCommands) {
    const auto commands = loginCommands(clientId);
    for (std::size_t i = 0; i < commands.size() && !isClosed(); ++i)
      expect({.answer = Answer::Login, .number = i}, commands[i]);
  }
  for (auto *kind : {&channels, &patterns, &shards})
    for (const auto &channel : kind->held.channels())
      if (!isClosed() && kind->held.needsSending(channel))
        sendSubscribe(*kind, channel);
  m_untilUp = m_awaited.size() + 1;
  countTowardsUp();
}

void Subscriber::Core::countTowardsUp() {
  if (m_up || isClosed() || --m_untilUp > 0)
    return;
  m_up = true;
  if (onUp)
    onUp(m_clientId);
}

void Subscriber::Core::fail(const Error &why) {
  for (auto *kind : {&channels, &patterns, &shards})
    for (auto &done : kind->held.reset())
      m_untold.add(std::move(done), std::unexpected(why));
  while (!m_awaited.empty())
    m_untold.add(m_awaited.pop().done, std::unexpected(why));
}

void Subscriber::Core::down(const Error &why) {
  fail(why);
  m_untold.callPresent();
  if (onGap && !isClosed())
    onGap(why);
}

void Subscriber::Core::closing(const Error &why) {
  fail(why);
  m_untold.callAll();
}

void Subscriber::Core::end() {
  close();
  m_untold.callAll(); // what was asked after an earlier close()
}

Result<void> Subscriber::Core::take(Reply reply) {
  const auto &parts = std::as_const(reply).array(); // the other array() would make it one
  if (isMessage(parts))
    return deliver(parts);
  if (m_awaited.empty())
    return std::unexpected(protocolError(LH_MESSAGE("ErrorWords", "something that nobody asked for")));
  return settle(m_awaited.pop(), reply);
}

bool Subscriber::Core::isMessage(const Reply::Array &parts) const {
  const auto *word = parts.empty() ? nullptr : parts[0].bulk();
  return word != nullptr && ((parts.size() == 3 && (*word == "message" || *word == "smessage")) || (parts.size() == 4 && *word == "pmessage"));
}

Result<void> Subscriber::Core::deliver(const Reply::Array &parts) {
  const auto &name = parts[parts.size() - 2];
  const auto *pattern = parts.size() == 4 ? parts[1].bulk() : nullptr;
  const auto &kind = pattern != nullptr ? patterns : parts[0].text() == "smessage" ? shards : channels;
  if (kind.counted <= 0 || (name.bulk() == nullptr && !name.elided()) || (parts.size() == 4 && pattern == nullptr))
    return std::unexpected(protocolError(LH_MESSAGE("ErrorWords", "a message out of place")));
  const auto *subscribed = pattern != nullptr ? pattern : name.bulk();
  const bool isHeld = subscribed != nullptr && kind.held.holds(*subscribed);
  if (!isHeld || !onMessage) // it was left a moment ago
    return {};
  const auto view = [](const std::string *bytes) { return bytes != nullptr ? std::string_view(*bytes) : std::string_view{}; };
  onMessage({.channel = view(name.bulk()), .payload = view(parts.back().bulk()), .pattern = view(pattern), .raw = &parts.back()});
  return {};
}

Result<void> Subscriber::Core::settle(Awaited awaited, const Reply &reply) {
  Result<void> settled;
  if (awaited.answer == Answer::Pong)
    settled = settlePong(awaited, reply);
  else if (awaited.answer != Answer::Login)
    settled = settleSubscription(awaited, reply);
  else if (loginDone)
    loginDone(awaited.number, reply);
  if (settled)
    countTowardsUp();
  return settled;
}

Result<void> Subscriber::Core::settleSubscription(const Awaited &awaited, const Reply &reply) {
  const bool joins = awaited.answer == Answer::Subscribed;
  auto &held = awaited.kind->held;
  if (reply.isFailure()) {
    if (joins)
      for (auto &done : held.refuse(awaited.word, awaited.number))
        m_untold.add(std::move(done), std::unexpected(errorOf(reply, uri().address())));
    m_untold.callPresent();
    return {};
  }
  const auto &parts = reply.array();
  const auto &words = awaited.kind->words;
  const bool asAsked = parts.size() == 3 && parts[0].text() == (joins ? words.subscribed : words.unsubscribed) &&
                       (parts[1].text() == awaited.word || parts[1].elided()) && parts[2].integer();
  if (!asAsked)
    return std::unexpected(protocolError(LH_MESSAGE("ErrorWords", "another answer than that to a subscription")));
  awaited.kind->counted = *parts[2].integer();
  if (joins)
    for (auto &done : held.confirm(awaited.word, awaited.number))
      m_untold.add(std::move(done), {});
  m_untold.callPresent();
  return {};
}

// A bulk string without, an array with a subscription.
Result<void> Subscriber::Core::settlePong(Awaited &awaited, const Reply &reply) {
  const auto &parts = reply.array();
  const bool isPong = reply.text() == awaited.word || (parts.size() == 2 && parts[0].text() == "pong" && parts[1].text() == awaited.word);
  if (!isPong && !reply.isFailure())
    return std::unexpected(protocolError(LH_MESSAGE("ErrorWords", "another answer than that to PING")));
  if (awaited.done)
    awaited.done(isPong ? Result<void>{} : std::unexpected(errorOf(reply, uri().address())));
  return {};
}

Subscriber::Subscriber(Loop &loop, Uri uri, ConnectionOptions options) : m_core(std::make_shared<Core>(loop, std::move(uri), std::move(options))) {}

Subscriber::~Subscriber() { m_core->end(); }

void Subscriber::onMessage(MessageHandler handler) { m_core->onMessage = std::move(handler); }

void Subscriber::onUp(std::move_only_function<void(std::int64_t)> handler) { m_core->onUp = std::move(handler); }

void Subscriber::onGap(std::move_only_function<void(const Error &)> handler) { m_core->onGap = std::move(handler); }

void Subscriber::open() { m_core->open(); }

void Subscriber::close() { m_core->close(); }

void Subscriber::subscribe(const Channel &channel, Done done) { m_core->subscribe(m_core->channels, channel, std::move(done)); }

void Subscriber::unsubscribe(const Channel &channel) { m_core->unsubscribe(m_core->channels, channel); }

void Subscriber::psubscribe(const Channel &pattern, Done done) { m_core->subscribe(m_core->patterns, pattern, std::move(done)); }

void Subscriber::punsubscribe(const Channel &pattern) { m_core->unsubscribe(m_core->patterns, pattern); }

void Subscriber::ssubscribe(const Channel &channel, Done done) { m_core->subscribe(m_core->shards, channel, std::move(done)); }

void Subscriber::sunsubscribe(const Channel &channel) { m_core->unsubscribe(m_core->shards, channel); }

void Subscriber::ping(Done done) { m_core->ping(std::move(done)); }

void Subscriber::onLogin(std::move_only_function<std::vector<Command>(std::int64_t)> commands, std::move_only_function<void(std::size_t, const Reply &)> done) {
  m_core->loginCommands = std::move(commands);
  m_core->loginDone = std::move(done);
}

Connection::State Subscriber::state() const { return m_core->state(); }

Connection::Counters Subscriber::counters() const { return m_core->counters(); }

} // namespace lockhouse
