// SPDX-License-Identifier: Apache-2.0
#include "core/client/release/release_service_core.h"

#include "core/base/safe_text.h"
#include "core/net/address/digest.h"
#include "core/release/make_plan.h"
#include "core/release/method/cross_slot.h"
#include "core/release/method/holder_probe.h"
#include "core/release/method/lockhouse_locks.h"
#include "core/release/plan/hold_selection.h"
#include "core/release/result/script_result.h"
#include "core/release/warnings/release_warnings.h"
#include "core/watch/fleet/replica_merge.h"
#include "core/watch/fleet/shared_tokens.h"
#include "core/watch/node/subscriber_counts.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace lockhouse {
namespace {

constexpr auto byReplica =
    LH_MESSAGE("PlanWords", "this node is a replica that takes no writes, so this would be refused: the lock has to be released at its master");
constexpr auto onReplica = LH_MESSAGE("PlanWords", "this node is a replica: unless it takes writes this is refused; where it does, its master keeps the lock "
                                                   "all the same, and writes it here again when it is renewed or copied anew: release it at its master");

constexpr std::size_t mostChecked = 2'000; // records of the audit log, before the first is written

// Made anew for the queue as the server tells it, for what is read of a long one does not tell who is first.
ReleaseResult withQueue(ReleaseResult presumed, const FairLook &look, const ReleaseIntent &intent, const FamilyRegistry &families, const GoneBefore &gone) {
  if (!look.isTold)
    return presumed;
  auto shown = presumed.now;
  auto planned = planFor(std::make_shared<const LockRecord>(withLook(*shown, look, SteadyClock::now())), intent, families, gone);
  planned.now = std::move(shown);
  if (planned.plan)
    takeOutUnheard(*planned.plan, look);
  return planned;
}

const NodeStatus *homeOf(const LockId &lock, const LockSnapshot &snapshot) {
  const auto home = std::ranges::find_if(snapshot.nodes, [&lock](const NodeStatus &node) { return node.id == lock.node && node.db == lock.db; });
  return home == snapshot.nodes.end() ? nullptr : &*home;
}

// Whether a replica has it of its master, as far as can be seen: what its own clients have locked there lies there alone.
bool isCopy(const NodeStatus &home, const LockName &key, const LockSnapshot &snapshot) {
  if (home.role != "replica")
    return false;
  const auto *master = masterOf(home, snapshot.nodes);
  return !master || master->state != NodeState::Live || !master->scanComplete || snapshot.find({master->id, master->db, key});
}

} // namespace

ReleaseService::Core::Core(Loop &onLoop, Watcher &ofLocks, std::vector<Uri> nodes, ConnectionOptions options, std::string auditPath)
    : loop(onLoop), watcher(ofLocks), m_nodes(std::move(nodes)), m_options(std::move(options)), m_auditPath(std::move(auditPath)) {}

const Uri *ReleaseService::Core::uriOf(const LockId &id) const {
  const auto isHome = [&id](const Uri &uri) {
    const auto address = uri.address();
    return uri.db == id.db && (id.node.bytes() == address || id.node.bytes() == address + "/" + std::to_string(uri.db));
  };
  const auto found = std::ranges::find_if(m_nodes, isHome);
  return found == m_nodes.end() ? nullptr : &*found;
}

ReleaseConnection *ReleaseService::Lanes::of(const LockId &lock) {
  const auto [lane, isNew] = m_lanes.try_emplace({lock.node, lock.db});
  if (const Uri *uri = isNew ? m_core.uriOf(lock) : nullptr)
    lane->second = m_core.lane(*uri);
  return lane->second.get();
}

void ReleaseService::Core::record(std::vector<AuditRecord> audits, std::move_only_function<void(Result<std::vector<AuditRecord>>)> next) {
  m_files.post([this, audits = std::move(audits), next = std::move(next)]() mutable {
    auto written = append(std::move(audits));
    loop.post([next = std::move(next), written = std::move(written)]() mutable { next(std::move(written)); });
  });
}

