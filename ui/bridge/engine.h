// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lab/stress/stress_run.h"
#include "core/net/address/uri.h"
#include "core/release/plan/release_plan.h"
#include "core/store/audit_record.h"
#include "core/watch/detect/family_registry.h"
#include "core/watch/record/lock_change.h"
#include "core/watch/record/lock_snapshot.h"
#include "ui/bridge/audit_check.h"
#include "ui/bridge/many_releases.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace lockhouse::ui {

/// How a stress run ended. Not a bare Result: Qt asks whether a signal's argument can be compared, and GCC 12's std::expected
/// says yes for a value that cannot.
struct StressOutcome {
  Result<StressReport> report;
  operator const Result<StressReport> &() const { return report; }
};

/// The console's only door to the engine. Facts come up as queued signals on the GUI thread: snapshots conflate (newest wins),
/// changes concatenate (bounded; what was dropped is counted). Intents go down and return a request id at once; their answer is
/// a signal that carries it. No call here waits for the network or the disk.
class Engine : public QObject {
  Q_OBJECT

public:
  struct Options {
    std::vector<Uri> nodes;
    bool demo = false; ///< the nodes are the demo's
    std::string auditPath;
    std::shared_ptr<const FamilyRegistry> families = nullptr; ///< null: the built-in ones
  };
  explicit Engine(Options options, QObject *parent = nullptr);
  ~Engine() override; ///< closes every connection and joins the loop; at most two seconds

  void start();
  bool isDemo() const;
  const FamilyRegistry &families() const;      ///< of locks that are recognised; as long as the engine lasts
  bool isUnlocked() const;                     ///< whether a person has unlocked this console for whatever is asked for next; not what is allowed once
  Message auditTrouble() const;                ///< of the log that releases are written to, as of ReleaseService::auditTrouble()
  std::string urlOf(const LockId &lock) const; ///< of the lock's node, without user and password; "" for a node that is not watched

  /// Lets one change be carried out that a person has agreed to, though the console stays read-only: until endOnce() of what this returns.
  quint64 allowOnce();
  void endOnce(quint64 allowed);

public slots:
  void unlock();
  void lock(); ///< at once, for what was allowed once and is under way too
  quint64 plan(const ReleaseIntent &intent);
  quint64 apply(const ReleaseIntent &intent);
  /// Plans many at once: answered by manyPlanned, in the order of the intents.
  quint64 planMany(const std::vector<ReleaseIntent> &intents);
  /// Does exactly what was planned, the locks that somebody waits for last: answered by manyApplied, in the same order. What has a
  /// verdict already comes back as it was.
  quint64 applyMany(const std::vector<ReleaseResult> &planned, const QString &reason);
  void stopMany(quint64 request);
  /// Looks which masters of a cluster serve slots and are not among the nodes: answered by unwatchedFound. One look at a time; what is asked for
  /// meanwhile has the same answer.
  void findUnwatched();
  void loadAudit(int most);
  /// Looks whether the audit log's files are as they were at the last such look: auditChanged if not, whoever wrote there.
  void followAudit();
  /// Walks the audit log's chain on the disk's thread. One walk at a time; what is asked for meanwhile is one more after it.
  void checkAudit();
  /// Starts a stress run on the node with this index; one at a time. A refusal comes as stressFinished.
  void startStress(int nodeIndex, const StressOptions &options);
  void stopStress();

signals:
  void snapshotReady(const lockhouse::LockSnapshotPtr &snapshot);
  void changesReady(const std::vector<lockhouse::LockChange> &changes, quint64 dropped);
  void planned(quint64 request, const lockhouse::ReleaseResult &result);
  void applied(quint64 request, const lockhouse::ReleaseResult &result);
  void manyProgressed(quint64 request, const lockhouse::ui::ManyProgress &progress);
  void manyPlanned(quint64 request, const std::vector<lockhouse::ReleaseResult> &results);
  void manyApplied(quint64 request, const std::vector<lockhouse::ReleaseResult> &results);
  void unwatchedFound(const std::vector<std::string> &masters); ///< their addresses
  void unlockedChanged(bool unlocked);
  void auditLoaded(const std::vector<lockhouse::AuditRecord> &records, const std::optional<lockhouse::Error> &error);
  void auditChanged();
  void auditChecked(const lockhouse::ui::AuditCheck &check);
  void stressProgressed(const lockhouse::StressProgress &progress);
  void stressFinished(const lockhouse::ui::StressOutcome &outcome);

private:
  class Core;
  std::unique_ptr<Core> m_core;
};

} // namespace lockhouse::ui
