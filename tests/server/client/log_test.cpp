// SPDX-License-Identifier: Apache-2.0
#include "tests/server/client/client_house.h"
#include "tests/support/proxy.h"

#include <algorithm>
#include <mutex>

using namespace lockhouse;
using namespace lockhouse::test;

using Kind = LogEvent::Kind;

class ClientLog : public ClientHouse {
protected:
  void SetUp() override {
    ClientHouse::SetUp();
    proxy.emplace(server->tcpUri());
  }
  std::optional<Client> logging() {
    ClientOptions options{.connection = {.commandTimeout = 300ms, .backoffBase = 5ms, .backoffCap = 20ms}};
    options.log = [this](const LogEvent &event) {
      const std::scoped_lock guard(mutex);
      events.push_back(event);
    };
    auto connected = Client::connect(proxy->uri(), std::move(options));
    EXPECT_TRUE(connected);
    return connected ? std::optional(std::move(*connected)) : std::nullopt;
  }
  std::optional<LogEvent> told(Kind kind) {
    const std::scoped_lock guard(mutex);
    const auto found = std::ranges::find(events, kind, &LogEvent::kind);
    return found == events.end() ? std::nullopt : std::optional(*found);
  }

  std::optional<Proxy> proxy;
  std::mutex mutex; // guards events
  std::vector<LogEvent> events;
};

TEST_F(ClientLog, tellsTheConnectionGoneAndBack) {
  const auto logged = logging();
  EXPECT_TRUE(told(Kind::Connected));
  proxy->cut();
  EXPECT_TRUE(eventually([&] { return told(Kind::ConnectionLost) && told(Kind::ConnectionBack); }));
  EXPECT_EQ(told(Kind::ConnectionLost)->level, LogEvent::Level::Warning);
  EXPECT_EQ(told(Kind::ConnectionLost)->node.bytes(), proxy->uri().address());
  EXPECT_FALSE(told(Kind::ServerRestarted)) << "it is the same run";
}

TEST_F(ClientLog, tellsALostHoldWithItsCause) {
  const auto logged = logging();
  auto held = logged->mutex(LockName("a\nb"), {.lease = 200ms}).tryAcquire();
  ASSERT_TRUE(held);
  proxy->blackHole(true);
  ASSERT_TRUE(eventually([&] { return told(Kind::HoldLost).has_value(); }));
  const auto event = *told(Kind::HoldLost);
  EXPECT_EQ(event.lock, LockName("a\nb"));
  EXPECT_NE(event.text.find("lease ended"), std::string::npos) << event.text;
  EXPECT_EQ(event.text.find('\n'), std::string::npos) << "safe to print";
  EXPECT_EQ(event.level, LogEvent::Level::Error);
}

TEST_F(ClientLog, tellsWhatWasLeftInDoubt) {
  const auto logged = logging();
  auto held = logged->mutex(LockName("held")).tryAcquire();
  ASSERT_TRUE(held);
  proxy->dropReplies(true);
  EXPECT_FALSE(logged->mutex(LockName("k")).tryAcquire());
  EXPECT_TRUE(told(Kind::AcquireInDoubt));
  // No answer to the release on the next connections either, until its limit is over.
  const auto outcome = held->release();
  EXPECT_NE(outcome, ReleaseOutcome::Released);
  EXPECT_EQ(told(Kind::ReleaseInDoubt).has_value(), outcome == ReleaseOutcome::InDoubt);
  EXPECT_FALSE(told(Kind::HoldLost)) << "released is not lost";
  proxy->dropReplies(false);
}

TEST_F(ClientLog, tellsThatScriptsWereFlushedButNotThatTheyWereNew) {
  const auto logged = logging();
  const auto pair = [&] { return logged->mutex(LockName("k")).acquire()->release(); };
  ASSERT_EQ(pair(), ReleaseOutcome::Released);
  std::vector<std::jthread> many; // their first EVALSHA leave together, and all are told that there is no such script
  for (int i = 0; i < 16; ++i)
    many.emplace_back([&, i] { EXPECT_TRUE(logged->reentrantLock(LockName("many:" + std::to_string(i))).tryAcquire()); });
  many.clear();
  EXPECT_FALSE(told(Kind::ScriptsFlushed));
  Loop loop;
  std::promise<void> flushed;
  std::unique_ptr<Connection> raw;
  loop.call([&] {
    raw = std::make_unique<Connection>(loop, server->unixUri(), ConnectionOptions{});
    raw->onState([&](Connection::State state, const Error *) {
      if (state == Connection::State::Ready)
        raw->send({"SCRIPT", "FLUSH"}, [&](const Result<Reply> &) { flushed.set_value(); });
    });
    raw->open();
  });
  flushed.get_future().wait();
  EXPECT_EQ(pair(), ReleaseOutcome::Released);
  EXPECT_TRUE(told(Kind::ScriptsFlushed));
  loop.call([&] { raw.reset(); });
}

TEST_F(ClientLog, tellsThatTheServerIsAnotherRun) {
  const auto logged = logging();
  // INFO is asked behind the first connection: one that was lost before its answer would know no run.
  ASSERT_TRUE(logged->mutex(LockName("k")).tryAcquire());
  server->kill();
  ASSERT_TRUE(server->restart());
  EXPECT_TRUE(eventually([&] { return told(Kind::ServerRestarted).has_value(); }));
}
