// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/members_left.h"
#include "app/ctl/cli/node_failure.h"
#include "app/ctl/cli/signal_wait.h"
#include "app/ctl/session/key_owners.h"
#include "app/ctl/session/lock_home.h"
#include "app/ctl/session/session.h"
#include "app/ctl/text/json.h"
#include "app/ctl/text/lock_text.h"
#include "app/ctl/text/release_text.h"
#include "app/ctl/verbs/release_many.h"
#include "app/ctl/verbs/verbs.h"

#include "core/client/release/release_service.h"
#include "core/release/check/majority_guard.h"
#include "core/release/plan/hold_selection.h"
#include "core/watch/fleet/replica_merge.h"
#include "core/watch/fleet/shared_tokens.h"

#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <memory>

namespace lockhouse::ctl {
namespace {

ReleaseResult downResult(const NodeStatus &node, const LockId &id) {
  const auto error = node.error.value_or(
      Error{ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "not reachable"), node.address, LH_MESSAGE("ErrorWords", "start the server or check --url")});
  const bool refused = exitCodeOf(error) == ExitCode::NotAllowed;
  return {id, {}, {}, refused ? Verdict::NotAllowed : Verdict::Unreachable, {}, {}, error.message()};
}

// One result for each node of its home.
std::vector<ReleaseResult> runOn(const Home &home, const Arguments &arguments, ReleaseService &keeper, bool isApply) {
  std::vector<std::future<ReleaseResult>> pending;
  for (const auto &node : home.nodes) {
    const LockId id{node.id, node.db, LockName(arguments.key)};
    auto answer = std::make_shared<std::promise<ReleaseResult>>();
    pending.push_back(answer->get_future());
    const auto done = [answer](ReleaseResult result) { answer->set_value(std::move(result)); };
    const ReleaseIntent intent{id,
                               *arguments.holder,
                               arguments.count,
                               arguments.reason,
                               arguments.shortenTo,
                               home.confidence(),
                               false,
                               arguments.all,
                               arguments.fence.transform([](std::uint64_t value) { return Fence{value}; }),
                               arguments.time,
                               arguments.type};
    if (node.state == NodeState::Down)
      done(downResult(node, id));
    else if (isFreeOf(home, id, *arguments.holder))
      done({id,
            home.rows.front()->family,
            {},
            Verdict::AlreadyFree,
            {},
            {},
            Message::verbatim("already free of this holder, who holds it on other masters; whoever holds it here stays")});
    else if (isApply)
      keeper.apply(intent, done);
    else
      keeper.plan(intent, done);
  }
  std::vector<ReleaseResult> results;
  for (auto &one : pending) {
    results.push_back(one.get());
    results.back().holder = *arguments.holder;
  }
  return results;
}

// Its plan names its holder's other keys, which only a look at all of the database finds; of some libraries that look was awaited before.
bool mayHaveNeighbours(const Home &home, const FamilyRegistry &families) {
  return std::ranges::any_of(home.rows, [&](const LockRecordPtr &row) { return mayShare(*row) && !mayLieUnderMore(*row, families); });
}

ReleaseResults runAll(const Arguments &arguments, Session &session, const std::vector<NodeStatus> &all, const std::vector<NodeStatus> &nodes) {
  ReleaseService keeper(session.loop(), session.watcher(), arguments.nodes, connectionOptions(), arguments.auditPath);
  if (arguments.apply)
    keeper.unlock();
  const auto home = homeOf(arguments.key, session, all, nodes);
  const auto &families = session.watcher().families();
  const auto isHeard = [&families](const LockRecordPtr &row) { return isKnownByListeners(*row, families); }; // at a replica, maybe: see ReleaseService
  if ((!arguments.apply && mayHaveNeighbours(home, families)) || std::ranges::any_of(home.rows, isHeard))
    session.awaitScan(neighbourPatience);
  const bool isAlone = home.nodes.size() == 1;
  auto results = runOn(home, arguments, keeper, arguments.apply && isAlone);
  if (!isAlone)
    guardMajority(results, nodes);
  if (arguments.apply && !isAlone && !settleMajority(results))
    results = runOn(home, arguments, keeper, true);
  tellWhatIsLeft(results, home.rows, home.asked);
  return {std::move(results), {}, keeper.auditTrouble()};
}

// Of a lock that keeps no holders what can be done instead is told without one being named; nothing where it is a holder's matter.
ReleaseResults runUnnamed(const Arguments &arguments, Session &session, const std::vector<NodeStatus> &all, const std::vector<NodeStatus> &nodes) {
  auto unnamed = arguments;
  unnamed.holder.emplace();
  unnamed.apply = false;
  auto results = runAll(unnamed, session, all, nodes).results;
  const auto isOfHolder = [](const ReleaseResult &result) { return !result.verdict || result.verdict == Verdict::Changed; };
  const bool isNobodys = std::ranges::find(results, Verdict::Unreleasable, &ReleaseResult::verdict) != results.end();
  return {isNobodys && std::ranges::none_of(results, isOfHolder) ? std::move(results) : std::vector<ReleaseResult>(), {}};
}

// Of a key that is none itself, but lies beside a lock.
void nameOwners(std::vector<ReleaseResult> &results, const std::string &key, Session &session, const std::vector<NodeStatus> &nodes) {
  if (std::ranges::none_of(results, [](const ReleaseResult &result) { return result.verdict == Verdict::NotALock && !result.now; }))
    return;
  std::vector<LockRecordPtr> owners;
  const auto role = findOwners(key, session, nodes, owners);
  for (auto &result : results)
    if (result.verdict == Verdict::NotALock && !result.now && !owners.empty())
      result.detail = Message::verbatim(result.detail.english() +
                                        fmt::format(": it lies beside {}, as its {}; release that lock", keyWords(owners.front()->id.key.bytes(), 80), role));
}

// Of one that looks like a lock itself; empty: it lies beside none.
std::string companionWords(const std::string &key, Session &session, const std::vector<NodeStatus> &nodes) {
  const bool isOwn = !mayBeCompanion(key, session.watcher().families());
  const auto owner = isOwn ? std::nullopt : lockOfCompanion(key, session, nodes, rowsOf(key, session, nodes).locks);
  return owner ? fmt::format("{} is no lock itself: it lies beside {}, as its {}; release that lock", keyWords(key, 80),
                             keyWords(owner->locks.front()->id.key.bytes(), 80), owner->role)
               : std::string();
}

// A node is lost in the moment in which its answers fail to come; the watcher tells of it a little later.
std::vector<NodeStatus> lastSeen(const std::vector<NodeStatus> &nodes, std::span<const ReleaseResult> results, Session &session) {
  constexpr milliseconds patience(500);
  std::vector<LockId> unreachable;
  for (const auto &result : results)
    if (result.verdict == Verdict::Unreachable &&
        std::ranges::none_of(unreachable, [&](const LockId &id) { return id.node == result.lock.node && id.db == result.lock.db; }))
      unreachable.push_back(result.lock);
  return asLastSeen(nodes, *session.awaitLoss(unreachable, patience));
}

/// What is told of a run besides its results.
struct Told {
  Arguments arguments;
  const Output &output;
  const SignalWait &untilDone;
  std::vector<NodeStatus> nodes; ///< that are meant, as they were before
  std::vector<std::string> unseen = {};
  std::optional<NodeFailure> unswept = {}; ///< of many
  std::vector<LockRecordPtr> hiding = {}, doubtful = {};
  std::vector<std::string> warnings = {};

