// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/lock_driver.h"
#include "core/lab/sandbox.h"
#include "core/net/subscriber.h"
#include "tests/support/eventually.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <initializer_list>
#include <mutex>
#include <string>

namespace lockhouse::test {

using namespace std::chrono_literals;

/// One owner of one lock, for a test's thread: a LockSession on the loop of its party.
class Owner {
public:
  Owner(Loop &loop, LockDriver &driver, const Primitive &primitive, LockName name, LockOptions options);
  ~Owner();
  Owner(const Owner &) = delete;
  Owner &operator=(const Owner &) = delete;

  std::future<AcquireOutcome> start(); ///< as the options say
  std::future<AcquireOutcome> start(AcquirePolicy policy, std::optional<milliseconds> waitLimit = {});
  AcquireOutcome acquire() { return start().get(); }
  AcquireOutcome tryAcquire() { return start(AcquirePolicy::tryOnce()).get(); }
  bool takes() { return std::holds_alternative<Acquired>(tryAcquire()); }
  std::future<ReleaseOutcome> startRelease();
  ReleaseOutcome release() { return startRelease().get(); }
  void cancel();
  bool becomesReader();
  std::future<AcquireOutcome> startUpgrade(std::optional<milliseconds> waitLimit = {}, bool cancelled = false);
  /// A reader from now on, and the writer again: both in one turn of the loop.
  std::future<AcquireOutcome> startToAndFro();
  AcquireOutcome upgrade(std::optional<milliseconds> waitLimit = {}) { return startUpgrade(waitLimit).get(); }
  /// Starts, and is cancelled in the same turn of the loop: before anything can have left.
  std::future<AcquireOutcome> startCancelled(AcquirePolicy policy);
  bool isHeld();
  std::int64_t count();
  SteadyTime validUntil();
  std::optional<LossReason> loss() const;
  SteadyTime lostAt() const { return m_lostAt; } ///< once loss() is set
  void destroy();                                ///< the session; nothing else may be called afterwards

private:
  Loop &m_loop;
  std::unique_ptr<LockSession> m_session; // the loop's
  std::atomic<int> m_loss = -1;
  std::atomic<SteadyTime> m_lostAt{SteadyTime{}};
};

/// A client of the server as another process would be: connections of its own, with as many owners as wanted.
class Party {
public:
  Party(Loop &loop, Uri node, LockDriver::Options options = {});
  ~Party();
  Party(const Party &) = delete;
  Party &operator=(const Party &) = delete;

  Owner &owner(const Primitive &primitive, std::string name, LockOptions options = {});
  /// With the connection up; false when it did not come.
  bool isReady();
  bool isSettled();
  std::uint64_t commandsSent();
  /// Lets the loop turn so many times.
  void turn(int times);

private:
  Loop &m_loop;
  std::unique_ptr<LockDriver> m_driver; // the loop's
  std::deque<Owner> m_owners;
};

/// Plain commands to the server, one after the other, and what was heard on its channels.
class Probe {
public:
  Probe(Loop &loop, Uri node);
  ~Probe();
  Probe(const Probe &) = delete;
  Probe &operator=(const Probe &) = delete;

  Reply operator()(std::initializer_list<std::string_view> words) { return (*this)(std::span(words.begin(), words.size())); }
  Reply operator()(std::span<const std::string_view> words);
  std::int64_t number(std::initializer_list<std::string_view> words) { return (*this)(words).integer().value_or(-99); }
  std::string text(std::initializer_list<std::string_view> words) { return std::string((*this)(words).text().value_or("(nothing)")); }
  /// From now on heard() tells "channel message" of every publication.
  void listenToAll();
  std::vector<std::string> heard();
  std::size_t subscriptions(); ///< channels that somebody listens to, sharded ones too
  /// How often `command` ran, inside scripts too.
  std::uint64_t calls(const std::string &command);

private:
  Loop &m_loop;
  std::unique_ptr<Connection> m_connection;
  std::unique_ptr<Subscriber> m_subscriber;
  std::mutex m_mutex; // guards m_heard
  std::vector<std::string> m_heard;
};

enum class Topology { UnixSocket, Tcp };

/// The same cases over every primitive there is and every topology. Each case has a server of its own; after each the server must be as empty as before.
class LockContract : public testing::TestWithParam<std::tuple<std::string_view, Topology>> {
protected:
  void SetUp() override;
  void TearDown() override;
  virtual Sandbox::Options serverOptions() { return {.tcp = true, .config = {}}; }

  const Primitive &primitive() const { return *Primitive::find(std::get<0>(GetParam())); }
  Uri node() const;
  Party &party(LockDriver::Options options = {});
  Party &partyAt(Uri node, LockDriver::Options options = {}); ///< through a proxy
  Probe &probe() { return *m_probe; }
  /// The key as an owner of this primitive writes it.
  bool keyExists(std::string_view key) { return probe().number({"EXISTS", key}) == 1; }
  /// Writes the lock as a stranger's hold.
  void takeAsStranger(std::string_view key, milliseconds lease);
  /// What a waiter is told of that stranger; nothing where the data do not name holders.
  std::optional<std::string> stranger() const;
  /// Of a re-entrant lock: the field of this owner's count.
  std::string fieldOf(const LockToken &owner) const { return owner.bytes() + (primitive().hasReaders() ? ":write" : ""); }
  /// Nothing in the keyspace, no subscription, nothing under way; waits for it.
  void expectNothingLeft();
  std::vector<std::string> leftKeys(); ///< without what may stay for a time
  /// The server's process was replaced: a new probe.
  void renewProbe();

  std::optional<Sandbox> server;
  bool checksEmptiness = true;

private:
  std::unique_ptr<Loop> m_loop;
  std::unique_ptr<Probe> m_probe;
  std::deque<Party> m_parties;
};

/// Whether the data of a taken lock say who has it; Redisson's semaphores only count.
bool namesHolders(const Primitive &primitive);
std::vector<std::string_view> primitiveNames(); ///< of all there are
std::vector<std::string_view> primitiveNames(const std::function<bool(const Primitive &)> &which);
std::vector<AcquirePolicy> waitingPolicies(const Primitive &primitive);
/// The first policy of the primitive that is told of its turn, with polls an hour apart where it polls; nothing if it has none.
std::optional<AcquirePolicy> listeningPolicy(const Primitive &primitive);
std::string contractName(const testing::TestParamInfo<LockContract::ParamType> &info);

#define LOCKHOUSE_CONTRACT(Suite)                                                                                                                              \
  INSTANTIATE_TEST_SUITE_P(Every, Suite, testing::Combine(testing::ValuesIn(primitiveNames()), testing::Values(Topology::UnixSocket, Topology::Tcp)),          \
                           contractName)

} // namespace lockhouse::test
