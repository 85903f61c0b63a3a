// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/lock_world.h"

#include <charconv>
#include <utility>

namespace lockhouse::test {

Owner::Owner(Loop &loop, LockDriver &driver, const Primitive &primitive, LockName name, LockOptions options) : m_loop(loop) {
  m_loop.call([&] {
    m_session = std::make_unique<LockSession>(driver, primitive, std::move(name), std::move(options));
    m_session->onLost([this](LossReason reason) {
      m_lostAt = SteadyClock::now();
      m_loss = static_cast<int>(reason);
    });
  });
}

Owner::~Owner() { destroy(); }

std::future<AcquireOutcome> Owner::start() {
  auto answer = std::make_shared<std::promise<AcquireOutcome>>();
  m_loop.call([&] { m_session->acquire([answer](const AcquireOutcome &outcome) { answer->set_value(outcome); }); });
  return answer->get_future();
}

std::future<AcquireOutcome> Owner::start(AcquirePolicy policy, std::optional<milliseconds> waitLimit) {
  auto answer = std::make_shared<std::promise<AcquireOutcome>>();
  m_loop.call([&] { m_session->acquire(policy, waitLimit, [answer](const AcquireOutcome &outcome) { answer->set_value(outcome); }); });
  return answer->get_future();
}

std::future<ReleaseOutcome> Owner::startRelease() {
  auto answer = std::make_shared<std::promise<ReleaseOutcome>>();
  m_loop.call([&] { m_session->release([answer](ReleaseOutcome outcome) { answer->set_value(outcome); }); });
  return answer->get_future();
}

void Owner::cancel() {
  m_loop.call([&] { m_session->cancel(); });
}

bool Owner::becomesReader() {
  bool does = false;
  m_loop.call([&] { does = m_session->becomeReader(); });
  return does;
}

std::future<AcquireOutcome> Owner::startUpgrade(std::optional<milliseconds> waitLimit, bool cancelled) {
  auto answer = std::make_shared<std::promise<AcquireOutcome>>();
  m_loop.call([&] {
    m_session->becomeWriter(waitLimit, [answer](const AcquireOutcome &outcome) { answer->set_value(outcome); });
    if (cancelled)
      m_session->cancel();
  });
  return answer->get_future();
}

std::future<AcquireOutcome> Owner::startToAndFro() {
  auto answer = std::make_shared<std::promise<AcquireOutcome>>();
  m_loop.call([&] {
    m_session->becomeReader();
    m_session->becomeWriter({}, [answer](const AcquireOutcome &outcome) { answer->set_value(outcome); });
  });
  return answer->get_future();
}

std::future<AcquireOutcome> Owner::startCancelled(AcquirePolicy policy) {
  auto answer = std::make_shared<std::promise<AcquireOutcome>>();
  m_loop.call([&] {
    m_session->acquire(policy, {}, [answer](const AcquireOutcome &outcome) { answer->set_value(outcome); });
    m_session->cancel();
  });
  return answer->get_future();
}

bool Owner::isHeld() {
  bool held = false;
  m_loop.call([&] { held = m_session->isHeld(); });
  return held;
}

std::int64_t Owner::count() {
  std::int64_t count = 0;
  m_loop.call([&] { count = m_session->count(); });
  return count;
}

SteadyTime Owner::validUntil() {
  SteadyTime until{};
  m_loop.call([&] { until = m_session->validUntil(); });
  return until;
}

std::optional<LossReason> Owner::loss() const {
  const int loss = m_loss;
  return loss < 0 ? std::nullopt : std::optional(static_cast<LossReason>(loss));
}

void Owner::destroy() {
  m_loop.call([&] { m_session.reset(); });
}

Party::Party(Loop &loop, Uri node, LockDriver::Options options) : m_loop(loop) {
  m_loop.call([&] {
    m_driver = std::make_unique<LockDriver>(m_loop, std::move(node), std::move(options));
    m_driver->open();
  });
}

Party::~Party() {
  m_owners.clear();
  m_loop.call([&] { m_driver.reset(); });
}

Owner &Party::owner(const Primitive &primitive, std::string name, LockOptions options) {
  return m_owners.emplace_back(m_loop, *m_driver, primitive, LockName(std::move(name)), std::move(options));
}

bool Party::isReady() {
  return eventually([&] {
    auto state = Connection::State::Down;
    m_loop.call([&] { state = m_driver->state(); });
    return state == Connection::State::Ready;
  });
}

bool Party::isSettled() {
  bool settled = false;
  m_loop.call([&] { settled = m_driver->isSettled(); });
  return settled;
}

std::uint64_t Party::commandsSent() { return m_driver->commandsSent(); }

void Party::turn(int times) {
  for (int i = 0; i < times; ++i)
    m_loop.call([] {});
}

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

std::uint64_t Probe::calls(const std::string &command) {
  const auto stats = text({"INFO", "commandstats"});
  const auto at = stats.find("cmdstat_" + command + ":calls=");
  if (at == std::string::npos)
    return 0;
  std::uint64_t calls = 0;
  const auto *begin = stats.data() + at + command.size() + 15;
  std::from_chars(begin, stats.data() + stats.size(), calls);
  return calls;
}

void LockContract::SetUp() {
  auto started = Sandbox::start(serverOptions());
  ASSERT_TRUE(started) << started.error().sentence();
  server = std::move(*started);
  m_loop = std::make_unique<Loop>();
  m_probe = std::make_unique<Probe>(*m_loop, server->unixUri());
}

void LockContract::TearDown() {
  if (server && m_probe && checksEmptiness)
    expectNothingLeft();
  m_parties.clear();
  m_probe.reset();
  m_loop.reset();
}

Uri LockContract::node() const { return std::get<1>(GetParam()) == Topology::UnixSocket ? server->unixUri() : server->tcpUri(); }

Party &LockContract::party(LockDriver::Options options) { return partyAt(node(), std::move(options)); }

Party &LockContract::partyAt(Uri at, LockDriver::Options options) {
  auto &party = m_parties.emplace_back(*m_loop, std::move(at), std::move(options));
  EXPECT_TRUE(party.isReady());
  return party;
}

std::optional<std::string> LockContract::stranger() const {
  const std::string clientsHold = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:7";
  if (!namesHolders(primitive()))
    return std::nullopt;
  if (primitive().hasReaders() && primitive().isReentrant())
    return clientsHold + ":write";
  const bool isNumbered = primitive().isReentrant() || primitive().hasReaders() || primitive().hasPermits();
  return isNumbered ? clientsHold : "3f786850e387550fdab836ed7e6dc881";
}

void LockContract::takeAsStranger(std::string_view key, milliseconds lease) {
  if (!namesHolders(primitive()))
    probe()({"SET", key, "0"});
  else if (primitive().hasReaders() && primitive().isReentrant())
    probe()({"HSET", key, "mode", "write", *stranger(), "1"});
  else if (primitive().hasReaders() || primitive().hasPermits()) {
    const Reply now = probe()({"TIME"});
    const auto till = std::stoll(std::string(now.array().at(0).text().value())) * 1000 + 1000 + lease.count();
    probe()({"ZADD", key, std::to_string(till), primitive().hasPermits() ? *stranger() + "/1" : "w/" + *stranger()});
  } else if (primitive().isReentrant())
    probe()({"HSET", key, *stranger(), "1"});
  else
    probe()({"SET", key, *stranger()});
  probe()({"PEXPIRE", key, std::to_string(lease.count())});
}

void LockContract::expectNothingLeft() {
  for (auto &party : m_parties)
    EXPECT_TRUE(eventually([&] { return party.isSettled(); }));
  EXPECT_TRUE(eventually([&] { return leftKeys().empty(); })) << "a key is left: " << testing::PrintToString(leftKeys());
  EXPECT_TRUE(eventually([&] { return probe().subscriptions() == 0; })) << "a subscription is left";
}

std::vector<std::string> LockContract::leftKeys() {
  std::vector<std::string> left;
  const Reply reply = probe()({"KEYS", "*"});
  for (const auto &key : reply.array()) {
    const std::string name(key.text().value_or(""));
    const bool lasts = name.starts_with("lockhouse:fence:") && probe().number({"PTTL", name}) > 0; // longer than the lock, but not for ever
    const bool isRedissons = name.starts_with("redisson_lock_token:") && !primitive().lasting(LockName("k")).empty();
    if (!lasts && !isRedissons)
      left.push_back(name);
  }
  return left;
}

void LockContract::renewProbe() { m_probe = std::make_unique<Probe>(*m_loop, server->unixUri()); }

bool namesHolders(const Primitive &primitive) { return !primitive.hasPermits() || primitive.line() == Primitive::Line::AtServer; }

std::vector<std::string_view> primitiveNames() {
  return primitiveNames([](const Primitive &) { return true; });
}

std::vector<std::string_view> primitiveNames(const std::function<bool(const Primitive &)> &which) {
  std::vector<std::string_view> names;
  for (const auto *primitive : Primitive::all())
    if (which(*primitive))
      names.push_back(primitive->info().name);
  return names;
}

std::vector<AcquirePolicy> waitingPolicies(const Primitive &primitive) {
  std::vector<AcquirePolicy> policies;
  for (const auto name : primitive.info().policies)
    if (const auto policy = AcquirePolicy::named(name).value(); policy.waits())
      policies.push_back(policy);
  return policies;
}

std::optional<AcquirePolicy> listeningPolicy(const Primitive &primitive) {
  for (const auto &policy : waitingPolicies(primitive))
    if (policy.listens())
      return policy.queues() ? policy : AcquirePolicy::pubSub(1h);
  return std::nullopt;
}

std::string contractName(const testing::TestParamInfo<LockContract::ParamType> &info) {
  return std::string(std::get<0>(info.param)) + (std::get<1>(info.param) == Topology::UnixSocket ? "OverUnixSocket" : "OverTcp");
}

} // namespace lockhouse::test