Result<std::vector<AuditRecord>> ReleaseService::Core::append(std::vector<AuditRecord> audits) {
  if (m_audit && audits.front().subject.empty() && !m_audit->isThere()) { // what was begun there cannot end in another
    m_audit.reset();
    m_isAnother = true;
    warn(LH_MESSAGE("PlanWords",
                    "the file of the audit log was removed, renamed or replaced while it was in use: what it had is not in the one that is there now"));
  }
  if (!m_audit) {
    auto opened = AuditLog::open(m_auditPath, sha256);
    if (!opened)
      return std::unexpected(opened.error());
    if (opened->wasEmptied())
      warn(
          LH_MESSAGE("PlanWords", "the file of the audit log was there without a byte, and a new chain begins in it: records that were in it before are gone"));
    else if (auto fit = checkAudit(*opened); !fit)
      return std::unexpected(fit.error());
    m_audit.emplace(std::move(*opened));
  } else if (audits.front().subject.empty() && (m_audit->wasWrittenByOthers() || m_audit->isDamaged())) // an outcome is recorded where what was meant is
    if (auto fit = checkAudit(*m_audit); !fit)
      return std::unexpected(fit.error());
  if (const auto &subject = audits.front().subject; !subject.empty() && m_isAnother && !m_audit->contains(subject))
    return fail(ErrorCode::Storage, LH_MESSAGE("PlanWords", "what this belongs to was recorded in a log that is not the one that is there now"),
                safeText(m_auditPath));
  return m_audit->append(std::move(audits));
}

// What is not sound is told, and goes on; into a file that SQLite cannot read nothing is written, for it may not be read again.
Result<void> ReleaseService::Core::checkAudit(const AuditLog &log) {
  auto sound = log.verifyNewest(mostChecked);
  if (sound || log.isDamaged())
    return sound;
  warn(LH_MESSAGE("PlanWords", "the audit log is not sound, and goes on as it is: %1")(sound.error().message()));
  return {};
}

void ReleaseService::Core::warn(Message trouble) {
  const std::scoped_lock guard(m_troubleMutex);
  m_auditTrouble = std::move(trouble);
}

Message ReleaseService::Core::auditTrouble() const {
  const std::scoped_lock guard(m_troubleMutex);
  return m_auditTrouble;
}

void ReleaseService::Core::close() {
  const auto dropAll = [this] {
    for (const auto &task : std::exchange(tasks, {}))
      task->abandon();
  };
  if (!loop.call(dropAll)) // where the loop has ended, nothing else touches them any more
    dropAll();
  m_files.stop();
}

// A fresh read knows the lock of this instant; what was watched of the same hold before tells whether its holder is alive.
LockRecordPtr withHistory(LockRecordPtr fresh, const LockRecordPtr &watched, const FamilyRegistry &families) {
  if (!watched || !std::ranges::is_permutation(watched->holders, fresh->holders)) // each master has them in an order of its own
    return fresh;
  auto whole = std::make_shared<LockRecord>(*fresh);
  if (watched->id == whole->id)
    rememberLine(*watched, *whole);
  whole->heldSince = watched->heldSince;
  whole->heldSinceExact = watched->heldSinceExact;
  whole->renewals = watched->renewals;
  whole->renewedAt = watched->renewedAt;
  whole->renewalPeriod = watched->renewalPeriod;
  if (watched->id == whole->id && whole->queue.empty() && watched->waiters > whole->waiters && listenersChannel(*whole, families))
    std::tie(whole->waiters, whole->moreMayWait) = std::tie(watched->waiters, watched->moreMayWait); // at replicas too, which a read of this node does not hear
  whole->isShortened = watched->isShortened;
  whole->lease = std::max(fresh->lease, watched->lease);
  if (mayBeAnothers(*whole) && (!watched->alsoUnder.empty() || watched->areManyUnder)) { // by its neighbours it is known whose it is
    whole->family = watched->family;
    whole->mayBe = watched->mayBe;
    whole->confidence = std::max(whole->confidence, watched->confidence);
  }
  if (!watched->members.empty()) // the other masters vouch for it
    whole->confidence = std::max(whole->confidence, watched->confidence);
  return whole;
}

// Whom a majority keeps out is no holder of it, and keeps what he has.
void tellOthers(ReleaseResult &planned, const LockRecordPtr &watched) {
  if (!planned.plan || !watched || std::ranges::find(watched->holders, planned.plan->expectHolder, &Holder::id) == watched->holders.end())
    return;
  dropSeveralNodes(planned.plan->warnings, *watched);
  if (const auto others = watched->members.size() - watched->heldOn(); others > 0)
    planned.plan->warnings.push_back(LH_MESSAGE("PlanWords", "masters on which another token lies under this name, which stays there: %1")(others));
  if (watched->isSplit() && watched->sharedOn == 0)
    planned.plan->warnings.emplace_back(
        LH_MESSAGE("PlanWords", "other masters have tokens of others under this name: unless that is a Redlock whose vote nobody won, this lock is held"));
}

