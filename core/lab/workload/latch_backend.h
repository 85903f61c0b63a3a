// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/workload/latch_session.h"
#include "core/lab/workload/stress_backend.h"
#include "core/lock/primitives/redisson/count_down_latch_wait.h"

#include <deque>
#include <unordered_set>

namespace lockhouse {

/// The ground of CountDownLatch: the clients of a key go on together, round by round, each round with a latch of its own. Loop thread only.
/// A latch does not outlive a server that has lost its data: when the connection goes, every round that is not known to be open is given up, its
/// clients are in doubt, and meet anew at another latch.
class LatchBackend final : public StressBackend {
public:
  using CountHandler = std::move_only_function<void(const Result<std::int64_t> &)>;
  static const CountDownLatchWait gate;

  LatchBackend(Loop &loop, Uri node, const StressOptions &options, const std::vector<LockName> &names);
  ~LatchBackend() override { m_whenSettled = {}; }

  void onState(StateHandler handler) override;
  void open() override { m_driver.open(); }
  std::uint64_t commandsSent() const override { return m_driver.commandsSent(); }
  bool isSettled() const override { return m_unanswered == 0 && m_driver.isSettled(); }
  void whenSettled(Loop::Task task) override;
  std::unique_ptr<OwnerSession> session(std::span<const std::size_t> cells, LockMode mode) override;
  std::vector<std::string> lasting() const override;
  std::uint64_t violations() const override { return m_violations; }

  // For its sessions.
  Loop &loop() { return m_loop; }
  void add(LatchSession &session) { m_sessions.insert(&session); }
  void remove(LatchSession &session) { m_sessions.erase(&session); }
  const ServerFeatures &server();
  /// `done` with the integer that answers; a refusal as an Error.
  void send(Command command, CountHandler done);
  std::unique_ptr<NodeSession> waiter(const LockName &name);
  /// An answer or the connection: what is not known to be open is given up, and all who are in it are told.
  void lost(const Error &why);

private:
  void returned();
  void settle();

  Loop &m_loop;
  const StressOptions m_options;
  const std::vector<LockName> m_names;
  std::uint64_t m_violations = 0;
  std::deque<LatchRounds> m_rounds; // of each key
  std::unordered_set<LatchSession *> m_sessions;
  StateHandler m_onState;
  bool m_isReady = false;
  std::size_t m_unanswered = 0;
  Loop::Task m_whenSettled;
  NodeDriver m_driver; // last: what it still has to answer is answered when it ends
};

} // namespace lockhouse
