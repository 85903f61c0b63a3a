// SPDX-License-Identifier: Apache-2.0
#include "tests/server/client/client_house.h"
#include "tests/server/lab/raw_redis.h"

#include <cmath>
#include <mutex>
#include <shared_mutex>
#include <system_error>

using namespace lockhouse;
using namespace lockhouse::test;

class TimedLocks : public ClientHouse {
protected:
  static bool inAnotherThread(std::function<bool()> does) { return std::async(std::launch::async, std::move(does)).get(); }
};

TEST_F(TimedLocks, workWithUniqueLock) {
  TimedLock lock(client->mutex(LockName("k")));
  {
    std::unique_lock guard(lock);
    EXPECT_TRUE(guard.owns_lock());
    EXPECT_TRUE(lock.isHeld());
    EXPECT_FALSE(inAnotherThread([&] { return lock.try_lock(); }));
    EXPECT_FALSE(inAnotherThread([&] { return std::unique_lock(lock, 20ms).owns_lock(); }));
  }
  EXPECT_TRUE(isFree("k"));
}

TEST_F(TimedLocks, workWithScopedLockInWhateverOrder) {
  TimedLock a(client->mutex(LockName("a")));
  TimedLock b(client->reentrantLock(LockName("b")));
  int inside = 0;
  int most = 0;
  const auto work = [&](bool forward) {
    for (int i = 0; i < 10; ++i) {
      if (forward) {
        const std::scoped_lock both(a, b);
        most = std::max(most, ++inside);
        --inside;
      } else {
        const std::scoped_lock both(b, a);
        most = std::max(most, ++inside);
        --inside;
      }
    }
  };
  std::thread other(work, false);
  work(true);
  other.join();
  EXPECT_EQ(most, 1);
}

TEST_F(TimedLocks, tryForAndUntilATime) {
  TimedLock lock(client->mutex(LockName("k")));
  lock.lock();
  EXPECT_FALSE(inAnotherThread([&] { return lock.try_lock_for(20ms); }));
  EXPECT_FALSE(inAnotherThread([&] { return lock.try_lock_until(std::chrono::system_clock::now() + 20ms); }));
  EXPECT_FALSE(inAnotherThread([&] { return lock.try_lock_until(std::chrono::steady_clock::now() - 1s); }));
  EXPECT_FALSE(inAnotherThread([&] { return lock.try_lock_until(std::chrono::steady_clock::time_point::min()); })) << "from which no number counts to now";
  EXPECT_FALSE(lock.lastRefusal().empty());
  EXPECT_FALSE(inAnotherThread([&] { return lock.try_lock_for(std::chrono::hours::min()); }));
  lock.unlock();
  for (const auto &forEver : {std::chrono::duration<double>(std::chrono::hours::max()), std::chrono::duration<double>(INFINITY)})
    EXPECT_TRUE(inAnotherThread([&] {
      const bool got = lock.try_lock_for(forEver);
      lock.unlock();
      return got;
    }));
  EXPECT_TRUE(inAnotherThread([&] {
    const bool got = lock.try_lock_for(10s);
    lock.unlock();
    return got;
  }));
}

TEST_F(TimedLocks, areEnteredAgainByTheirThreadIfReentrant) {
  TimedLock lock(client->reentrantLock(LockName("k")));
  const std::scoped_lock outer(lock);
  {
    const std::scoped_lock inner(lock);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
  }
  EXPECT_TRUE(lock.isHeld());
  EXPECT_FALSE(inAnotherThread([&] { return lock.try_lock(); }));
}

TEST_F(TimedLocks, refuseToDeadlockOnAMutexOfTheirOwn) {
  TimedLock lock(client->mutex(LockName("k")));
  const std::scoped_lock guard(lock);
  EXPECT_FALSE(lock.try_lock());
  try {
    lock.lock();
    FAIL() << "locked twice";
  } catch (const std::system_error &error) {
    EXPECT_EQ(error.code(), std::errc::resource_deadlock_would_occur);
  }
}