// Whether nobody of those who hold it is left when all of these have gone.
bool allGo(const LockRecord &lock, const GoneBefore &gone) {
  return gone.order && lock.unread == 0 && std::ranges::all_of(lock.holders, [&](const Holder &one) { return gone.order->contains(one.id); });
}

// As it is when its turn comes.
LockRecord afterThose(const LockRecord &lock, const GoneBefore &gone, SteadyTime now) {
  auto left = without(lock, gone);
  if (lock.family != "lockhouse-semaphore" && lock.family != "lockhouse-rw")
    return left;
  std::int64_t permits = 0;
  for (const auto &holder : lock.holders)
    permits += gone.contains(holder.id) ? std::max<std::int64_t>(0, holder.count) : 0;
  if (permits > 0)
    passOn(left, permits, now);
  return left;
}

ReleaseResult planFor(LockRecordPtr now, const ReleaseIntent &intent, const FamilyRegistry &families, const GoneBefore &gone) {
  ReleaseResult result;
  result.lock = intent.lock;
  result.holder = intent.holder;
  result.now = std::move(now);
  result.family = result.now->family;
  const auto at = SteadyClock::now();
  auto plan = planRelease(gone.order ? afterThose(*result.now, gone, at) : *result.now, intent, at, families);
  if (plan) {
    result.plan = std::move(*plan);
    result.detail = LH_MESSAGE("PlanWords", "nothing has been changed");
    if (allGo(*result.now, gone))
      std::erase_if(result.plan->warnings, [](const Message &each) { return each.is(otherReaderStays) || each.is(otherReadersStay); });
  } else {
    result.verdict = plan.error().verdict;
    result.detail = std::move(plan.error().detail);
  }
  return result;
}

std::optional<Command> holderProbeOf(const ReleaseResult &presumed) {
  if (!presumed.plan)
    return std::nullopt;
  auto look = fairLookOf(*presumed.plan, *presumed.now);
  if (!look)
    look = holderProbeOf(*presumed.plan, *presumed.now);
  return look ? std::move(look) : inboxLookOf(*presumed.plan);
}

std::optional<Command> lookOn(FairLook &look, const ReleaseResult &presumed, const Result<Reply> &answer) {
  if (!fairLookOf(*presumed.plan, *presumed.now) || !addTo(look, answer, SteadyClock::now()) || !look.goesOn())
    return std::nullopt;
  return fairLookOf(*presumed.plan, *presumed.now, look);
}

ReleaseResult planFor(ReleaseResult presumed, const Result<Reply> &holderProbe, const FairLook &look, const ReleaseIntent &intent,
                      const FamilyRegistry &families, const GoneBefore &gone) {
  if (fairLookOf(*presumed.plan, *presumed.now))
    return withQueue(std::move(presumed), look, intent, families, gone);
  if (!holderProbeOf(*presumed.plan, *presumed.now)) {
    tellUnheard(*presumed.plan, holderProbe);
    return presumed;
  }
  auto whole = withHolderProbe(holderProbe, *presumed.plan, *presumed.now);
  if (!whole)
    return presumed;
  const auto &holder = presumed.plan->expectHolder;
  const auto there = std::ranges::find(whole->holders, holder, &Holder::id);
  if (there == whole->holders.end()) {
    presumed.plan.reset();
    presumed.verdict = Verdict::Changed;
    presumed.detail = holdsNoLonger;
    return presumed;
  }
  if (whole->holders != presumed.now->holders || there->count != presumed.plan->expectCount) {
    const auto read = std::ranges::find(presumed.now->holders, holder, &Holder::id);
    auto known = intent;
    if (read != presumed.now->holders.end() && intent.count == read->count) // the count that was seen is of what was read
      known.count.reset();
    presumed = planFor(std::make_shared<const LockRecord>(std::move(*whole)), known, families, gone);
  }
  if (presumed.plan)
    expectSeen(*presumed.plan, holderProbe);
  return presumed;
}

void compareTime(ReleaseResult &planned, const ReleaseIntent &intent) {
  if (!planned.plan || !intent.time || planned.plan->expectTime == intent.time)
    return;
  planned.verdict = Verdict::Changed;
  planned.detail = planned.plan->expectTime ? acquiredAgain(planned.plan->family)
                                            : LH_MESSAGE("PlanWords", "changed: no time is there to compare with the one that was seen");
  planned.plan.reset();
}

