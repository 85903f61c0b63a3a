// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/stress/lock_layout.h"
#include "core/lab/stress/stress_measurement.h"
#include "core/lab/stress/stress_probe.h"

#include <deque>
#include <memory>
#include <string>

namespace lockhouse {

/// One stress run from its connections to its report: counts the server's calls, starts the virtual clients, ends them in time, and waits
/// until everything is released. Built, used and destroyed on `loop`.
class StressRunner {
public:
  /// `options` as completed(); `runId` is part of the names of the keys. `done` is called exactly once, within drainLimit and countLimit of the
  /// end.
  StressRunner(Loop &loop, std::vector<Uri> nodes, StressOptions options, const std::string &runId, StressRun::ProgressHandler progress,
               StressRun::DoneHandler done);
  ~StressRunner();
  StressRunner(const StressRunner &) = delete;
  StressRunner &operator=(const StressRunner &) = delete;

  void begin();
  void stop(); ///< before the run ends by itself

private:
  enum class Stage { Connecting, Running, Draining, Counting, Reported };

  void onOpened(const Result<void> &opened);
  void onBackend(Connection::State state, const Error *why);
  void onReady(bool wasDisconnected);
  void launch();
  void tickLater();
  void end();
  void drained();
  void settled();
  void askCalls(StressProbe::Handler done);
  void conclude(std::optional<std::uint64_t> calls);
  std::optional<Error> failureAtEnd() const;
  StressReport summary(std::optional<std::uint64_t> calls);
  void report(Result<StressReport> result);

  const StressOptions m_options;
  StressRun::ProgressHandler m_progress;
  StressRun::DoneHandler m_done;
  const std::size_t m_nodes;
  const LockLayout m_layout;
  StressProbe m_probe;
  std::unique_ptr<StressBackend> m_backend;
  StressState m_state;
  std::deque<VirtualClient> m_clients;
  StressMeasurement m_measurement;
  Timer m_end;
  Timer m_tick;
  Timer m_outage;
  bool m_endsDisconnected = false; // a reconnect had failed when the run ended, and none had worked since
  Stage m_stage = Stage::Connecting;
  std::optional<std::uint64_t> m_callsBefore;
  bool m_isStopped = false;
  std::shared_ptr<char> m_alive = std::make_shared<char>(); // tells tasks that the loop still holds whether this exists
};

} // namespace lockhouse
