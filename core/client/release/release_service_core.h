// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/release/release_connection.h"
#include "core/client/release/release_service.h"
#include "core/release/method/fair_plan.h"
#include "core/release/plan/hold_selection.h"
#include "core/release/result/script_result.h"
#include "core/release/warnings/node_health.h"

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <span>

namespace lockhouse {

/// A request of an operator's from its start to its answer: kept alive by Core::tasks as long as it is there, each of whose steps looks
/// whether it still is.
class ReleaseService::Task {
public:
  virtual ~Task() = default;
  /// Drops its connections: nothing of it is called any more.
  virtual void abandon() = 0;
};

/// What all requests share: the gate, the audit file, and which of them are under way. Loop thread, except where told.
class ReleaseService::Core {
public:
  Core(Loop &onLoop, Watcher &ofLocks, std::vector<Uri> nodes, ConnectionOptions options, std::string auditPath);

  Loop &loop;
  Watcher &watcher;
  std::atomic<bool> unlocked = false; // any thread
  std::set<std::shared_ptr<Task>> tasks;

  const Uri *uriOf(const LockId &id) const; ///< null: no connection leads there
  std::unique_ptr<ReleaseConnection> lane(const Uri &uri) { return std::make_unique<ReleaseConnection>(loop, uri, m_options, unlocked); }

  /// Appends on the file's thread, all or none, then goes on with `next` on the loop.
  void record(std::vector<AuditRecord> audits, std::move_only_function<void(Result<std::vector<AuditRecord>>)> next);
  /// What was found wrong with the file last, when it was opened or since, in words; empty: nothing. Any thread.
  Message auditTrouble() const;
  /// Any thread but the two.
  void close();

private:
  Result<std::vector<AuditRecord>> append(std::vector<AuditRecord> audits);
  Result<void> checkAudit(const AuditLog &log);
  void warn(Message trouble);

  std::vector<Uri> m_nodes;
  ConnectionOptions m_options;
  std::string m_auditPath;
  std::optional<AuditLog> m_audit; // thread of m_files only
  bool m_isAnother = false;        // the same: the file that was opened first is gone
  mutable std::mutex m_troubleMutex;
  Message m_auditTrouble;
  Loop m_files;
};

/// The connections of one request, one a node and database. Loop thread.
class ReleaseService::Lanes {
public:
  explicit Lanes(Core &core) : m_core(core) {}
  ReleaseConnection *of(const LockId &lock); ///< null: no connection leads there
  void clear() { m_lanes.clear(); }

private:
  Core &m_core;
  std::map<std::pair<NodeId, int>, std::unique_ptr<ReleaseConnection>> m_lanes;
};

/// A lock as it was read, with what was watched of the same hold before, which may be null.
LockRecordPtr withHistory(LockRecordPtr fresh, const LockRecordPtr &watched, const FamilyRegistry &families);
/// Adds to a plan that is whole what stays on other masters, as they are watched; `watched` may be null.
void tellOthers(ReleaseResult &planned, const LockRecordPtr &watched);
/// The plan for a lock as it was read, with its history, or why there is none; `gone` are those of its holders whose holds are taken before.
ReleaseResult planFor(LockRecordPtr now, const ReleaseIntent &intent, const FamilyRegistry &families, const GoneBefore &gone = {});
/// The command that tells whether the holder of a plan is there at all, where he lies beyond what was read, who stands first in a queue, or whether
/// those who are woken listen; nothing: no need to ask.
std::optional<Command> holderProbeOf(const ReleaseResult &presumed);
/// Adds the answer to it to what is known of a queue, if it is of one; what to ask then, if that is not all.
std::optional<Command> lookOn(FairLook &look, const ReleaseResult &presumed, const Result<Reply> &answer);
/// The plan by the last answer: that of a holder who was read, or verdict Changed. Where it does not tell, the plan stays as it is, and says so.
ReleaseResult planFor(ReleaseResult presumed, const Result<Reply> &holderProbe, const FairLook &look, const ReleaseIntent &intent,
                      const FamilyRegistry &families, const GoneBefore &gone = {});
/// Verdict Changed in place of a plan, where its hold has another time than the operator saw, or none.
void compareTime(ReleaseResult &planned, const ReleaseIntent &intent);
/// What a key is that was read and is no lock, by the answer to TYPE.
std::pair<Verdict, Message> noLockThere(const Result<Reply> &type);
/// A script's verdict in the light of what was read after it: a lock that is another one now has changed.
Verdict verdictAfter(Verdict verdict, const LockRecord &before, const LockRecordPtr &now);
/// The one command that does what a plan says.
Command commandOf(const ReleasePlan &plan);
/// Has the plan say, before its other warnings, that its node is a replica that takes writes, whose master keeps the lock. Of a node of no cluster it
/// says nothing of slots.
void tellPlace(ReleasePlan &plan, const LockSnapshot &snapshot);
/// The same, and that a replica that takes no writes would refuse it.
void tellRole(ReleasePlan &plan, const LockSnapshot &snapshot);
/// Whether the plan says that its node takes no writes: its server then says so too, whatever rights this user has.
bool takesNoWrites(const ReleasePlan &plan);
/// Whether `result` tells of what a replica does not have, of a lock that its master, as far as can be seen, may have.
bool isReplicasWord(const ReleaseResult &result, const LockSnapshot &snapshot);
/// Asks the lane's node for it. `done` is called once, and not if the lane is destroyed before; it may destroy the lane.
void askStanding(ReleaseConnection &lane, std::move_only_function<void(NodeHealth)> done);
/// What came of it, where it was done at a replica whose master, as far as can be seen, has the lock: Unreleasable, for nobody can take it.
ScriptResult atReplica(ScriptResult answer, const LockId &lock, const LockSnapshot &snapshot);
/// A release is not tried again by itself, even where its connection would be.
Error forOneRelease(Error error);
bool isBlank(const std::string &text);

inline constexpr unsigned mostRereads = 12; ///< of a key that holds something, but no lock: what is taken and freed all the time is met then

} // namespace lockhouse
