// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/contract/world/party.h"

#include <array>
#include <deque>
#include <random>

namespace lockhouse::test {

/// Many owners of a few locks in a few clients of one loop, who acquire over and over, some as readers, some again while they hold, and
/// what befalls each acquire is left to chance:
/// nothing, a cancel, a short wait limit or the end of its session, in the turn of its start, some turns or microseconds later, in the
/// turn in which somebody else is let in, while it is held or while it is released.
class Racers {
public:
  struct Tally {
    std::uint64_t races = 0;
    std::uint64_t acquired = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t timedOut = 0;
    std::uint64_t ended = 0;    ///< sessions, wherever they were
    int together = 0;           ///< grants while others had it who exclude them
    milliseconds longestWait{}; ///< until an outcome
    std::string trouble;        ///< the first outcome that should not be
  };

  Racers(Loop &loop, const Place &place, const Primitive &primitive, AcquirePolicy policy, std::uint64_t seed, std::uint64_t races);
  ~Racers();
  Racers(const Racers &) = delete;
  Racers &operator=(const Racers &) = delete;

  bool isReady();
  void begin();
  bool isOver(); ///< all are run, nobody holds or waits; the clients are still there
  bool isSettled();
  Tally tally();

private:
  static constexpr std::size_t clients = 3;
  static constexpr std::size_t racers = 48;
  static constexpr std::size_t locks = 6;
  static constexpr int permits = 2;      // of each lock that has some
  static constexpr int wholeLock = 1000; // what a writer takes of a lock that readers share

  enum class Fate : std::uint8_t { None, Cancel, End, CancelInAGrant };
  struct Racer {
    Racer(Loop &loop, PlaceDriver &driver) : client(driver), timer(loop) {}
    PlaceDriver &client;
    std::unique_ptr<OwnerSession> session;
    std::size_t lock = 0;
    bool isWriter = false;  // where there are readers
    int weight = 1;         // of its hold
    bool isInside = false;  // it has the lock, and perhaps enters again
    std::uint64_t race = 0; // what was planned for an earlier one comes to nothing
    enum class State : std::uint8_t { Idle, Acquiring, Held, Releasing } state = State::Idle;
    bool isLimited = false;
    SteadyTime since{};
    bool isEnding = false; // its session is being destroyed
    Timer timer;
  };

  void next(Racer &racer);
  void nextSoon(Racer &racer);
  void plan(Racer &racer, Fate fate);
  void befall(Racer &racer, std::uint64_t race, Fate fate);
  void end(Racer &racer);
  void told(Racer &racer, std::uint64_t race, const AcquireOutcome &outcome);
  void letIn(Racer &racer);
  void stay(Racer &racer);
  void leave(Racer &racer);
  void begin(Racer &racer, Fate fate);
  void release(Racer &racer);
  void released(Racer &racer, std::uint64_t race, ReleaseOutcome outcome);
  LockMode chosenMode(Racer &racer);
  int room() const { return m_primitive.hasPermits() ? permits : m_primitive.hasReaders() ? wholeLock : 1; }
  void later(Racer &racer, Loop::Task task);
  void afterTurns(int turns, Loop::Task task);
  void trouble(std::string what);
  std::uint64_t upTo(std::uint64_t most) { return m_chance() % (most + 1); }
  bool oneIn(std::uint64_t odds) { return m_chance() % odds == 0; }

  Loop &m_loop;
  const Primitive &m_primitive;
  AcquirePolicy m_policy;
  std::mt19937_64 m_chance;
  std::uint64_t m_races;
  std::vector<std::unique_ptr<PlaceDriver>> m_clients;
  std::deque<Racer> m_racers;
  std::array<int, locks> m_inside{};
  std::array<std::vector<std::pair<Racer *, std::uint64_t>>, locks> m_cancelledInAGrant;
  Tally m_tally;
  bool m_stopping = false;
  std::shared_ptr<bool> m_alive = std::make_shared<bool>(true);
};

} // namespace lockhouse::test
