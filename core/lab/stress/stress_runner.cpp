// SPDX-License-Identifier: Apache-2.0
#include "core/lab/stress/stress_runner.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace lockhouse {
namespace {

constexpr milliseconds progressEvery{100};
constexpr milliseconds outageLimit{3000}; // of the connection, in mid-run
constexpr milliseconds drainLimit{1500};  // from the run's end until everything must have been given back …
constexpr milliseconds countLimit{500};   // … and from there to its report

double ratio(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

double secondsOf(std::chrono::nanoseconds length) { return std::chrono::duration<double>(length).count(); }

} // namespace

StressRunner::StressRunner(Loop &loop, std::vector<Uri> nodes, StressOptions options, std::string runId, StressRun::ProgressHandler progress,
                           StressRun::DoneHandler done)
    : m_loop(loop), m_options(std::move(options)), m_runId(std::move(runId)), m_progress(std::move(progress)), m_done(std::move(done)), m_nodes(nodes.size()),
      m_cells(m_options, m_options.prefix + m_runId + ':'), m_probe(loop, nodes, stressConnection()),
      m_floor(loop, m_cells.count(), static_cast<std::uint32_t>(stressMode(m_options, 0).capacity)), m_end(loop), m_tick(loop), m_outage(loop) {
  m_backend = StressBackend::make(loop, std::move(nodes), m_options, m_cells.names());
  m_floor.leftFirst = m_cells.areLeftFirst();
  m_floor.hold = m_options.hold;
  m_floor.think = m_options.think;
  m_floor.idle = [this] { m_tick.after(milliseconds(0), [this] { drained(); }); };
}

StressRunner::~StressRunner() {
  m_stage = Stage::Reported; // closing connections answer what they still owe
  m_floor.idle = {};
}

void StressRunner::begin() {
  m_backend->onState([this](Connection::State state, const Error *why) { onBackend(state, why); });
  m_probe.open([this](const Result<void> &opened) { onOpened(opened); });
}

void StressRunner::onOpened(const Result<void> &opened) {
  if (m_stage != Stage::Connecting)
    return;
  if (!opened)
    return report(std::unexpected(opened.error()));
  askCalls([this](std::optional<std::uint64_t> calls) {
    m_callsBefore = calls;
    m_backend->open();
  });
}

void StressRunner::onBackend(Connection::State state, const Error *why) {
  const bool wasAway = std::exchange(m_floor.away, state != Connection::State::Ready);
  noteAway(m_floor.away);
  if (state == Connection::State::Ready)
    return onReady(wasAway);
  if (!wasAway)
    std::ranges::for_each(m_clients, &VirtualClient::connectionLost);
  if (state != Connection::State::Down)
    return;
  if (m_stage == Stage::Connecting)
    report(std::unexpected(*why));
  else if (m_stage == Stage::Running && !m_outage.isSet())
    m_outage.after(outageLimit, [this, error = *why]() mutable {
      error.next = LH_MESSAGE("ErrorWords", "check the server, then run this again");
      m_floor.failure = std::move(error);
      end();
    });
}

void StressRunner::onReady(bool wasAway) {
  m_outage.cancel();
  if (m_stage == Stage::Connecting)
    launch();
  else if (wasAway)
    std::ranges::for_each(m_clients, &VirtualClient::connectionReturned);
}

void StressRunner::launch() {
  m_stage = Stage::Running;
  m_commandsBefore = m_backend->commandsSent();
  for (unsigned i = 0; i < m_options.clients; ++i) {
    auto cells = m_cells.of(i);
    const auto mode = stressMode(m_options, i);
    auto session = m_backend->session(cells, mode);
    if (isLatch(m_options.primitive)) // nobody is kept out: its ground looks itself
      cells.clear();
    std::optional<std::uint64_t> quota;
    if (m_options.count)
      quota = *m_options.count / m_options.clients + (i < *m_options.count % m_options.clients ? 1 : 0);
    m_clients.emplace_back(m_floor, std::move(cells), mode.shared, std::move(session), quota);
  }
  m_began = m_ticked = SteadyClock::now();
  if (m_options.duration)
    m_end.after(*m_options.duration, [this] { end(); });
  tickLater();
  m_floor.active = m_options.clients;
  for (auto &client : m_clients)
    client.start();
}

void StressRunner::tickLater() {
  m_tick.after(progressEvery, [this] {
    tick();
    if (m_floor.failure)
      end();
    else if (m_stage == Stage::Running)
      tickLater();
  });
}

void StressRunner::tick() {
  const auto now = SteadyClock::now();
  StressProgress progress;
  progress.seconds = secondsOf(now - m_began);
  progress.pairs = m_floor.pairs;
  progress.pairsPerSecond = static_cast<double>(m_floor.pairs - m_tickedPairs) / std::max(secondsOf(now - m_ticked), 1e-9);
  progress.waitP50 = m_floor.waits.quantile(0.5);
  progress.waitP99 = m_floor.waits.quantile(0.99);
  progress.waiting = m_floor.waiting;
  progress.perClientMin = std::ranges::min(m_clients | std::views::transform(&VirtualClient::pairs));
  progress.violations = violations();
  progress.inDoubt = m_floor.inDoubt;
  progress.lost = m_floor.lost;
  m_waits.merge(std::exchange(m_floor.waits, {}));
  m_ticked = now;
  m_tickedPairs = m_floor.pairs;
  if (m_progress)
    m_progress(progress);
}

void StressRunner::stop() {
  if (m_stage == Stage::Connecting)
    return report(fail(ErrorCode::Cancelled, LH_MESSAGE("ErrorWords", "the run was stopped before it began")));
  if (m_stage != Stage::Running)
    return;
  m_stopped = true;
  end();
}

void StressRunner::noteAway(bool away) {
  if (m_stage != Stage::Running || away == m_awaySince.has_value())
    return;
  const auto now = SteadyClock::now();
  m_timeAway += now - m_awaySince.value_or(now);
  m_awaySince = away ? std::optional(now) : std::nullopt;
}

void StressRunner::end() {
  if (m_stage != Stage::Running)
    return;
  noteAway(false);
  m_stage = Stage::Draining;
  m_floor.stopping = true;
  m_endedAway = m_outage.isSet();
  m_outage.cancel();
  m_end.after(drainLimit, [this] { settled(); });
  for (auto &client : m_clients)
    client.stop();
}

// Every client has finished. What nobody waits for, such as an acquire in doubt, is still to be given back.
void StressRunner::drained() {
  if (m_stage == Stage::Running)
    end();
  if (m_stage != Stage::Draining)
    return;
  m_finished = SteadyClock::now();
  m_backend->whenSettled([this, alive = std::weak_ptr(m_alive)] {
    if (!alive.expired())
      settled();
  });
}

void StressRunner::settled() {
  if (m_stage != Stage::Draining)
    return;
  m_stage = Stage::Counting;
  if (m_finished == SteadyTime{})
    m_finished = SteadyClock::now();
  m_commands = m_backend->commandsSent() - m_commandsBefore;
  // A server that stands still may run later what it has not answered, even what was given up with its lease.
  const bool mayFollow = m_floor.away && m_floor.inDoubt > 0;
  if (!m_floor.failure && (m_floor.active != 0 || !m_backend->isSettled() || mayFollow))
    m_floor.failure = {ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "the node did not confirm every release"), m_probe.address(),
                       LH_MESSAGE("ErrorWords", "what is left ends with its lease")};
  if (!m_floor.failure && m_endedAway && m_floor.away)
    m_floor.failure = {ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "the node was away when the run ended"), m_probe.address(),
                       LH_MESSAGE("ErrorWords", "the figures are of the time before")};
  if (!m_floor.failure && m_floor.pairs == 0 && !m_stopped)
    m_floor.failure = {ErrorCode::Timeout, LH_MESSAGE("ErrorWords", "no client had the lock and gave it back in the time of the run"), m_probe.address(),
                       m_options.acknowledge.isWanted()
                           ? LH_MESSAGE("ErrorWords", "see in INFO replication of the node that it has so many replicas, or run it for longer")
                           : LH_MESSAGE("ErrorWords", "run it for longer")};
  m_end.after(countLimit, [this] { conclude(std::nullopt); });
  askCalls([this](std::optional<std::uint64_t> calls) {
    m_probe.clear(m_backend->lasting(), [this, calls] {
      if (m_stage != Stage::Reported)
        conclude(calls);
    });
  });
}

