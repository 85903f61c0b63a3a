// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/workload/stress_options.h"

#include <functional>
#include <memory>
#include <vector>

namespace lockhouse {

/// The state of a run, about ten times a second.
struct StressProgress {
  double seconds = 0;
  std::uint64_t pairs = 0;
  double pairsPerSecond = 0;                       ///< over the last interval
  std::chrono::nanoseconds waitP50{0}, waitP99{0}; ///< over the last interval
  unsigned waiting = 0;                            ///< clients that wait for the lock now
  std::uint64_t perClientMin = 0;                  ///< of the client with the fewest
  std::uint64_t violations = 0, inDoubt = 0, lost = 0;
};

struct StressReport {
  StressOptions options;
  std::size_t nodes = 1;
  std::size_t stripesUsed = 0; ///< stripes of a StripedLock that its keys used
  double seconds = 0;
  double secondsAway = 0;  ///< without a connection to the node
  std::uint64_t pairs = 0; ///< completed acquire + release
  std::chrono::nanoseconds acquireP50{0}, acquireP99{0}, acquireMax{0};
  double commandsPerPair = 0;               ///< sent by this run
  std::optional<double> serverCallsPerPair; ///< difference of INFO commandstats, with calls in scripts; nothing if INFO is refused
  std::uint64_t perClientMin = 0, perClientMax = 0;
  std::uint64_t violations = 0; ///< how often a client entered while another was inside, by a check in this process; of a latch see StressRun
  std::uint64_t inDoubt = 0, lost = 0;
  bool stopped = false;         ///< ended by stop()
  std::optional<Error> failure; ///< why the run ended early, or what was not confirmed at its end
};

/// One stress run on a loop thread of its own. It ends by itself or by stop(). It releases every lock before it reports, so that no key is left.
/// Handlers run on its loop thread and must not destroy it.
///
/// Redis: one connection for all clients with the commands of the primitive, a second one that subscribes if the policy waits by pub/sub, and one
/// for INFO commandstats before and after; with a RedLock these at each node. Each client of a MultiLock takes three names in an order of its own;
/// with shared keys they overlap with its neighbours'. With readers (Primitive::hasReaders) every tenth client is a writer; with permits four
/// clients may be inside.
/// StripedLock and FallbackLock are used as by a user of the library, made of Mutexes, by a Client with a loop of its own. A holder of a StripedLock
/// must be alone on its key and on its stripe: both are checked. A FallbackLock waits on a thread, 64 clients at a time; it never falls back.
/// The clients of a CountDownLatch's key meet, round by round, each round with a latch of its own. A pair is one count down and one wait that ended
/// open. The client that closed the latch counts it down last, so that the others wait. A violation is a client that goes on before all have
/// counted down, a second client that closes the latch, a count that is not one less than the one before, or a latch that leaves its key. An outage
/// ends a round: its clients are in doubt, and it starts again. The lease means nothing.
/// Keys: `prefix`, eight random hex digits, ':' and a number; then ":stripe:" and a number with a StripedLock, ':' and a number with a
/// CountDownLatch.
/// An outage may last three seconds: open calls are in doubt, and what the server forgot is lost. After that, and after a refusal that a retry
/// cannot cure (no permission, wrong type, out of memory), the run ends. Its report has what was counted until then and the failure. A run
/// without a pair ends with the Error alone.
/// Not promised: serverCallsPerPair also counts commands of other clients on the same server. A server that comes back with older data may keep a
/// latch: it has no expiry.
class StressRun {
public:
  using ProgressHandler = std::move_only_function<void(const StressProgress &)>;
  using DoneHandler = std::move_only_function<void(Result<StressReport>)>;

  /// Errors: those of completed() and checkNodes(). An unreachable node is reported to `done`, which is called exactly once.
  static Result<std::unique_ptr<StressRun>> start(std::vector<Uri> nodes, StressOptions options, ProgressHandler progress, DoneHandler done);
  static Result<std::unique_ptr<StressRun>> start(Uri node, StressOptions options, ProgressHandler progress, DoneHandler done);
  ~StressRun(); ///< stop(), then waits for the end. Not from a handler.
  /// Ends the run: cancels waits, releases holds, and calls `done` after two seconds at the latest. Any thread, idempotent.
  void stop();

private:
  class Core;
  explicit StressRun(std::unique_ptr<Core> core);
  std::unique_ptr<Core> m_core;
};

} // namespace lockhouse