TEST_F(TimedLocks, unlockByAThreadThatHoldsNothingIsHarmless) {
  TimedLock lock(client->mutex(LockName("k")));
  lock.lock();
  std::thread([&] { lock.unlock(); }).join();
  EXPECT_TRUE(lock.isHeld());
  EXPECT_FALSE(isFree("k"));
  lock.unlock();
}

TEST_F(TimedLocks, tellTheThreadOfALoss) {
  TimedLock lock(client->mutex(LockName("k"), {.lease = 300ms}));
  std::unique_lock guard(lock);
  server->pause();
  const auto stop = lock.stopToken();
  EXPECT_TRUE(eventually([&] { return stop.stop_requested(); }));
  EXPECT_FALSE(lock.isHeld());
  server->resume();
}

TEST_F(TimedLocks, throwWhenThereIsNoServerToAsk) {
  TimedLock lock(client->mutex(LockName("k"), {.patience = 50ms}));
  server->kill();
  EXPECT_TRUE(eventually([&] {
    try {
      lock.lock();
    } catch (const std::system_error &error) {
      return error.code() == std::errc::not_connected;
    }
    return false;
  }));
}

TEST_F(TimedLocks, areGivenBackWhenTheyEnd) {
  {
    TimedLock lock(client->mutex(LockName("k")));
    lock.lock();
  }
  EXPECT_TRUE(eventually([&] { return isFree("k"); }));
}

namespace {

/// The standard's named requirement SharedTimedMutex, as far as signatures go.
template <class Mutex>
concept SharedTimed = requires(Mutex mutex, std::chrono::milliseconds limit, std::chrono::steady_clock::time_point end) {
  mutex.lock();
  { mutex.try_lock() } -> std::same_as<bool>;
  { mutex.try_lock_for(limit) } -> std::same_as<bool>;
  { mutex.try_lock_until(end) } -> std::same_as<bool>;
  mutex.unlock();
  mutex.lock_shared();
  { mutex.try_lock_shared() } -> std::same_as<bool>;
  { mutex.try_lock_shared_for(limit) } -> std::same_as<bool>;
  { mutex.try_lock_shared_until(end) } -> std::same_as<bool>;
  mutex.unlock_shared();
};
static_assert(SharedTimed<SharedTimedLock> && SharedTimed<std::shared_timed_mutex>);
static_assert(!std::is_copy_constructible_v<SharedTimedLock>);

} // namespace

TEST_F(TimedLocks, workWithSharedLock) {
  for (const char *primitive : {"ReadWriteLock", "FairReadWriteLock"}) {
    SCOPED_TRACE(primitive);
    SharedTimedLock lock(client->lock(*Primitive::find(primitive), LockName("k")));
    {
      const std::shared_lock reading(lock);
      EXPECT_TRUE(lock.reader().isHeld());
      EXPECT_FALSE(lock.writer().isHeld());
      EXPECT_TRUE(inAnotherThread([&] { return std::shared_lock(lock, 5s).owns_lock(); }));
      EXPECT_FALSE(inAnotherThread([&] { return std::unique_lock(lock, std::try_to_lock).owns_lock(); }));
      EXPECT_FALSE(inAnotherThread([&] { return lock.try_lock_until(std::chrono::steady_clock::now() + 20ms); }));
    }
    {
      const std::unique_lock writing(lock);
      EXPECT_TRUE(lock.writer().isHeld());
      EXPECT_FALSE(inAnotherThread([&] { return std::shared_lock(lock, 20ms).owns_lock(); }));
      EXPECT_FALSE(inAnotherThread([&] { return lock.try_lock_shared(); }));
    }
    EXPECT_TRUE(isFree("k", primitive));
  }
}

TEST_F(TimedLocks, aWritersHandleGoesOnAsAReaders) {
  const auto lock = client->readWriteLock(LockName("k"));
  auto held = lock.acquire();
  ASSERT_TRUE(held);
  EXPECT_FALSE(lock.as({.shared = true}).tryAcquire());
  held->becomeReader();
  EXPECT_TRUE(lock.as({.shared = true}).acquireFor(20s)) << "as soon as the server has heard it";
  EXPECT_FALSE(lock.tryAcquire());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
}

