// SPDX-License-Identifier: Apache-2.0
#include "core/lab/stress_crew.h"

#include "core/lab/command_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace lockhouse {
namespace {

constexpr milliseconds progressEvery{100};
constexpr milliseconds absenceLimit{3000}; // of the connection, in mid-run
constexpr milliseconds drainLimit{1500};   // from the run's end until everything must have been given back …
constexpr milliseconds lookAgain{200};     // twice, and a reconnection, have to fit into it
constexpr milliseconds countLimit{500};    // … and from there to its report

ConnectionOptions connectionOptions() {
  ConnectionOptions options;
  options.clientName = "lockhouse-stress";
  options.backoffCap = milliseconds(250); // so that a connection lost near the end is back before the drain is over
  return options;
}

double ratio(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

double secondsOf(std::chrono::nanoseconds length) { return std::chrono::duration<double>(length).count(); }

} // namespace

StressCrew::StressCrew(Loop &loop, Uri node, StressOptions options, std::string runId, StressRun::ProgressHandler progress, StressRun::DoneHandler done)
    : m_loop(loop), m_options(std::move(options)), m_runId(std::move(runId)), m_progress(std::move(progress)), m_done(std::move(done)),
      m_probe(loop, node, connectionOptions()), m_driver(loop, std::move(node), {.connection = connectionOptions(), .lookAgain = lookAgain}),
      m_floor(loop, m_driver, m_options.keys == 0 ? m_options.clients : m_options.keys), m_end(loop), m_tick(loop), m_absence(loop) {
  m_floor.primitive = Primitive::find(m_options.primitive);
  m_floor.lock.lease = m_options.lease;
  m_floor.lock.policy = AcquirePolicy::named(m_options.policy);
  m_floor.lock.patience = milliseconds(0); // the run bears an outage itself, once for all clients
  m_floor.hold = m_options.hold;
  m_floor.think = m_options.think;
  m_floor.idle = [this] { m_tick.after(milliseconds(0), [this] { drained(); }); };
}

StressCrew::~StressCrew() {
  m_stage = Stage::Reported; // closing connections answer what they still owe
  m_floor.idle = {};
}

void StressCrew::begin() {
  m_probe.onState([this](Connection::State state, const Error *) { onProbe(state); });
  m_driver.onState([this](Connection::State state, const Error *why) { onDriver(state, why); });
  m_probe.open();
}

void StressCrew::onProbe(Connection::State state) {
  if (m_stage != Stage::Connecting)
    return;
  if (state == Connection::State::Down)
    return report(std::unexpected(*m_probe.why()));
  if (state == Connection::State::Ready)
    askCalls([this](std::optional<std::uint64_t> calls) {
      m_callsBefore = calls;
      m_driver.open();
    });
}

void StressCrew::onDriver(Connection::State state, const Error *why) {
  const bool wasAway = std::exchange(m_floor.away, state != Connection::State::Ready);
  if (state == Connection::State::Ready)
    return onReady(wasAway);
  if (!wasAway)
    std::ranges::for_each(m_clients, &VirtualClient::connectionLost);
  if (state != Connection::State::Down)
    return;
  if (m_stage == Stage::Connecting)
    report(std::unexpected(*why));
  else if (m_stage == Stage::Running && !m_absence.isSet())
    m_absence.after(absenceLimit, [this, error = *why]() mutable {
      error.next = "check the server, then run this again";
      m_floor.failure = std::move(error);
      end();
    });
}

void StressCrew::onReady(bool wasAway) {
  m_absence.cancel();
  if (m_stage == Stage::Connecting)
    launch();
  else if (wasAway)
    std::ranges::for_each(m_clients, &VirtualClient::connectionReturned);
}

void StressCrew::launch() {
  m_stage = Stage::Running;
  m_commandsBefore = m_driver.commandsSent();
  for (unsigned i = 0; i < m_options.clients; ++i) {
    const unsigned key = m_options.keys == 0 ? i : i % m_options.keys;
    std::optional<std::uint64_t> quota;
    if (m_options.count)
      quota = *m_options.count / m_options.clients + (i < *m_options.count % m_options.clients ? 1 : 0);
    m_clients.emplace_back(m_floor, key, nameOf(key), quota);
  }
  m_began = m_ticked = SteadyClock::now();
  if (m_options.duration)
    m_end.after(*m_options.duration, [this] { end(); });
  tickLater();
  m_floor.active = m_options.clients;
  for (auto &client : m_clients)
    client.start();
}

void StressCrew::tickLater() {
  m_tick.after(progressEvery, [this] {
    tick();
    if (m_floor.failure)
      end();
    else if (m_stage == Stage::Running)
      tickLater();
  });
}

void StressCrew::tick() {
  const auto now = SteadyClock::now();
  StressProgress progress;
  progress.seconds = secondsOf(now - m_began);
  progress.pairs = m_floor.pairs;
  progress.pairsPerSecond = static_cast<double>(m_floor.pairs - m_tickedPairs) / std::max(secondsOf(now - m_ticked), 1e-9);
  progress.waitP50 = m_floor.waits.quantile(0.5);
  progress.waitP99 = m_floor.waits.quantile(0.99);
  progress.waiting = m_floor.waiting;
  progress.violations = m_floor.check.violations();
  progress.inDoubt = m_floor.inDoubt;
  progress.lost = m_floor.lost;
  m_waits.merge(std::exchange(m_floor.waits, {}));
  m_ticked = now;
  m_tickedPairs = m_floor.pairs;
  if (m_progress)
    m_progress(progress);
}

void StressCrew::stop() {
  if (m_stage == Stage::Connecting)
    return report(fail(ErrorCode::Cancelled, "the run was stopped before it began"));
  if (m_stage != Stage::Running)
    return;
  m_stopped = true;
  end();
}

void StressCrew::end() {
  if (m_stage != Stage::Running)
    return;
  m_stage = Stage::Draining;
  m_floor.stopping = true;
  m_absence.cancel();
  m_end.after(drainLimit, [this] { settled(); });
  for (auto &client : m_clients)
    client.stop();
}

// Every client has finished. What nobody waits for, such as an acquire in doubt, is still to be given back.
void StressCrew::drained() {
  if (m_stage == Stage::Running)
    end();
  if (m_stage != Stage::Draining)
    return;
  m_finished = SteadyClock::now();
  m_driver.whenSettled([this, alive = std::weak_ptr(m_alive)] {
    if (!alive.expired())
      settled();
  });
}

void StressCrew::settled() {
  if (m_stage != Stage::Draining)
    return;
  m_stage = Stage::Counting;
  if (m_finished == SteadyTime{})
    m_finished = SteadyClock::now();
  m_commands = m_driver.commandsSent() - m_commandsBefore;
  // A server that stands still may run later what it has not answered, even what was given up with its lease.
  const bool mayFollow = m_floor.away && m_floor.inDoubt > 0;
  if (!m_floor.failure && (m_floor.active != 0 || !m_driver.isSettled() || mayFollow))
    m_floor.failure = {ErrorCode::Unreachable, "the node did not confirm every release", m_probe.uri().address(), "what is left ends with its lease"};
  if (m_floor.failure && m_floor.pairs == 0)
    return report(std::unexpected(*m_floor.failure));
  m_end.after(countLimit, [this] { report(summary(std::nullopt)); });
  askCalls([this](std::optional<std::uint64_t> calls) {
    clearLasting();
    // Behind everything that clears: its answer says that it is done.
    m_probe.send({"PING"}, [this, calls](const Result<Reply> &) {
      if (m_stage != Stage::Reported)
        report(summary(calls));
    });
  });
}

void StressCrew::clearLasting() {
  constexpr std::size_t together = 256;
  Command unlink{"UNLINK"};
  for (unsigned key = 0; key < m_floor.check.keys(); ++key) {
    for (const auto &name : m_floor.primitive->lasting(nameOf(key)))
      unlink.arg(name);
    if (unlink.size() > together)
      m_probe.send(std::exchange(unlink, {"UNLINK"}), [](const Result<Reply> &) {});
  }
  if (unlink.size() > 1)
    m_probe.send(std::move(unlink), [](const Result<Reply> &) {});
}

LockName StressCrew::nameOf(unsigned key) const { return LockName(fmt::format("{}{}:{}", m_options.prefix, m_runId, key)); }

void StressCrew::askCalls(std::move_only_function<void(std::optional<std::uint64_t>)> done) {
  m_probe.send({"INFO", "commandstats"}, [this, done = std::move(done)](Result<Reply> reply) mutable {
    if (m_stage == Stage::Reported)
      return;
    const auto text = reply ? reply->text() : std::nullopt;
    done(text ? serverCalls(*text) : std::nullopt);
  });
}

StressReport StressCrew::summary(std::optional<std::uint64_t> calls) {
  m_waits.merge(std::exchange(m_floor.waits, {}));
  const auto [least, most] = std::ranges::minmax(m_clients | std::views::transform(&VirtualClient::pairs));
  StressReport out;
  out.options = m_options;
  out.seconds = secondsOf(m_finished - m_began);
  out.pairs = m_floor.pairs;
  out.acquireP50 = m_waits.quantile(0.5);
  out.acquireP99 = m_waits.quantile(0.99);
  out.acquireMax = m_waits.max();
  out.commandsPerPair = ratio(m_commands, out.pairs);
  // Fewer calls than we sent: the counters began anew in mid-run.
  if (calls && m_callsBefore && *calls >= *m_callsBefore && (*calls - *m_callsBefore) * 100 >= m_commands * 99)
    out.serverCallsPerPair = ratio(*calls - *m_callsBefore, out.pairs);
  out.perClientMin = least;
  out.perClientMax = most;
  out.violations = m_floor.check.violations();
  out.inDoubt = m_floor.inDoubt;
  out.lost = m_floor.lost;
  out.stopped = m_stopped;
  out.failure = m_floor.failure;
  return out;
}

void StressCrew::report(Result<StressReport> result) {
  if (m_stage == Stage::Reported)
    return;
  m_stage = Stage::Reported;
  m_end.cancel();
  m_tick.cancel();
  m_absence.cancel();
  m_done(std::move(result));
}

} // namespace lockhouse
