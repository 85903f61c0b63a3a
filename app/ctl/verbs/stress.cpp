// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/node_failure.h"
#include "app/ctl/cli/signal_wait.h"
#include "app/ctl/text/json.h"
#include "app/ctl/verbs/verbs.h"

#include "core/base/message.h"

#include <fmt/format.h>
#include <mutex>

namespace lockhouse::ctl {
namespace {

std::string stressText(const StressReport &report) {
  const auto &options = report.options;
  const bool meets = isLatch(options.primitive);
  std::string text;
  const auto row = [&text](std::string_view title, const std::string &value) { text += fmt::format("{:<20}{}\n", title, value); };
  const auto us = [](std::chrono::nanoseconds duration) { return fmt::format("{:.1f} us", static_cast<double>(duration.count()) / 1000); };
  row("primitive", fmt::format("{}, policy {}", options.primitive, options.policy));
  if (report.nodes > 1)
    row("nodes", std::to_string(report.nodes));
  row("clients", fmt::format("{} on {}", options.clients,
                             options.keys == 0 ? "keys of their own" : fmt::format("{} shared key{}", options.keys, options.keys == 1 ? "" : "s")));
  if (report.stripesUsed > 0)
    row("stripes", fmt::format("{}, the keys are on {} of them; looked at as well as the keys", options.stripes, report.stripesUsed));
  if (options.acknowledge.isWanted())
    row("acknowledged by", options.acknowledge.name() + (options.acknowledge.kind == ReplicaAck::Kind::Count ? " replicas" : " of the replicas"));
  row("ran", fmt::format("{:.2f} s{}", report.seconds, report.stopped ? ", stopped early" : ""));
  row("pairs", fmt::format("{}, {:.0f} a second", report.pairs, report.seconds > 0 ? static_cast<double>(report.pairs) / report.seconds : 0.0));
  row(meets ? "count down and wait" : "acquire", fmt::format("p50 {}, p99 {}, max {}", us(report.acquireP50), us(report.acquireP99), us(report.acquireMax)));
  row("commands a pair", fmt::format("{:.2f} sent, {} run by the server", report.commandsPerPair,
                                     report.serverCallsPerPair ? fmt::format("{:.2f}", *report.serverCallsPerPair) : "unknown number"));
  row("pairs a client", fmt::format("{} to {}", report.perClientMin, report.perClientMax));
  const auto *none = meets ? "none: nobody went on before all had counted down" : "none: nobody was inside who should not have been";
  row("violations", report.violations == 0 ? none : std::to_string(report.violations));
  row("in doubt, lost", fmt::format("{}, {}", report.inDoubt, report.lost));
  if (report.secondsAway > 0)
    row("out of reach", fmt::format("{:.2f} s without a connection to the node", report.secondsAway));
  return text;
}

/// The report on its way from the run's thread.
struct Outcome {
  std::mutex mutex;
  Result<StressReport> report = fail(ErrorCode::Internal, LH_MESSAGE("ErrorWords", "the run ended without a report"));
};

// It took nothing and leaves nothing, so it did what it was told: a report of no pairs.
ExitCode stoppedBeforeItBegan(const Arguments &arguments, const Output &output, const SignalWait &signals) {
  StressReport report;
  report.options = completed(arguments.stress).value_or(arguments.stress);
  report.nodes = arguments.nodes.size();
  report.stopped = true;
  output.put(arguments.json ? oneLine(stressJson(report)) : stressText(report), &signals);
  return ExitCode::Done;
}

} // namespace

ExitCode runStress(const Arguments &arguments, const Output &output) {
  const SignalWait waiting;
  Outcome outcome;
  auto run = StressRun::start(
      arguments.nodes, arguments.stress, [](const StressProgress &) {},
      [&](Result<StressReport> report) {
        const std::scoped_lock guard(outcome.mutex);
        outcome.report = std::move(report);
        waiting.tell();
      });
  if (!run)
    return output.failed(run.error());
  if (waiting.wait() == SignalWait::Woken::Interrupted) {
    (*run)->stop();
    while (waiting.wait() != SignalWait::Woken::Told) {
      // a second signal changes nothing: what is held is being released
    }
  }
  const std::scoped_lock guard(outcome.mutex);
  const auto &report = outcome.report;
  if (!report && report.error().code == ErrorCode::Cancelled)
    return stoppedBeforeItBegan(arguments, output, waiting);
  const auto failed = [&output](const Error &error) {
    const auto failure = nodeFailure(error);
    return output.failed(failure.code, failure.sentence);
  };
  if (!report)
    return failed(report.error());
  output.put(arguments.json ? oneLine(stressJson(*report)) : stressText(*report), &waiting);
  const auto end = report->failure ? failed(*report->failure) : ExitCode::Done;
  if (report->violations > 0)
    return output.failed(ExitCode::Refused,
                         fmt::format("{} times {}", report->violations,
                                     isLatch(arguments.stress.primitive) ? "a latch was open too early, or was not closed and counted as it must be"
                                                                         : "two clients were inside the lock at once"));
  return end;
}

} // namespace lockhouse::ctl