TEST_F(TimedLocks, aWriterIsAReaderBeforeHeGivesUpACountWhateverScriptsTheServerForgot) {
  const auto lock = client->readWriteLock(LockName("k"));
  auto held = lock.acquire();
  ASSERT_TRUE(held);
  RawRedis raw(server->unixUri().path);
  raw({"SCRIPT", "FLUSH"});
  { ASSERT_TRUE(client->readWriteLock(LockName("other")).as({.shared = true}).acquire()); } // the script of a reader's release is there again
  std::promise<ReleaseOutcome> answer;
  held->acquireAgain([&](const AcquireOutcome &) { // both leave in one turn of the loop
    held->becomeReader();
    held->release([&](ReleaseOutcome outcome) { answer.set_value(outcome); });
  });
  EXPECT_EQ(answer.get_future().get(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(isFree("k", "ReadWriteLock"));
}

TEST_F(TimedLocks, aWriterWhoCannotGoOnAsAReaderStaysTheWriter) {
  const auto lock = client->mutex(LockName("k"));
  auto held = lock.acquire();
  ASSERT_TRUE(held);
  held->becomeReader();
  EXPECT_FALSE(lock.as({.shared = true}).tryAcquire());
  EXPECT_TRUE(held->isHeld());
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
}

TEST_F(TimedLocks, goOnAsAReaderAndAsTheWriterAgain) {
  SharedTimedLock lock(client->lock(*Primitive::find("FairReadWriteLock"), LockName("k")));
  EXPECT_FALSE(lock.try_unlock_shared_and_lock()) << "this thread does not hold it";
  EXPECT_NE(lock.reader().lastRefusal().find("does not hold"), std::string::npos);
  std::shared_lock reading(lock);
  EXPECT_FALSE(inAnotherThread([&] {
    const std::shared_lock too(lock);
    return lock.try_unlock_shared_and_lock();
  })) << "another one reads";
  ASSERT_TRUE(lock.try_unlock_shared_and_lock_for(20s));
  reading.release();
  {
    const std::unique_lock writing(lock, std::adopt_lock);
    EXPECT_TRUE(lock.writer().isHeld());
    EXPECT_FALSE(lock.reader().isHeld());
    EXPECT_FALSE(inAnotherThread([&] { return lock.try_lock_shared(); }));
    lock.unlock_and_lock_shared();
    EXPECT_TRUE(lock.reader().isHeld());
    EXPECT_FALSE(lock.writer().isHeld());
    EXPECT_TRUE(inAnotherThread([&] { return std::shared_lock(lock, 20s).owns_lock(); }));
    ASSERT_TRUE(lock.try_unlock_shared_and_lock_until(std::chrono::steady_clock::now() + 20s));
  }
  EXPECT_TRUE(isFree("k", "FairReadWriteLock"));
}

TEST_F(TimedLocks, ofTwoReadersWhoWantToWriteTheSecondIsRefusedAtOnce) {
  SharedTimedLock lock(client->lock(*Primitive::find("FairReadWriteLock"), LockName("k")));
  std::shared_lock reading(lock);
  auto other = client->lock(*Primitive::find("FairReadWriteLock"), LockName("k"), {.mode = {.shared = true}}).acquire();
  ASSERT_TRUE(other);
  std::promise<AcquireOutcome> answer;
  auto writes = answer.get_future();
  other->becomeWriter([&answer](const AcquireOutcome &outcome) { answer.set_value(outcome); });
  ASSERT_TRUE(eventually([&] { return !lock.try_unlock_shared_and_lock() && lock.reader().lastRefusal().find("becoming the writer") != std::string::npos; }));
  EXPECT_FALSE(lock.try_unlock_shared_and_lock_for(1h)) << "not after an hour";
  EXPECT_TRUE(lock.reader().isHeld());
  reading.unlock();
  EXPECT_TRUE(std::holds_alternative<Acquired>(writes.get()));
}
