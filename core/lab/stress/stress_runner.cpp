// SPDX-License-Identifier: Apache-2.0
#include "core/lab/stress/stress_runner.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

constexpr milliseconds progressEvery{100};
constexpr milliseconds outageLimit{3000}; // of the connection, during the run
constexpr milliseconds drainLimit{1500};  // from the end of the run until everything must be released …
constexpr milliseconds countLimit{500};   // … and from there to its report

} // namespace

StressRunner::StressRunner(Loop &loop, std::vector<Uri> nodes, StressOptions options, const std::string &runId, StressRun::ProgressHandler progress,
                           StressRun::DoneHandler done)
    : m_options(std::move(options)), m_progress(std::move(progress)), m_done(std::move(done)), m_nodes(nodes.size()),
      m_layout(m_options, m_options.prefix + runId + ':'), m_probe(loop, nodes, stressConnection()),
      m_backend(StressBackend::make(loop, std::move(nodes), m_options, m_layout.names())),
      m_state(loop, m_layout.count(), static_cast<std::uint32_t>(stressMode(m_options, 0).capacity)), m_measurement(m_state, m_clients, *m_backend),
      m_end(loop), m_tick(loop), m_outage(loop) {
  m_state.leavesBeforeRelease = m_layout.leavesBeforeRelease();
  m_state.hold = m_options.hold;
  m_state.think = m_options.think;
  m_state.onFinished = [this] { m_tick.after(milliseconds(0), [this] { drained(); }); };
}

StressRunner::~StressRunner() {
  m_stage = Stage::Reported; // connections answer what is open when they close
  m_state.onFinished = {};
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
  const bool wasDisconnected = std::exchange(m_state.isDisconnected, state != Connection::State::Ready);
  if (m_stage == Stage::Running)
    m_measurement.noteConnection(m_state.isDisconnected);
  if (state == Connection::State::Ready)
    return onReady(wasDisconnected);
  if (!wasDisconnected)
    std::ranges::for_each(m_clients, &VirtualClient::connectionLost);
  if (state != Connection::State::Down)
    return;
  if (m_stage == Stage::Connecting)
    report(std::unexpected(*why));
  else if (m_stage == Stage::Running && !m_outage.isSet())
    m_outage.after(outageLimit, [this, error = *why]() mutable {
      error.next = LH_MESSAGE("ErrorWords", "check the server, then run this again");
      m_state.failure = std::move(error);
      end();
    });
}

void StressRunner::onReady(bool wasDisconnected) {
  m_outage.cancel();
  if (m_stage == Stage::Connecting)
    launch();
  else if (wasDisconnected)
    std::ranges::for_each(m_clients, &VirtualClient::connectionReturned);
}

void StressRunner::launch() {
  m_stage = Stage::Running;
  for (unsigned i = 0; i < m_options.clients; ++i) {
    auto resources = m_layout.of(i);
    const auto mode = stressMode(m_options, i);
    auto session = m_backend->session(resources, mode);
    if (isLatch(m_options.primitive)) // it excludes nobody; its backend counts violations
      resources.clear();
    std::optional<std::uint64_t> quota;
    if (m_options.count)
      quota = *m_options.count / m_options.clients + (i < *m_options.count % m_options.clients ? 1 : 0);
    m_clients.emplace_back(m_state, std::move(resources), mode.shared, std::move(session), quota);
  }
  m_measurement.begin();
  if (m_options.duration)
    m_end.after(*m_options.duration, [this] { end(); });
  tickLater();
  m_state.active = m_options.clients;
  for (auto &client : m_clients)
    client.start();
}

void StressRunner::tickLater() {
  m_tick.after(progressEvery, [this] {
    const auto progress = m_measurement.progress();
    if (m_progress)
      m_progress(progress);
    if (m_state.failure)
      end();
    else if (m_stage == Stage::Running)
      tickLater();
  });
}

void StressRunner::stop() {
  if (m_stage == Stage::Connecting)
    return report(fail(ErrorCode::Cancelled, LH_MESSAGE("ErrorWords", "the run was stopped before it began")));
  if (m_stage != Stage::Running)
    return;
  m_isStopped = true;
  end();
}

void StressRunner::end() {
  if (m_stage != Stage::Running)
    return;
  m_measurement.noteConnection(false);
  m_stage = Stage::Draining;
  m_state.isStopping = true;
  m_endsDisconnected = m_outage.isSet();
  m_outage.cancel();
  m_end.after(drainLimit, [this] { settled(); });
  for (auto &client : m_clients)
    client.stop();
}

// Every client has finished. What nobody waits for, such as an acquire in doubt, is not released yet.
void StressRunner::drained() {
  if (m_stage == Stage::Running)
    end();
  if (m_stage != Stage::Draining)
    return;
  m_measurement.finish();
  m_backend->whenSettled([this, alive = std::weak_ptr(m_alive)] {
    if (!alive.expired())
      settled();
  });
}

void StressRunner::settled() {
  if (m_stage != Stage::Draining)
    return;
  m_stage = Stage::Counting;
  m_measurement.finish();
  m_measurement.countCommands();
  if (!m_state.failure)
    m_state.failure = failureAtEnd();
  m_end.after(countLimit, [this] { conclude(std::nullopt); });
  askCalls([this](std::optional<std::uint64_t> calls) {
    m_probe.clear(m_backend->lasting(), [this, calls] {
      if (m_stage != Stage::Reported)
        conclude(calls);
    });
  });
}

std::optional<Error> StressRunner::failureAtEnd() const {
  // A server that hangs may still run what it has not answered, even a release that was given up when the lease ended.
  const bool mayFollow = m_state.isDisconnected && m_state.inDoubt > 0;
  if (m_state.active != 0 || !m_backend->isSettled() || mayFollow)
    return Error{ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "the node did not confirm every release"), m_probe.address(),
                 LH_MESSAGE("ErrorWords", "what is left ends with its lease")};
  if (m_endsDisconnected && m_state.isDisconnected)
    return Error{ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "the node was away when the run ended"), m_probe.address(),
                 LH_MESSAGE("ErrorWords", "the figures are of the time before")};
  if (m_state.pairs == 0 && !m_isStopped)
    return Error{ErrorCode::Timeout, LH_MESSAGE("ErrorWords", "no client had the lock and gave it back in the time of the run"), m_probe.address(),
                 m_options.acknowledge.isWanted()
                     ? LH_MESSAGE("ErrorWords", "see in INFO replication of the node that it has so many replicas, or run it for longer")
                     : LH_MESSAGE("ErrorWords", "run it for longer")};
  return std::nullopt;
}

void StressRunner::conclude(std::optional<std::uint64_t> calls) {
  if (m_state.failure && m_state.pairs == 0)
    report(std::unexpected(*m_state.failure));
  else
    report(summary(calls));
}

void StressRunner::askCalls(StressProbe::Handler done) {
  m_probe.ask([this, done = std::move(done)](std::optional<std::uint64_t> calls) mutable {
    if (m_stage != Stage::Reported)
      done(calls);
  });
}

StressReport StressRunner::summary(std::optional<std::uint64_t> calls) {
  StressReport report;
  report.options = m_options;
  report.nodes = m_nodes;
  report.stripesUsed = m_layout.stripesUsed();
  m_measurement.fill(report, m_callsBefore, calls);
  report.stopped = m_isStopped;
  report.failure = m_state.failure;
  return report;
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