  /// Of the nodes; what `unswept` says is told last, as what failed.
  void tellUnseen(bool isLast) const {
    for (const auto &words : unseen)
      if (!isLast || words != unswept->sentence)
        output.note(words);
  }
  void warn(std::vector<std::string> words) {
    for (auto &one : words) {
      output.note(one);
      warnings.push_back(std::move(one));
    }
  }
  void noteUnwatched(std::string words) {
    warnings.push_back(words);
    unseen.insert(unswept ? unseen.end() : unseen.begin(), words);
    if (!unswept)
      unswept = NodeFailure{ExitCode::Unreachable, std::move(words)};
  }
  ExitCode failed(const std::string &sentence) const {
    return output.failed(unswept ? unswept->code : ExitCode::Refused, sentence + (unswept ? "; " + unswept->sentence : ""));
  }
  /// There are no results, and this is why.
  ExitCode failedWithout(const std::string &why) {
    warnings.push_back(why);
    if (arguments.json)
      output.put(oneLine(releaseJson({}, SteadyClock::now(), {}, nodes, warnings)), &untilDone);
    return failed(why);
  }
};

ExitCode toldNothing(Told &told, const LockSnapshot &snapshot) {
  const bool isAllRead =
      told.hiding.empty() && std::ranges::none_of(told.nodes, [](const NodeStatus &node) { return node.keysRefused + node.keysCut > 0 || node.slotsMoved; });
  told.tellUnseen(told.unswept.has_value());
  told.warn(unreadWords(told.arguments, told.hiding, {}));
  return told.failedWithout(nothingMeant(told.arguments, snapshot, isAllRead, told.doubtful));
}

ExitCode endOf(const Told &told, const ReleaseResults &run, ExitCode code) {
  if (code == ExitCode::Done)
    return told.arguments.apply && !run.unread.empty() ? ExitCode::Refused : code; // a part of what was meant is not all of it
  const auto isIt = [code](const ReleaseResult &one) { return isRefused(one) && exitCodeOf(std::span(&one, 1)) == code; };
  const auto isMoreThanFree = [&](const ReleaseResult &one) { return isIt(one) && one.verdict != Verdict::AlreadyFree; };
  auto refused = std::ranges::find_if(run.results, isMoreThanFree);
  if (refused == run.results.end())
    refused = std::ranges::find_if(run.results, isIt);
  if (refused == run.results.end())
    return told.output.failed(code, unrecordedWords(run.results));
  if (const auto words = unrecordedWords(run.results); !words.empty())
    told.output.note(words);
  for (const auto &result : std::span(run.results).first(told.arguments.many ? 0 : run.results.size())) // each node that is not told last
    if (result.verdict == Verdict::Unreachable && &result != &*refused)
      told.output.note(fmt::format("{}: {}", whatWhere(result), result.detail.english()));
  const auto *again = refused->now && refused->now->isDoubtful() ? "; look again with lockhousectl show --all" : "; look again with lockhousectl show";
  const bool isWorthALook = code == ExitCode::Refused && refused->verdict != Verdict::ReadOnly;
  return told.output.failed(code, fmt::format("{}: {}{}", whatWhere(*refused), refused->detail.english(), isWorthALook ? again : ""));
}

ExitCode toldAll(Told &told, const ReleaseResults &run, Session &session) {
  const auto &arguments = told.arguments;
  const auto &output = told.output;
  const auto code = exitCodeOf(run.results);
  const auto seen = lastSeen(told.nodes, run.results, session);
  const bool isLeft = told.unswept && code == ExitCode::Done; // told last, as what failed
  told.tellUnseen(isLeft);
  for (const auto &words : arguments.many ? lostWords(told.nodes, seen) : std::vector<std::string>())
    output.note(words);
  told.warn(unreadWords(arguments, told.hiding, run.unread));
  if (auto words = doubtfulLeft(arguments, told.doubtful); !words.empty())
    told.warn({std::move(words)});
  if (!run.auditTrouble.empty()) {
    output.note("warning: " + run.auditTrouble.english());
    told.warnings.push_back(run.auditTrouble.english());
  }
  if (const auto words = unrecordedWords(run.results); !words.empty())
    told.warnings.push_back(words);
  const auto text = [&] { return arguments.many ? manyText(run, arguments, output.colour()) : resultsText(run.results); };
  told.untilDone.heeded(); // a stop ends the release, not what is told of it
  output.put(arguments.json ? oneLine(releaseJson(run.results, SteadyClock::now(), run.unread, seen, told.warnings, markTold(arguments, run.results))) : text(),
             &told.untilDone);
  return isLeft ? output.failed(told.unswept->code, told.unswept->sentence) : endOf(told, run, code);
}

ExitCode releaseMany(Told &told, Session &session, const LockSnapshot &snapshot) {
  auto &arguments = told.arguments;
  told.unseen = unseenWords(told.nodes);
  told.warnings = told.unseen;
  told.unswept = firstUnswept(told.nodes);
  if (!told.unswept && !arguments.filter) // everything of a holder
    told.unswept = firstRefused(told.nodes);
  if (auto words = arguments.node.empty() ? unwatchedWords(arguments, session) : std::string(); !words.empty())
    told.noteUnwatched(std::move(words));
  if (!arguments.filter && arguments.node.empty())
    told.warn(otherDatabasesWords(told.nodes));
  if (const auto doubt = arguments.filter ? arguments.filter->doubt(snapshot.locks, session.watcher().families()) : std::string(); !doubt.empty()) {
    told.tellUnseen(told.unswept.has_value());
    return told.failed("--filter: " + doubt);
  }
  if (auto bytes = arguments.holder ? holderShownAs(snapshot.locks, *arguments.holder) : std::nullopt)
    arguments.holder = std::move(bytes);
  if (const bool isTime = arguments.holder && isOnlyATime(*arguments.holder); !arguments.filter && (isTime || namesNobody(*arguments.holder)))
    return told.output.failed(ExitCode::Refused,
                              fmt::format("{} is a {} and names nobody: the locks that carry it have no holder in common; release each by its KEY, "
                                          "or those of a --filter",
                                          keyWords(*arguments.holder, 80), isTime ? "time" : "mark"));
  auto intents = manyIntents(arguments, snapshot, told.nodes, session.watcher().families());
  told.hiding = hidingLocks(arguments, snapshot, told.nodes, session.watcher().families());
  told.doubtful = doubtfulLocks(arguments, snapshot, told.nodes);
  if (intents.empty())
    return toldNothing(told, snapshot);
  auto run = runMany(arguments, session, std::move(intents), told.output, told.untilDone);
  if (!run.refusal.empty()) {
    told.tellUnseen(false);
    told.unswept.reset();
    return told.failedWithout(run.refusal);
  }
  tellWhatIsLeft(run.results, snapshot.locks, snapshot.nodes);
  return run.results.empty() ? toldNothing(told, snapshot) : toldAll(told, run, session);
}

ExitCode releaseOne(Told &told, Session &session, const LockSnapshot &snapshot) {
  auto &arguments = told.arguments;
  std::string companion;
  {
    const SignalWait::Suspended whileReading;
    arguments.key = keyOfWhole(meantKey(arguments, session, told.nodes), session, told.nodes);
    companion = companionWords(arguments.key, session, told.nodes);
  }
  if (!companion.empty())
    return told.failedWithout(companion);
  const auto runOne = arguments.holder ? runAll : runUnnamed;
  auto run = runOne(arguments, session, *chosenNodes(snapshot, {}), told.nodes);
  if (run.results.empty())
    return told.output.failed(ExitCode::Usage, needsHolder(arguments.verb) + "; see lockhousectl --help");
  nameOwners(run.results, arguments.key, session, told.nodes);
  return toldAll(told, run, session);
}

} // namespace

ExitCode runRelease(const Arguments &arguments, const Output &output) {
  const SignalWait untilDone; // an interrupt must not fall between the audit record and the answer; every step has a deadline
  Session session(arguments);
  const auto snapshot = [&] {
    const SignalWait::Suspended whileReading; // a sweep takes as long as the server has keys
    return session.awaitNodes(arguments.many);
  }();
  if (const auto failure = arguments.many ? noneScanned(*snapshot) : allDown(*snapshot))
    return output.failed(failure->code, failure->sentence);
  auto nodes = chosenNodes(*snapshot, arguments.node);
  if (!nodes)
    return output.failed(nodes.error());
  Told told{arguments, output, untilDone, std::move(*nodes)};
  return arguments.many ? releaseMany(told, session, *snapshot) : releaseOne(told, session, *snapshot);
}

} // namespace lockhouse::ctl
