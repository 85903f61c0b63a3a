// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/stress/lock_layout.h"
#include "core/lab/stress/stress_probe.h"
#include "core/lab/workload/stress_backend.h"
#include "core/lab/workload/virtual_client.h"

#include <deque>
#include <memory>
#include <string>

namespace lockhouse {

/// One stress run from its connections to its report: counts the server's calls, starts the virtual clients, ends them in time,
/// waits until everything is given back. Built, used and destroyed on `loop`.
class StressRunner {
public:
  /// `options` as completed(); `runId` makes the keys this run's own. `done` is called exactly once, within drainLimit and countLimit of the
  /// end.
  StressRunner(Loop &loop, std::vector<Uri> nodes, StressOptions options, std::string runId, StressRun::ProgressHandler progress, StressRun::DoneHandler done);
  ~StressRunner();
  StressRunner(const StressRunner &) = delete;
  StressRunner &operator=(const StressRunner &) = delete;

  void begin();
  void stop(); ///< by somebody's wish, not by the run's own end

private:
  enum class Stage { Connecting, Running, Draining, Counting, Reported };

  void onOpened(const Result<void> &opened);
  void onBackend(Connection::State state, const Error *why);
  void onReady(bool wasAway);
  void launch();
  void tickLater();
  void tick();
  void noteAway(bool away);
  void end();
  void drained();
  void settled();
  void askCalls(StressProbe::Handler done);
  void conclude(std::optional<std::uint64_t> calls);
  std::uint64_t violations() const;
  StressReport summary(std::optional<std::uint64_t> calls);
  void report(Result<StressReport> result);

  Loop &m_loop;
  const StressOptions m_options;
  const std::string m_runId;
  StressRun::ProgressHandler m_progress;
  StressRun::DoneHandler m_done;
  const std::size_t m_nodes;
  const LockLayout m_cells;
  StressProbe m_probe;
  std::unique_ptr<StressBackend> m_backend;
  StressFloor m_floor;
  std::deque<VirtualClient> m_clients;
  Timer m_end;
  Timer m_tick;
  Timer m_outage;
  std::optional<SteadyTime> m_awaySince;
  SteadyClock::duration m_timeAway{};
  bool m_endedAway = false; // a new connection had failed, and none had come since
  Stage m_stage = Stage::Connecting;
  Histogram m_waits;
  SteadyTime m_began{}, m_ticked{}, m_finished{};
  std::uint64_t m_tickedPairs = 0, m_commandsBefore = 0, m_commands = 0;
  std::optional<std::uint64_t> m_callsBefore;
  bool m_stopped = false;
  std::shared_ptr<char> m_alive = std::make_shared<char>(); // for tasks that the loop may still hold when this has ended
};

} // namespace lockhouse