std::pair<Verdict, Message> noLockThere(const Result<Reply> &answer) {
  const auto type = answer ? answer->text().value_or("") : std::string_view{};
  if (type == "none")
    return {Verdict::AlreadyFree, noSuchKey};
  return {Verdict::NotALock,
          type.empty() ? Message(LH_MESSAGE("PlanWords", "no lock is there")) : LH_MESSAGE("PlanWords", "the key is a %1 that is no lock")(safeText(type, 20))};
}

Verdict verdictAfter(Verdict verdict, const LockRecord &before, const LockRecordPtr &now) {
  const bool isHeld = verdict == Verdict::NotALock && now && now->isHeld() && !now->isDoubtful();
  return isHeld && (now->family != before.family || now->holders != before.holders) ? Verdict::Changed : verdict;
}

Command commandOf(const ReleasePlan &plan) {
  const std::vector<std::string_view> keys(plan.keys.begin(), plan.keys.end());
  const std::vector<std::string_view> args(plan.args.begin(), plan.args.end());
  return Command::evalsha(*plan.script, keys, args);
}

void tellPlace(ReleasePlan &plan, const LockSnapshot &snapshot) {
  const auto *home = homeOf(plan.lock, snapshot);
  if (home && !home->role.empty() && !home->isCluster)
    std::erase(plan.warnings, Message(severalSlots));
  plan.isOfCluster = home && home->isCluster;
  if (plan.isOfCluster)
    dropUnheard(plan);
  if (home && !home->isReadOnly && isCopy(*home, plan.lock.key, snapshot))
    plan.warnings.emplace(plan.warnings.begin(), onReplica);
}

void tellRole(ReleasePlan &plan, const LockSnapshot &snapshot) {
  tellPlace(plan, snapshot);
  const auto *home = homeOf(plan.lock, snapshot);
  if (!home || home->role != "replica" || !home->isReadOnly)
    return;
  plan.refusal = byReplica;
  plan.warnings.insert(plan.warnings.begin(), *plan.refusal);
}

bool takesNoWrites(const ReleasePlan &plan) { return (plan.refusal && plan.refusal->is(byReplica)) || isForFewReplicas(plan); }

bool isReplicasWord(const ReleaseResult &result, const LockSnapshot &snapshot) {
  const auto *home = result.verdict && isOfOutage(*result.verdict) ? homeOf(result.lock, snapshot) : nullptr;
  return home && isCopy(*home, result.lock.key, snapshot);
}

void askStanding(ReleaseConnection &lane, std::move_only_function<void(NodeHealth)> done) {
  lane.read(NodeHealth::question(), [&lane, done = std::move(done)](const Result<Reply> &info) mutable {
    auto standing = NodeHealth::of(info);
    auto more = standing.more();
    if (!more)
      return done(std::move(standing));
    lane.read(std::move(*more), [standing = std::move(standing), done = std::move(done)](const Result<Reply> &config) mutable {
      standing.add(config);
      done(std::move(standing));
    });
  });
}

ScriptResult atReplica(ScriptResult answer, const LockId &lock, const LockSnapshot &snapshot) {
  const bool isDone = answer.verdict == Verdict::Released || answer.verdict == Verdict::Shortened;
  const auto *home = isDone || isOfOutage(answer.verdict) ? homeOf(lock, snapshot) : nullptr;
  if (!home || !isCopy(*home, lock.key, snapshot))
    return answer;
  if (!isDone) {
    tellReplica(answer.verdict, answer.detail, {});
    return answer;
  }
  return {Verdict::Unreleasable,
          answer.verdict == Verdict::Released
              ? LH_MESSAGE("PlanWords", "taken away at this replica alone: its master keeps the lock, and may write it here again; release it at its master")
              : LH_MESSAGE("PlanWords", "shortened at this replica alone: its master keeps the lease, and may write it here again; shorten it at its master")};
}

Error forOneRelease(Error error) {
  if (error.next.is(dialledAgain) || error.code == ErrorCode::InDoubt) // of what was sent, its answer tells more
    error.next = LH_MESSAGE("ErrorWords", "look at the lock again");
  return error;
}

bool isBlank(const std::string &text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

} // namespace lockhouse
