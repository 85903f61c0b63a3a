// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/workload/latch_session.h"
#include "core/lab/workload/stress_backend.h"
#include "core/lock/primitives/redisson/count_down_latch_wait.h"

#include <deque>
#include <unordered_set>

namespace lockhouse {

/// The backend of CountDownLatch: the clients of a key go on together, round by round. Each round has a latch of its own. Loop thread only.
/// A server may lose its latches in an outage. So when the connection is lost, every round that is not known to be open is given up. Its clients are
/// in doubt and use another latch.
class LatchBackend final : public StressBackend {
public:
  using CountHandler = std::move_only_function<void(const Result<std::int64_t> &)>;
  static const CountDownLatchWait latch;

  LatchBackend(Loop &loop, Uri node, const StressOptions &options, const std::vector<LockName> &names);
  ~LatchBackend() override { m_whenSettled = {}; }

  void onState(StateHandler handler) override;
  void open() override { m_driver.open(); }
  std::uint64_t commandsSent() const override { return m_driver.commandsSent(); }
  bool isSettled() const override { return m_unanswered == 0 && m_driver.isSettled(); }
  void whenSettled(Loop::Task task) override;
  std::unique_ptr<OwnerSession> session(std::span<const std::size_t> resources, LockMode mode) override;
  std::vector<std::string> lasting() const override;
  std::uint64_t violations() const override { return m_violations; }

  // For the sessions.
  Loop &loop() { return m_loop; }
  void add(LatchSession &session) { m_sessions.insert(&session); }
  void remove(LatchSession &session) { m_sessions.erase(&session); }
  const ServerFeatures &server();
  /// `done` gets the integer of the reply, or an Error.
  void send(Command command, CountHandler done);
  std::unique_ptr<NodeSession> waiter(const LockName &name);
  /// An answer or the connection is lost: gives up the rounds that are not known to be open, and tells their clients.
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
  NodeDriver m_driver; // last: it answers what is open when it ends
};

} // namespace lockhouse
