// SPDX-License-Identifier: Apache-2.0
// A handle goes on as the writer's: blocking, by callback, in a coroutine.
#include "tests/server/client/client_house.h"
#include "tests/server/client/errand.h"
#include "tests/server/client/quorum_house.h"

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

Errand becomeWriter(LockHandle &held, std::stop_token cancel, std::promise<AcquireOutcome> &answer) {
  AcquireOutcome outcome = co_await held.becomingWriter(cancel);
  answer.set_value(std::move(outcome));
}

std::optional<ErrorCode> codeOf(const AcquireOutcome &outcome) {
  const auto *failed = std::get_if<Failed>(&outcome);
  return failed != nullptr ? std::optional(failed->error.code) : std::nullopt;
}

} // namespace

class BecomingWriter : public ClientHouse {
protected:
  Lock readers(LockOptions options = {}) const {
    options.mode.shared = true;
    return client->lock(*Primitive::find("FairReadWriteLock"), LockName("k"), options);
  }
  static bool isIn(const AcquireOutcome &outcome) { return std::holds_alternative<Acquired>(outcome); }
};

TEST_F(BecomingWriter, blocksUntilTheOthersHaveLeft) {
  auto one = readers().acquire();
  auto two = readers().acquire();
  ASSERT_TRUE(one && two);
  const auto token = one->token();
  EXPECT_TRUE(std::holds_alternative<Contended>(one->becomeWriterFor(0ms)));
  EXPECT_TRUE(std::holds_alternative<TimedOut>(one->becomeWriterFor(50ms)));
  EXPECT_TRUE(one->isHeld());
  auto wish = std::async(std::launch::async, [&] { return one->becomeWriter(); });
  EXPECT_EQ(wish.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(two->release(), ReleaseOutcome::Released);
  ASSERT_TRUE(isIn(wish.get()));
  EXPECT_EQ(one->token(), token);
  EXPECT_EQ(one->count(), 1);
  EXPECT_FALSE(readers().tryAcquire());
  one->becomeReader();
  EXPECT_TRUE(readers().acquireFor(20s));
  EXPECT_EQ(one->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(isFree("k", "FairReadWriteLock"));
}

TEST_F(BecomingWriter, waitsAsTheOptionsOfTheLockSay) {
  auto other = readers().acquire();
  auto patient = readers({.waitLimit = 50ms}).acquire();
  auto hasty = readers({.policy = AcquirePolicy::tryOnce()}).acquire();
  ASSERT_TRUE(other && patient && hasty);
  EXPECT_TRUE(std::holds_alternative<TimedOut>(patient->becomeWriter()));
  EXPECT_TRUE(eventually([&] { return std::holds_alternative<Contended>(hasty->becomeWriter()); })) << "once the other's wish is taken back";
  EXPECT_TRUE(std::holds_alternative<TimedOut>(hasty->becomeWriterFor(50ms))) << "as acquireFor() does";
}

TEST_F(BecomingWriter, isCancelled) {
  auto one = readers().acquire();
  auto two = readers().acquire();
  ASSERT_TRUE(one && two);
  std::stop_source cancel;
  std::promise<AcquireOutcome> answer;
  one->becomeWriter([&](const AcquireOutcome &outcome) { answer.set_value(outcome); }, cancel.get_token());
  auto told = answer.get_future();
  EXPECT_EQ(told.wait_for(30ms), std::future_status::timeout);
  cancel.request_stop();
  EXPECT_TRUE(std::holds_alternative<Cancelled>(told.get()));
  EXPECT_TRUE(one->isHeld());
  EXPECT_TRUE(std::holds_alternative<Cancelled>(one->becomeWriter(cancel.get_token()))) << "at once";
  EXPECT_TRUE(readers().acquireFor(20s)) << "nobody is kept out";
}

TEST_F(BecomingWriter, isAwaited) {
  auto one = readers().acquire();
  auto two = readers().acquire();
  ASSERT_TRUE(one && two);
  std::promise<AcquireOutcome> first;
  auto told = first.get_future();
  becomeWriter(*one, {}, first);
  EXPECT_EQ(told.wait_for(30ms), std::future_status::timeout);
  std::promise<AcquireOutcome> second;
  becomeWriter(*two, {}, second);
  EXPECT_EQ(codeOf(second.get_future().get()), ErrorCode::Deadlock);
  EXPECT_EQ(two->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(isIn(told.get()));
}

TEST_F(BecomingWriter, endsWithItsHandleAndItsClient) {
  auto other = readers().acquire();
  ASSERT_TRUE(other);
  const auto wish = [&](std::promise<AcquireOutcome> &answer) {
    auto held = readers().acquire();
    EXPECT_TRUE(held);
    held->becomeWriter([&answer](const AcquireOutcome &outcome) { answer.set_value(outcome); });
    return held;
  };
  {
    std::promise<AcquireOutcome> answer;
    { const auto held = wish(answer); }
    EXPECT_TRUE(std::holds_alternative<Cancelled>(answer.get_future().get()));
  }
  EXPECT_TRUE(readers().acquireFor(20s));
  std::promise<AcquireOutcome> answer;
  auto held = wish(answer);
  client.reset();
  EXPECT_TRUE(std::holds_alternative<Cancelled>(answer.get_future().get()));
  EXPECT_TRUE(std::holds_alternative<Cancelled>(held->becomeWriter()));
  EXPECT_EQ(codeOf(LockHandle().becomeWriter()), ErrorCode::Usage);
  client = connect();
  EXPECT_TRUE(isFree("k", "FairReadWriteLock"));
}

TEST_F(BecomingWriter, neverBlocksTheClientsOwnThread) {
  auto held = readers().acquire();
  ASSERT_TRUE(held);
  std::promise<AcquireOutcome> answer;
  readers().acquire([&](LockResult) { answer.set_value(held->becomeWriter()); });
  EXPECT_EQ(codeOf(answer.get_future().get()), ErrorCode::Usage);
}

TEST_F(BecomingWriter, isRefusedByLocksThatCannot) {
  const LockOptions reads{.mode = {.shared = true}};
  auto redissons = client->readWriteLock(LockName("rw"), reads).acquire();
  auto mutex = client->mutex(LockName("m")).acquire();
  auto several = client->multiLock({LockName("a"), LockName("b")}).acquire();
  ASSERT_TRUE(redissons && mutex && several);
  for (auto *held : {&*redissons, &*mutex, &*several}) {
    const auto outcome = held->becomeWriterFor(1h);
    ASSERT_EQ(codeOf(outcome), ErrorCode::Usage);
    EXPECT_NE(std::get<Failed>(outcome).error.sentence().find("writer of a reader"), std::string::npos);
    EXPECT_TRUE(held->isHeld());
  }
  auto writer = client->lock(*Primitive::find("FairReadWriteLock"), LockName("k")).acquire();
  ASSERT_TRUE(writer);
  EXPECT_EQ(codeOf(writer->becomeWriter()), ErrorCode::Usage) << "it is the writer already";
}

class BecomingWriterOfSeveral : public QuorumHouse {};

TEST_F(BecomingWriterOfSeveral, nodesIsRefused) {
  start(3);
  const auto quorum = connect();
  ASSERT_TRUE(quorum);
  auto held = quorum->redLock(LockName("k")).acquire();
  ASSERT_TRUE(held) << held.error().sentence();
  EXPECT_EQ(codeOf(held->becomeWriterFor(1h)), ErrorCode::Usage);
  EXPECT_TRUE(held->isHeld());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
}