void StressRunner::conclude(std::optional<std::uint64_t> calls) {
  if (m_floor.failure && m_floor.pairs == 0)
    report(std::unexpected(*m_floor.failure));
  else
    report(summary(calls));
}

std::uint64_t StressRunner::violations() const { return m_floor.check.violations() + m_backend->violations(); }

void StressRunner::askCalls(StressProbe::Handler done) {
  m_probe.ask([this, done = std::move(done)](std::optional<std::uint64_t> calls) mutable {
    if (m_stage != Stage::Reported)
      done(calls);
  });
}

StressReport StressRunner::summary(std::optional<std::uint64_t> calls) {
  m_waits.merge(std::exchange(m_floor.waits, {}));
  const auto [least, most] = std::ranges::minmax(m_clients | std::views::transform(&VirtualClient::pairs));
  StressReport out;
  out.options = m_options;
  out.nodes = m_nodes;
  out.stripesUsed = m_cells.stripesUsed();
  out.seconds = secondsOf(m_finished - m_began);
  out.secondsAway = secondsOf(m_timeAway);
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
  out.violations = violations();
  out.inDoubt = m_floor.inDoubt;
  out.lost = m_floor.lost;
  out.stopped = m_stopped;
  out.failure = m_floor.failure;
  return out;
}

void StressRunner::report(Result<StressReport> result) {
  if (m_stage == Stage::Reported)
    return;
  m_stage = Stage::Reported;
  m_end.cancel();
  m_tick.cancel();
  m_outage.cancel();
  m_done(std::move(result));
}

} // namespace lockhouse
