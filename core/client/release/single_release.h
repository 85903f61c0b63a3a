// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/release/release_service_core.h"
#include "core/release/check/dry_run.h"
#include "core/release/result/script_result.h"

namespace lockhouse {

/// One release, planned or applied. Loop thread.
class ReleaseService::Run : public Task, public std::enable_shared_from_this<ReleaseService::Run> {
public:
  Run(std::shared_ptr<Core> core, ReleaseIntent intent, bool isApply, Done done);

  void start();
  void abandon() override { m_lanes.clear(); }

private:
  using Written = Result<std::vector<AuditRecord>>;

  std::shared_ptr<Core> m_core;
  Lanes m_lanes;
  ReleaseIntent m_intent;
  bool m_isApply;
  Done m_done;
  ReleaseResult m_result;
  LockRecordPtr m_before;
  std::vector<AuditRecord> m_audit;
  ScriptResult m_answer;
  FairLook m_look;
  std::uint64_t m_cleared = 0; ///< places of a queue
  MissingRights m_missing;
  std::vector<std::string> m_registries; ///< of the plan, those whose types are still to be answered
  unsigned m_rereads = 0;
  ReleaseConnection *m_lane = nullptr; ///< of m_lanes, to the lock's node
  std::size_t m_part = 0;              ///< of the plan, the one that is done
  bool m_isRefusedWithLists = false;   ///< once: perhaps for a list that it only may push to
  Result<Reply> m_refused;             ///< that answer

  void read();
  void onRead(Result<LockRecordPtr> read);
  void onHolderProbe(Result<Reply> reply);
  void goOn();
  void onApart(ReleasePlan plan);
  void goOnWhole();
  void tellOtherKeys();
  void onType(Result<Reply> reply);
  void close();
  void onReplica(NodeHealth standing);
  void onCompanion(Result<Reply> reply);
  void dryRun();
  void onPushable(std::optional<ReleasePlan> shorter);
  void onStanding(NodeHealth standing);
  void onRegistry(Result<Reply> reply);
  void onRights(Result<Reply> reply);
  void onKnown(Result<Reply> reply);
  void onTransaction(Result<Reply> reply);
  void onDryRun(Result<Reply> reply);
  void onIntent(Written written);
  void onAnswer(Result<Reply> reply);
  void onReachable(std::optional<ReleasePlan> shorter);
  void nextPart();
  void onPart(Result<Reply> reply);
  void onOutcome(Written written);
  void onReread(Result<LockRecordPtr> read);
  void finish(std::optional<Verdict> verdict, Message detail);

  template <class Value> std::move_only_function<void(Value)> step(void (Run::*next)(Value)) {
    return [weak = weak_from_this(), next](Value value) {
      if (const auto self = weak.lock(); self && self->m_core->tasks.contains(self))
        ((*self).*next)(std::move(value));
    };
  }
};

} // namespace lockhouse
