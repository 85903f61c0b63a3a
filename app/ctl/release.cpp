// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/json.h"
#include "app/ctl/key_owners.h"
#include "app/ctl/lock_text.h"
#include "app/ctl/members_left.h"
#include "app/ctl/node_failure.h"
#include "app/ctl/release_many.h"
#include "app/ctl/session.h"
#include "app/ctl/signal_wait.h"
#include "app/ctl/verbs.h"

#include "core/base/safe_text.h"
#include "core/client/operator.h"
#include "core/release/hold_back.h"
#include "core/release/holds_of.h"
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
  text += fmt::format("  expects  {}, count {}; anything else is refused\n", keyWords(plan.expectHolder), plan.expectCount);
  for (const auto &effect : plan.effects)
    text += fmt::format("  then     {}\n", effect.words);
  for (const auto &part : plan.parts)
    text += fmt::format("  besides  {} on {} db {}: {}\n", part.script->name, safeText(part.lock.node.bytes()), part.lock.db, keyWords(part.keys.front()));
  if (plan.next)
    text += fmt::format("  next     {}\n", keyWords(*plan.next));
  for (const auto &risk : plan.risks)
    text += fmt::format("  risk     {}\n", risk);
  return text;
}

std::string fenceText(const ReleaseResult &result) {
  const auto fence = fenceSeen(result);
  return fence ? fmt::format("  fence    {0}; give --fence {0} with --apply, and who has acquired it again by then keeps it\n", fence->value) : std::string();
}

std::string whatWhere(const ReleaseResult &result) {
  return fmt::format("{} on {} db {}", keyWords(result.lock.key.bytes(), 80), safeText(result.lock.node.bytes()), result.lock.db);
}

bool isRefused(const ReleaseResult &result) { return result.verdict && !isAsAsked(result.verdict); }

