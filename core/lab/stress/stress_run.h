// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/workload/stress_options.h"

#include <functional>
#include <memory>
#include <vector>

namespace lockhouse {

/// Where a run stands; taken about ten times a second.
struct StressProgress {
  double seconds = 0;
  std::uint64_t pairs = 0;
  double pairsPerSecond = 0;                       ///< over the last interval
  std::chrono::nanoseconds waitP50{0}, waitP99{0}; ///< over the last interval
  unsigned waiting = 0;                            ///< clients that want the lock now
  std::uint64_t perClientMin = 0;                  ///< pairs of the client that has the fewest
  std::uint64_t violations = 0, inDoubt = 0, lost = 0;
};

struct StressReport {
  StressOptions options;
  std::size_t nodes = 1;
  std::size_t stripesUsed = 0; ///< of a StripedLock: on how many stripes its keys were
  double seconds = 0;
  double secondsAway = 0;  ///< of them, without a connection to the node
  std::uint64_t pairs = 0; ///< completed acquire + release
  std::chrono::nanoseconds acquireP50{0}, acquireP99{0}, acquireMax{0};
  double commandsPerPair = 0;               ///< sent by this run
  std::optional<double> serverCallsPerPair; ///< INFO commandstats difference, calls inside scripts too; nothing if INFO is refused
  std::uint64_t perClientMin = 0, perClientMax = 0;
  std::uint64_t violations = 0; ///< times a client entered while another was inside, counted by a real check in this process; of a latch: see StressRun
  std::uint64_t inDoubt = 0, lost = 0;
  bool stopped = false;         ///< ended by stop(), not by its own end
  std::optional<Error> failure; ///< what ended the run before its time, or was not confirmed at its end
};

/// One stress run on a loop thread of its own. Ends by itself or by stop(); every lock it took is released before it reports,
/// so that it leaves no key. Handlers run on the run's loop thread and must not destroy the run.
///
/// Redis: one connection for all clients (a second, subscribed one where the policy waits by pub/sub) with what the primitive
/// sends, and one connection for INFO commandstats before and after; of a RedLock so at each of its nodes. A client of a MultiLock
/// takes three names at once, which overlap with its neighbours' where keys are shared, and names them in an order of its own. Of a
/// primitive with readers (Primitive::hasReaders) every tenth client is a writer, the others read; one with permits lets four in.
/// StripedLock and FallbackLock are run as a user of the library has them, made of Mutexes, by a Client with a loop of its own. Who has a
/// key of a StripedLock must be alone on its key and on its stripe: both are looked at. A FallbackLock waits on a thread, 64 of its
/// clients at a time; it is run in Redis and does not fall back.
/// Of a CountDownLatch the clients of a key meet, round by round, each with a latch of its own: a pair is one count down and one wait that
/// ended open; who has closed the latch counts it down last, so that the others wait. A violation: somebody goes on before all have
/// counted down, more than one closes it, a count is not one less than the one before, a latch leaves its key. A round that an outage
/// touched is given up, its clients are in doubt, and it is begun anew; the lease means nothing.
/// Keys: `prefix`, eight random hex digits, ':' and a number; of a StripedLock then ":stripe:" and another, of a CountDownLatch ':' and
/// another.
/// A lost connection is borne for three seconds: what was unanswered is in doubt, what the server forgot is lost. After that, and
/// on a refusal that asking again cannot cure (no permission, wrong type, out of memory), the run ends; its report keeps what was
/// counted until then and names the failure. A run that got no pair done ends with the Error alone.
/// Not promised: that serverCallsPerPair is the run's alone; another client's commands on the same server are counted too. That a
/// server which comes back with older data in mid-run has no latch of then: it has no expiry.
class StressRun {
public:
  using ProgressHandler = std::move_only_function<void(const StressProgress &)>;
  using DoneHandler = std::move_only_function<void(Result<StressReport>)>;

  /// Errors: those of completed() and checkNodes(). An unreachable node is reported to `done`, which is called exactly once.
  static Result<std::unique_ptr<StressRun>> start(std::vector<Uri> nodes, StressOptions options, ProgressHandler progress, DoneHandler done);
  static Result<std::unique_ptr<StressRun>> start(Uri node, StressOptions options, ProgressHandler progress, DoneHandler done);
  ~StressRun(); ///< stop(), and waits for the end. Not from a handler.
  /// Ends the run: waiters give up, holds are released, `done` is called, at the latest after two seconds. Any thread, idempotent.
  void stop();

private:
  class Core;
  explicit StressRun(std::unique_ptr<Core> core);
  std::unique_ptr<Core> m_core;
};

} // namespace lockhouse
