// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/release/release_service_core.h"
#include "core/release/check/dry_run.h"
#include "core/release/warnings/other_keys.h"

#include <deque>
#include <map>
#include <set>
#include <unordered_map>

namespace lockhouse {

/// What planning many and applying many share: the results, one connection a node, progress, the stop. Loop thread.
class ReleaseService::Many : public Task, public std::enable_shared_from_this<ReleaseService::Many> {
public:
  void abandon() override { m_lanes.clear(); }

protected:
  Many(std::shared_ptr<Core> core, std::vector<ReleaseResult> results, std::stop_token stop, ProgressHandler progress, ManyDone done);

  std::shared_ptr<Core> m_core;
  Lanes m_lanes;
  std::stop_token m_stop;
  std::vector<ReleaseResult> m_results;
  BulkProgress m_progress;

  ReleaseConnection *laneOf(const LockId &lock) { return m_lanes.of(lock); } ///< null: no connection leads there
  void settle(std::size_t index, std::optional<Verdict> verdict, Message detail, bool inDoubt = false);
  void leaveOut(std::size_t index) { settle(index, Verdict::Stopped, LH_MESSAGE("PlanWords", "not tried: it was stopped before")); }
  void tell();
  void finish();
  bool isUnderWay() { return m_core->tasks.contains(shared_from_this()); }

  /// `task` with what comes to it later, unless this is over by then.
  template <class Value, class Next> std::move_only_function<void(Value)> later(Next next) {
    return [weak = weak_from_this(), next = std::move(next)](Value value) mutable {
      if (const auto self = weak.lock(); self && self->isUnderWay())
        next(std::move(value));
    };
  }

private:
  ProgressHandler m_onProgress;
  ManyDone m_done;
};

/// Plans many: every lock is read afresh, once for all of its holds, and every node is asked whether it would run the scripts. Never writes.
class ReleaseService::PlanMany : public Many {
public:
  PlanMany(std::shared_ptr<Core> core, std::vector<ReleaseIntent> intents, std::stop_token stop, ProgressHandler progress, ManyDone done);
  void start();

private:
  /// Those of the intents that are of one lock.
  struct Group {
    std::vector<std::size_t> indexes;
    std::size_t next = 0;  ///< of these, the one that is planned next
    PlacesInOrder order{}; ///< of several: of those who are taken out
    LockRecordPtr seen{};  ///< as it was watched; may be null
    LockRecordPtr now{};   ///< as it was read
    unsigned rereads = 0;
  };

  std::vector<ReleaseIntent> m_intents;
  std::vector<Group> m_groups;
  std::vector<std::size_t> m_groupOf; ///< by index
  std::vector<MissingRights> m_missing;
  LockSnapshotPtr m_watched;
  std::optional<OtherKeys> m_others;
  std::size_t m_next = 0, m_open = 0; ///< a group; intents
  std::size_t m_reading = 0;          ///< holders of the locks that are being read
  std::size_t m_asked = 0;            ///< holders that were not read, for whom the server is asked
  std::deque<Group *> m_held;         ///< that go on when it has answered

  const LockId &lockOf(const Group &group) const { return m_intents[group.indexes.front()].lock; }
  GoneBefore goneBefore(std::size_t index) const;
  void pump();
  void read(Group &group);
  void onRead(Group &group, Result<LockRecordPtr> read);
  void planSome(Group &group);
  void planHeld();
  void plan(const Group &group, std::size_t index);
  void askHolderProbe(std::size_t index, ReleaseResult planned, Command ask, FairLook look);
  void take(std::size_t index, ReleaseResult planned);
  void onType(Group &group, const Result<Reply> &reply);
  void closeAll(Group &group, Verdict verdict, const Message &detail); ///< of it, those that are not planned yet
  void close(std::size_t index, std::optional<Verdict> verdict, Message detail);
  void dryRun();
  void onStanding(ReleaseConnection &lane, std::vector<std::size_t> indexes, const NodeHealth &standing);
  std::vector<const ReleasePlan *> plansOf(std::span<const std::size_t> indexes) const;
  void askTypes(ReleaseConnection &lane, std::span<const std::size_t> indexes);
  void askRights(ReleaseConnection &lane, std::span<const std::size_t> indexes);
  void askScripts(ReleaseConnection &lane, std::span<const std::size_t> indexes);
  void dryRunOn(ReleaseConnection &lane, std::vector<std::size_t> indexes);
  void onDryRun(std::size_t index, const Result<Reply> &reply);
  void end();
};

/// Applies what was planned, in batches: the intent of a batch is in the audit log before its scripts leave, and its outcome after the
/// last answer. A few batches are under way at once, so that neither disk nor server waits for the other.
class ReleaseService::ApplyMany : public Many {
public:
  ApplyMany(std::shared_ptr<Core> core, std::vector<ReleaseResult> planned, std::string reason, std::stop_token stop, ProgressHandler progress, ManyDone done);
  void start();

private:
  using Written = Result<std::vector<AuditRecord>>;
  struct Batch {
    std::vector<std::size_t> indexes;
    AuditRecord audit; // of all of them: intent, then outcome
    std::size_t open = 0;
    std::set<std::size_t> refused{}; // places of plans that were refused, perhaps for lists of theirs
  };

  std::string m_reason;
  std::vector<std::size_t> m_order; // what there is to send; then, what is read again
  std::size_t m_next = 0, m_open = 0, m_batchSize;
  std::optional<std::pair<Verdict, Message>> m_refusal;     // why nothing more is sent
  std::vector<std::vector<std::size_t>> m_ofSeveral;        // what one holder has under one name on several nodes
  std::unordered_map<std::size_t, std::size_t> m_severalOf; // by index: which of these that is
  std::vector<std::vector<std::size_t>> m_rereads;          // of each lock that is read again, what was refused of it

  void noteSeveral();
  bool isLostOnMost(std::size_t index);
  void pump();
  std::shared_ptr<Batch> nextBatch();
  std::vector<const ReleaseResult *> resultsOf(const Batch &batch) const;
  std::optional<std::pair<Verdict, Message>> refusal() const;
  void send(const std::shared_ptr<Batch> &batch, Written written);
  void sendOne(const std::shared_ptr<Batch> &batch, std::size_t place, std::uint64_t cleared = 0); ///< places of a queue, by runs before
  void onAnswer(const std::shared_ptr<Batch> &batch, std::size_t place, std::uint64_t cleared, Result<Reply> reply);
  void doParts(const std::shared_ptr<Batch> &batch, std::size_t index, std::size_t part, ScriptResult answer);
  void onSettled(const std::shared_ptr<Batch> &batch);
  void onOutcomes(const Batch &batch, const Written &written);
  void readAgain();
  void pumpRereads();
  void onReread(const std::vector<std::size_t> &indexes, const Result<LockRecordPtr> &read);
};

} // namespace lockhouse