// What was refused goes to standard error when it is all there is to say.
std::string resultsText(std::span<const ReleaseResult> results) {
  std::string text;
  for (const auto &result : results) {
    if (results.size() == 1 && isRefused(result))
      continue;
    if (result.plan && !result.verdict)
      text += fmt::format("{}: nothing has been changed; this is what --apply would do.\n{}", whatWhere(result), planText(*result.plan)) + fenceText(result);
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

std::string nothingMeant(const Arguments &arguments, const LockSnapshot &snapshot, bool isAllRead) {
  const auto isDoubtful = [&](const LockRecordPtr &lock) { return lock->isDoubtful() && arguments.holder && !holdsOf(*lock, arguments.holder).empty(); };
  if (const auto lock = std::ranges::find_if(snapshot.locks, isDoubtful); lock != snapshot.locks.end())
    return fmt::format("{} has only what looks like data, not like a lock, as {}; where you know that it is one, give that KEY with --all",
                       keyWords(*arguments.holder, 80), keyWords((*lock)->id.key.bytes(), 80));
  const bool isWhole = std::ranges::all_of(snapshot.nodes, [](const NodeStatus &node) { return node.scanComplete || node.twin; });
  const auto replica = std::ranges::find_if(snapshot.nodes, [&](const NodeStatus &node) { return node.role == "replica" && !masterOf(node, snapshot.nodes); });
  const auto copied = replica == snapshot.nodes.end()
                          ? std::string()
                          : fmt::format(", of which {} is a replica: its master may have it, look there", safeText(replica->address));
  const auto where = fmt::format("{}on {}{}", isAllRead ? "" : "of what was read ", isWhole ? "these nodes" : "the nodes that could be looked at", copied);
  if (arguments.filter)
    return fmt::format("the filter lets no hold through {}; lockhousectl list --filter shows what it means", where);
  return fmt::format("{} holds nothing {}; lockhousectl list shows who holds what", keyWords(*arguments.holder, 80), where);
}

bool isIn(const std::vector<NodeStatus> &nodes, const NodeStatus &node) {
  return std::ranges::any_of(nodes, [&node](const NodeStatus &one) { return one.id == node.id && one.db == node.db; });
}

/// The nodes of a lock that are meant, and its rows on all: with its other members or its neighbours it may be sure where its key alone is not.
struct Home {
  std::vector<NodeStatus> nodes;
  std::vector<LockRecordPtr> rows;
  double confidence() const {
    double best = 0;
    for (const auto &row : rows)
      best = std::max(best, row->members.empty() && row->alsoUnder.empty() && !row->areManyUnder ? 0 : row->confidence);
    return best;
  }
};

/// Where none that is named serves the key, the first of them, which says so.
Home homeOf(const std::string &key, Session &session, const std::vector<NodeStatus> &all, const std::vector<NodeStatus> &meant) {
  auto found = rowsOf(key, session, all);
  std::erase_if(found.nodes, [&meant](const NodeStatus &node) { return !isIn(meant, node); });
  if (found.nodes.empty())
    found.nodes = {meant.front()};
  return {std::move(found.nodes), std::move(found.locks)};
}

// Of a lock that several hold, each on masters of his own, or whose majority keeps somebody out: where this one has nothing, though he has elsewhere.
bool isFreeOf(const Home &home, const LockId &id, const std::string &holder) {
  bool isElsewhere = false, isHere = false;
  const auto isIt = [&id](const LockMember &member) { return member.node == id.node && member.db == id.db; };
  for (const auto &row : home.rows)
    if (row->sharedOn > 0 || std::ranges::any_of(row->members, isIt))
      for (const auto &hold : placedHoldsOf(*row, holder)) {
        isElsewhere |= hold.holder.id == holder;
        isHere |= hold.lock == id;
      }
  return isElsewhere && !isHere;
}

// One result for each node of its home.
std::vector<ReleaseResult> runOn(const Home &home, const Arguments &arguments, Operator &keeper, bool isApply) {
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
                               arguments.fence.transform([](std::uint64_t value) { return Fence{value}; })};
    if (node.state == NodeState::Down)
      done(downResult(node, id));
    else if (isFreeOf(home, id, *arguments.holder))
      done({id,
            home.rows.front()->family,
            {},
            Verdict::AlreadyFree,
            {},
            {},
            "already free of this holder, who holds it on other masters; whoever holds it here stays"});
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
bool mayHaveNeighbours(const Home &home, const Families &families) {
  return std::ranges::any_of(home.rows, [&](const LockRecordPtr &row) { return mayShare(*row) && !mayLieUnderMore(*row, families); });
}

ReleaseResults runAll(const Arguments &arguments, Session &session, const std::vector<NodeStatus> &all, const std::vector<NodeStatus> &nodes) {
  Operator keeper(session.loop(), session.watcher(), arguments.nodes, connectionOptions(), arguments.auditPath);
  if (arguments.apply)
    keeper.unlock();
  const auto home = homeOf(arguments.key, session, all, nodes);
  const auto &families = session.watcher().families();
  const auto isHeard = [&families](const LockRecordPtr &row) { return isKnownByListeners(*row, families); }; // at a replica, maybe: see Operator
  if ((!arguments.apply && mayHaveNeighbours(home, families)) || std::ranges::any_of(home.rows, isHeard))
    session.awaitSweep(neighbourPatience);
  const bool isAlone = home.nodes.size() == 1;
  auto results = runOn(home, arguments, keeper, arguments.apply && isAlone);
  if (!isAlone)
    holdBack(results, nodes);
  if (arguments.apply && !isAlone && !settleHeldBack(results))
    results = runOn(home, arguments, keeper, true);
  tellWhatIsLeft(results, home.rows, all);
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
      result.detail += fmt::format(": it lies beside {}, as its {}; release that lock", keyWords(owners.front()->id.key.bytes(), 80), role);
}

// Of one that looks like a lock itself; empty: it lies beside none.
std::string besideWords(const std::string &key, Session &session, const std::vector<NodeStatus> &nodes) {
  const bool isOwn = !mayLieBeside(key, session.watcher().families());
  const auto owner = isOwn ? std::nullopt : lockBeside(key, session, nodes, rowsOf(key, session, nodes).locks);
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
  const auto unseen = unseenWords(*nodes);
  const auto unswept = arguments.many ? firstUnswept(*nodes) : std::nullopt;
  const auto tellUnseen = [&](bool isLast) { // of the nodes; the first that was not looked at is told last, as what failed
    for (const auto &words : std::span(unseen).subspan(isLast ? 1 : 0))
      output.note(words);
  };
  if (const auto doubt = arguments.filter ? arguments.filter->doubt(snapshot->locks) : std::string(); !doubt.empty()) {
    tellUnseen(unswept.has_value());
    return output.failed(unswept ? unswept->code : ExitCode::Refused, "--filter: " + doubt + (unswept ? "; " + unswept->sentence : ""));
  }
  if (auto bytes = arguments.many && arguments.holder ? holderShownAs(snapshot->locks, *arguments.holder) : std::nullopt)
    arguments.holder = std::move(bytes);
  if (arguments.many && !arguments.filter && namesNobody(*arguments.holder))
    return output.failed(ExitCode::Refused,
                         fmt::format("{} is a mark and names nobody: the locks that carry it have no holder in common; release each by its KEY, "
                                     "or those of a --filter",
                                     keyWords(*arguments.holder, 80)));
  auto intents = arguments.many ? manyIntents(arguments, *snapshot, *nodes) : std::vector<ReleaseIntent>();
  const auto hiding = arguments.many ? hidingLocks(arguments, *snapshot, *nodes) : std::vector<LockRecordPtr>();
  const auto failedWithNothing = [&] {
    const bool isAllRead = hiding.empty() && std::ranges::none_of(*nodes, [](const NodeStatus &node) { return node.keysRefused + node.keysCut > 0; });
    tellUnseen(unswept.has_value());
    auto warnings = unreadWords(arguments, hiding, {});
    for (const auto &words : warnings)
      output.note(words);
    const auto nothing = nothingMeant(arguments, *snapshot, isAllRead);
    warnings.push_back(nothing);
    if (arguments.json)
      output.put(oneLine(releaseJson({}, SteadyClock::now(), {}, *nodes, warnings)), &untilDone);
    return output.failed(unswept ? unswept->code : ExitCode::Refused, nothing + (unswept ? "; " + unswept->sentence : ""));
  };
  if (arguments.many && intents.empty())
    return failedWithNothing();
  if (!arguments.many)
    if (const auto beside = besideWords(arguments.key, session, *nodes); !beside.empty()) {
      if (arguments.json)
        output.put(oneLine(releaseJson({}, SteadyClock::now(), {}, *nodes, std::array{beside})), &untilDone);
      return output.failed(ExitCode::Refused, beside);
    }
  const auto runOne = arguments.holder ? runAll : runUnnamed;
  auto run =
      arguments.many ? runMany(arguments, session, std::move(intents), output, untilDone) : runOne(arguments, session, *chosenNodes(*snapshot, {}), *nodes);
  auto &results = run.results;
  if (results.empty() && !arguments.many)
    return output.failed(ExitCode::Usage, needsHolder(arguments.verb) + "; see lockhousectl --help");
  if (arguments.many)
    tellWhatIsLeft(results, snapshot->locks, snapshot->nodes);
  else
    nameOwners(results, arguments.key, session, *nodes);
  if (results.empty())
    return failedWithNothing();
  const auto code = exitCodeOf(results);
  const auto seen = lastSeen(*nodes, results, session);
  const bool isLeft = unswept && code == ExitCode::Done; // told last, as what failed
  if (arguments.many)
    tellUnseen(isLeft);
  for (const auto &words : arguments.many ? lostWords(*nodes, seen) : std::vector<std::string>())
    output.note(words);
  auto warnings = arguments.many ? unreadWords(arguments, hiding, run.unread) : std::vector<std::string>();
  for (const auto &words : warnings)
    output.note(words);
  if (!run.auditTrouble.empty()) {
    output.note("warning: " + run.auditTrouble);
    warnings.push_back(run.auditTrouble);
  }
  const auto text = [&] { return arguments.many ? manyText(run, arguments, output.colour()) : resultsText(results); };
  untilDone.heeded(); // a stop ends the release, not what is told of it
  output.put(arguments.json ? oneLine(releaseJson(results, SteadyClock::now(), run.unread, seen, warnings)) : text(), &untilDone);
  if (isLeft)
    return output.failed(unswept->code, unswept->sentence);
  if (code == ExitCode::Done)
    return arguments.apply && !run.unread.empty() ? ExitCode::Refused : code; // a part of what was meant is not all of it
  const auto refused = std::ranges::find_if(results, [code](const ReleaseResult &one) { return isRefused(one) && exitCodeOf(std::span(&one, 1)) == code; });
  for (const auto &result : std::span(results).first(arguments.many ? 0 : results.size())) // each node that is not told last
    if (result.verdict == Verdict::Unreachable && &result != &*refused)
      output.note(fmt::format("{}: {}", whatWhere(result), result.detail));
  const auto *again = refused->now && refused->now->isDoubtful() ? "; look again with lockhousectl show --all" : "; look again with lockhousectl show";
  return output.failed(
      code, fmt::format("{}: {}{}", whatWhere(*refused), refused->detail, code == ExitCode::Refused && refused->verdict != Verdict::ReadOnly ? again : ""));
}

} // namespace lockhouse::ctl
