// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/json.h"
#include "app/ctl/key_owners.h"
#include "app/ctl/lock_text.h"
#include "app/ctl/node_failure.h"
#include "app/ctl/release_many.h"
#include "app/ctl/session.h"
#include "app/ctl/signal_wait.h"
#include "app/ctl/verbs.h"

#include "core/base/safe_text.h"
#include "core/client/operator.h"
#include "core/release/hold_back.h"
#include "core/release/holds_of.h"
#include "core/watch/member_fold.h"
#include "core/watch/replica_fold.h"
#include "core/watch/shared_holders.h"

#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <memory>

namespace lockhouse::ctl {
namespace {

std::string planText(const ReleasePlan &plan) {
  std::string text = fmt::format("  script   {}\n", plan.script->name);
  for (const auto &key : plan.keys)
    text += fmt::format("  key      {}\n", keyWords(key));
  text += fmt::format("  expects  {}, count {}; anything else is refused\n", safeText(plan.expectHolder), plan.expectCount);
  for (const auto &effect : plan.effects)
    text += fmt::format("  then     {}\n", effect.words);
  for (const auto &part : plan.parts)
    text += fmt::format("  besides  {} on {} db {}: {}\n", part.script->name, safeText(part.lock.node.bytes()), part.lock.db, keyWords(part.keys.front()));
  if (plan.next)
    text += fmt::format("  next     {}\n", safeText(*plan.next));
  for (const auto &risk : plan.risks)
    text += fmt::format("  risk     {}\n", risk);
  return text;
}

std::string whatWhere(const ReleaseResult &result) {
  return fmt::format("{} on {} db {}", keyWords(result.lock.key.bytes(), 80), safeText(result.lock.node.bytes()), result.lock.db);
}

bool isRefused(const ReleaseResult &result) {
  const auto isDone = [](Verdict verdict) { return verdict == Verdict::Released || verdict == Verdict::Shortened || verdict == Verdict::Kept; };
  return result.verdict && !isDone(*result.verdict);
}

// What was refused goes to standard error when it is all there is to say.
std::string resultsText(std::span<const ReleaseResult> results) {
  std::string text;
  for (const auto &result : results) {
    if (results.size() == 1 && isRefused(result))
      continue;
    if (result.plan && !result.verdict)
      text += fmt::format("{}: nothing has been changed; this is what --apply would do.\n{}", whatWhere(result), planText(*result.plan));
    else
      text += fmt::format("{}: {}\n", whatWhere(result), result.detail);
    if (!result.auditId.empty())
      text += fmt::format("  audit    {}\n", result.auditId);
  }
  return text;
}

ReleaseResult downResult(const NodeStatus &node, const LockId &id) {
  const auto error = node.error.value_or(Error{ErrorCode::Unreachable, "not reachable", node.address, "start the server or check --url"});
  const bool refused = exitCodeOf(error) == ExitCode::NotAllowed;
  return {id, {}, {}, refused ? Verdict::NotAllowed : Verdict::Unreachable, {}, {}, error.sentence()};
}

std::string nothingMeant(const Arguments &arguments, const LockSnapshot &snapshot) {
  const auto isDoubtful = [&](const LockRecordPtr &lock) {
    return lock->confidence < shownConfidence && arguments.holder && !holdsOf(*lock, arguments.holder).empty();
  };
  if (const auto lock = std::ranges::find_if(snapshot.locks, isDoubtful); lock != snapshot.locks.end())
    return fmt::format("{} has only what looks like data, not like a lock, as {}; where you know that it is one, give that KEY with --all",
                       safeText(*arguments.holder, 80), keyWords((*lock)->id.key.bytes(), 80));
  if (arguments.filter)
    return "the filter lets no hold through on these nodes; lockhousectl list --filter shows what it means";
  return fmt::format("{} holds nothing on these nodes; lockhousectl list shows who holds what", safeText(*arguments.holder, 80));
}

/// The nodes of a lock, and how surely the row that it is on these together is one: a Redlock may be sure where none of its keys alone is.
struct Home {
  std::vector<NodeStatus> nodes;
  double confidence = 0;
};

/// Of a cluster only the masters that serve something of it; where none is named that does, the first of them, which says so. No replica of
/// what its master has.
Home homeOf(const std::string &key, Session &session, const std::vector<NodeStatus> &nodes) {
  Home home;
  std::vector<LockRecordPtr> rows;
  for (const auto &node : nodes) {
    const auto read = node.state == NodeState::Down ? Result<LockRecordPtr>() : session.read({node.id, node.db, LockName(key)});
    if (read || !isMoved(read.error()))
      home.nodes.push_back(node);
    if (read && *read)
      rows.push_back(*read);
  }
  if (home.nodes.empty())
    home.nodes = {nodes.front()};
  if (std::ranges::any_of(rows, [&](const LockRecordPtr &row) { return mayLieUnderMore(*row, session.watcher().families()); }))
    session.awaitSweep(neighbourPatience); // by which the plan names them
  std::ranges::sort(rows, {}, [](const LockRecordPtr &row) { return row->id; });
  foldReplicas(rows, nodes);
  std::erase_if(home.nodes, [&](const NodeStatus &node) {
    const auto isThere = [&](const LockRecordPtr &row) { return row->id.node == node.id && row->id.db == node.db; };
    return node.role == "replica" && masterOf(node, home.nodes) && std::ranges::none_of(rows, isThere);
  });
  foldMembers(rows, nodes);
  for (const auto &row : rows)
    home.confidence = std::max(home.confidence, row->members.empty() ? 0 : row->confidence);
  return home;
}

// One result for each node of its home.
std::vector<ReleaseResult> runOn(const Home &home, const Arguments &arguments, Operator &keeper, bool isApply) {
  std::vector<std::future<ReleaseResult>> pending;
  for (const auto &node : home.nodes) {
    const LockId id{node.id, node.db, LockName(arguments.key)};
    auto answer = std::make_shared<std::promise<ReleaseResult>>();
    pending.push_back(answer->get_future());
    const auto done = [answer](ReleaseResult result) { answer->set_value(std::move(result)); };
    const ReleaseIntent intent{id, *arguments.holder, arguments.count, arguments.reason, arguments.shortenTo, home.confidence, false, arguments.all};
    if (node.state == NodeState::Down)
      done(downResult(node, id));
    else if (isApply)
      keeper.apply(intent, done);
    else
      keeper.plan(intent, done);
  }
  std::vector<ReleaseResult> results;
  for (auto &one : pending)
    results.push_back(one.get());
  return results;
}

std::vector<ReleaseResult> runAll(const Arguments &arguments, Session &session, const std::vector<NodeStatus> &nodes) {
  Operator keeper(session.loop(), session.watcher(), arguments.nodes, connectionOptions(), arguments.auditPath);
  if (arguments.apply)
    keeper.unlock();
  const auto home = homeOf(arguments.key, session, nodes);
  if (arguments.apply && home.nodes.size() == 1)
    return runOn(home, arguments, keeper, true);
  auto planned = runOn(home, arguments, keeper, false);
  holdBack(planned, nodes);
  return !arguments.apply || settleHeldBack(planned) ? planned : runOn(home, arguments, keeper, true);
}

// Of a key that is none itself, but lies beside a lock.
void nameOwners(std::vector<ReleaseResult> &results, const std::string &key, Session &session, const std::vector<NodeStatus> &nodes) {
  if (std::ranges::none_of(results, [](const ReleaseResult &result) { return result.verdict == Verdict::NotALock && !result.now; }))
    return;
  std::vector<LockRecordPtr> owners;
  const auto role = findOwners(key, session, nodes, owners);
  for (auto &result : results)
    if (result.verdict == Verdict::NotALock && !result.now && !owners.empty())
      result.detail += fmt::format(": it lies beside {}, as its {}; release that lock", keyWords(owners.front()->id.key.bytes(), 80), role);
}

} // namespace

ExitCode runRelease(const Arguments &given, const Output &output) {
  Arguments arguments = given;
  const SignalWait untilDone; // an interrupt must not fall between the audit record and the answer; every step has a deadline
  Session session(arguments);
  const auto snapshot = session.awaitNodes(arguments.many);
  if (const auto failure = arguments.many ? noneSwept(*snapshot) : allDown(*snapshot))
    return output.failed(failure->code, failure->sentence);
  const auto nodes = chosenNodes(*snapshot, arguments.node);
  if (!nodes)
    return output.failed(nodes.error());
  if (const auto doubt = arguments.filter ? arguments.filter->doubt(snapshot->locks) : std::string(); !doubt.empty())
    return output.failed(ExitCode::Refused, "--filter: " + doubt);
  if (auto bytes = arguments.many && arguments.holder ? holderShownAs(snapshot->locks, *arguments.holder) : std::nullopt)
    arguments.holder = std::move(bytes);
  auto intents = arguments.many ? manyIntents(arguments, *snapshot, *nodes) : std::vector<ReleaseIntent>();
  if (arguments.many && intents.empty())
    return output.failed(ExitCode::Refused, nothingMeant(arguments, *snapshot));
  auto results = arguments.many ? runMany(arguments, session, std::move(intents), output, untilDone) : runAll(arguments, session, *nodes);
  if (!arguments.many)
    nameOwners(results, arguments.key, session, *nodes);
  if (results.empty())
    return output.failed(ExitCode::Refused, nothingMeant(arguments, *snapshot));
  for (const auto &hidden : arguments.many ? hiddenHolds(arguments, *snapshot) : std::vector<std::string>())
    output.note(hidden);
  const auto text = [&] { return arguments.many ? manyText(results, arguments, output.colour()) : resultsText(results); };
  untilDone.heeded(); // a stop ends the release, not what is told of it
  output.put(arguments.json ? oneLine(releaseJson(results, SteadyClock::now())) : text(), &untilDone);
  const auto code = exitCodeOf(results);
  if (code == ExitCode::Done)
    return code;
  const auto refused = std::ranges::find_if(results, isRefused);
  return output.failed(code,
                       fmt::format("{}: {}{}", whatWhere(*refused), refused->detail, code == ExitCode::Refused ? "; look again with lockhousectl show" : ""));
}

} // namespace lockhouse::ctl
