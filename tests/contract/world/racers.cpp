// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/world/racers.h"

#include <algorithm>
#include <utility>

namespace lockhouse::test {
namespace {

/// Granted, and then not acknowledged by replicas within the wait limit.
bool isShort(const AcquireOutcome &outcome) {
  const auto *failed = std::get_if<Failed>(&outcome);
  return failed != nullptr && failed->error.code == ErrorCode::TooFewCopies;
}

std::string nameOf(const AcquireOutcome &outcome) {
  if (const auto *failed = std::get_if<Failed>(&outcome))
    return "failed: " + failed->error.sentence();
  return std::holds_alternative<InDoubt>(outcome) ? "in doubt" : "contended";
}

} // namespace

Racers::Racers(Loop &loop, const Place &place, const Primitive &primitive, AcquirePolicy policy, std::uint64_t seed, std::uint64_t races)
    : m_loop(loop), m_primitive(primitive), m_policy(policy), m_chance(seed), m_races(races) {
  m_loop.call([&] {
    for (std::size_t i = 0; i < clients; ++i)
      m_clients.push_back(PlaceDriver::open(m_loop, place, {}));
    for (std::size_t i = 0; i < racers; ++i)
      m_racers.emplace_back(m_loop, *m_clients[i % clients]);
  });
}

Racers::~Racers() {
  m_loop.call([&] {
    m_stopping = true;
    m_alive.reset();
    m_racers.clear();
    m_clients.clear();
  });
}

bool Racers::isReady() {
  return eventually([&] {
    bool ready = false;
    m_loop.call([&] { ready = std::ranges::all_of(m_clients, [](const auto &client) { return client->isReady(); }); });
    return ready;
  });
}

void Racers::begin() {
  m_loop.call([&] {
    for (auto &racer : m_racers)
      next(racer);
  });
}

bool Racers::isOver() {
  bool over = false;
  m_loop.call([&] { over = std::ranges::all_of(m_racers, [](const Racer &racer) { return racer.state == Racer::State::Idle && !racer.session; }); });
  return over;
}

bool Racers::isSettled() {
  bool settled = false;
  m_loop.call([&] { settled = std::ranges::all_of(m_clients, [](const auto &client) { return client->isSettled(); }); });
  return settled;
}

Racers::Tally Racers::tally() {
  Tally tally;
  m_loop.call([&] { tally = m_tally; });
  return tally;
}

void Racers::next(Racer &racer) {
  racer.state = Racer::State::Idle;
  ++racer.race;
  if (m_stopping || m_tally.races == m_races) {
    racer.session.reset();
    return;
  }
  ++m_tally.races;
  if (!racer.session || oneIn(8)) {
    racer.lock = upTo(locks - 1);
    racer.session = racer.client.session(m_primitive, LockName("k" + std::to_string(racer.lock)), {.mode = chosenMode(racer)});
  }
  racer.weight = racer.isWriter ? wholeLock : 1;
  const auto fate = std::array{Fate::None, Fate::Cancel, Fate::Cancel, Fate::CancelInAGrant, Fate::End, Fate::None}.at(upTo(5));
  begin(racer, fate);
}

void Racers::begin(Racer &racer, Fate fate) {
  const auto limit = fate == Fate::None && oneIn(2) ? std::optional(milliseconds(upTo(3))) : std::nullopt;
  racer.isLimited = limit.has_value();
  racer.since = SteadyClock::now();
  racer.state = Racer::State::Acquiring;
  racer.session->acquire(m_policy, limit, [this, &racer, race = racer.race](const AcquireOutcome &outcome) { told(racer, race, outcome); });
  plan(racer, fate);
}

LockMode Racers::chosenMode(Racer &racer) {
  LockMode mode;
  if (m_primitive.hasPermits())
    mode.capacity = permits;
  mode.shared = m_primitive.hasReaders() && oneIn(2);
  racer.isWriter = m_primitive.hasReaders() && !mode.shared;
  return mode;
}

// Not inside the handler that told the end of the last race, every second time.
void Racers::nextSoon(Racer &racer) {
  if (oneIn(2))
    return next(racer);
  racer.state = Racer::State::Idle;
  afterTurns(0, [this, &racer] { next(racer); });
}

void Racers::plan(Racer &racer, Fate fate) {
  switch (fate) {
  case Fate::None: return;
  case Fate::CancelInAGrant: m_cancelledInAGrant.at(racer.lock).emplace_back(&racer, racer.race); return;
  case Fate::Cancel:
  case Fate::End: break;
  }
  if (oneIn(4))
    return befall(racer, racer.race, fate);
  later(racer, [this, &racer, race = racer.race, fate] { befall(racer, race, fate); });
}

void Racers::befall(Racer &racer, std::uint64_t race, Fate fate) {
  if (racer.race != race || racer.state == Racer::State::Idle)
    return;
  if (fate == Fate::End)
    return end(racer);
  const bool asks = racer.session->isAcquiring(); // else it is in, and only not told yet
  racer.session->cancel();
  if (asks && racer.race == race && racer.state == Racer::State::Acquiring)
    trouble("a cancelled acquire was not told at once");
}

// Whoever waits for an outcome is told it inside the destructor.
void Racers::end(Racer &racer) {
  ++m_tally.ended;
  leave(racer);
  racer.isEnding = true;
  racer.session.reset();
  racer.isEnding = false;
  if (racer.state == Racer::State::Acquiring || racer.state == Racer::State::Releasing)
    trouble("a session ended and did not tell what it was about");
  next(racer);
}

void Racers::told(Racer &racer, std::uint64_t race, const AcquireOutcome &outcome) {
  if (racer.race != race || racer.state != Racer::State::Acquiring)
    return trouble("an acquire was told twice");
  racer.state = Racer::State::Idle;
  m_tally.longestWait = std::max(m_tally.longestWait, std::chrono::ceil<milliseconds>(SteadyClock::now() - racer.since));
  if (std::holds_alternative<Acquired>(outcome))
    return letIn(racer);
  if (std::holds_alternative<Cancelled>(outcome))
    ++m_tally.cancelled;
  else if (std::holds_alternative<TimedOut>(outcome) || (racer.isLimited && isShort(outcome)))
    ++m_tally.timedOut;
  else if (!m_stopping)
    trouble("an acquire " + nameOf(outcome));
  if (racer.isEnding)
    return;
  if (racer.isInside) // it was not let in once more
    return stay(racer);
  nextSoon(racer);
}

void Racers::letIn(Racer &racer) {
  ++m_tally.acquired;
  if (!std::exchange(racer.isInside, true)) {
    m_inside.at(racer.lock) += racer.weight;
    m_tally.together += m_inside.at(racer.lock) > room() ? 1 : 0;
  }
  racer.state = Racer::State::Held;
  const auto race = racer.race;
  for (const auto &[other, planned] : std::exchange(m_cancelledInAGrant.at(racer.lock), {}))
    befall(*other, planned, Fate::Cancel);
  if (racer.race == race && racer.state == Racer::State::Held)
    stay(racer);
}

void Racers::leave(Racer &racer) {
  if (std::exchange(racer.isInside, false))
    m_inside.at(racer.lock) -= racer.weight;
}

void Racers::stay(Racer &racer) {
  racer.state = Racer::State::Held;
  if (racer.weight == wholeLock && m_primitive.canBecomeReader() && oneIn(4) && racer.session->becomeReader()) {
    m_inside.at(racer.lock) += 1 - racer.weight;
    racer.weight = 1;
  } else if (m_primitive.isReentrant() && oneIn(3)) {
    ++racer.race;
    return begin(racer, oneIn(2) ? Fate::Cancel : Fate::None);
  }
  if (oneIn(2))
    return release(racer);
  later(racer, [this, &racer, race = racer.race] {
    if (racer.race == race && racer.state == Racer::State::Held)
      release(racer);
  });
}

void Racers::release(Racer &racer) {
  if (oneIn(8))
    return afterTurns(0, [this, &racer, race = racer.race] { befall(racer, race, Fate::End); });
  if (racer.session->count() == 1)
    leave(racer);
  racer.state = Racer::State::Releasing;
  racer.session->release([this, &racer, race = racer.race](ReleaseOutcome outcome) { released(racer, race, outcome); });
  if (oneIn(4))
    plan(racer, oneIn(2) ? Fate::Cancel : Fate::End);
}

void Racers::released(Racer &racer, std::uint64_t race, ReleaseOutcome outcome) {
  if (racer.race != race || racer.state != Racer::State::Releasing)
    return trouble("a release was told twice");
  racer.state = Racer::State::Idle;
  if (racer.isEnding)
    return;
  if (outcome == ReleaseOutcome::StillHeld && racer.isInside) {
    racer.state = Racer::State::Held;
    return release(racer);
  }
  if (outcome != ReleaseOutcome::Released && !m_stopping)
    trouble("a release ended as " + std::string(name(outcome)));
  nextSoon(racer);
}

void Racers::later(Racer &racer, Loop::Task task) {
  if (oneIn(3))
    return racer.timer.after(std::chrono::microseconds(upTo(1500)), std::move(task));
  afterTurns(static_cast<int>(upTo(24)), std::move(task));
}

void Racers::afterTurns(int turns, Loop::Task task) {
  m_loop.post([this, alive = std::weak_ptr(m_alive), turns, task = std::move(task)]() mutable {
    if (alive.expired())
      return;
    if (turns > 0)
      return afterTurns(turns - 1, std::move(task));
    task();
  });
}

void Racers::trouble(std::string what) {
  if (m_tally.trouble.empty())
    m_tally.trouble = std::move(what);
}

} // namespace lockhouse::test
