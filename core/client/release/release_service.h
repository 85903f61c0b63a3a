// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/watcher/watcher.h"
#include "core/release/plan/release_plan.h"
#include "core/store/audit_log.h"

#include <stop_token>

namespace lockhouse {

/// How far many releases have come.
struct BulkProgress {
  std::size_t total = 0;
  std::size_t answered = 0; ///< or given up; what a stop left alone is not among them
  std::size_t released = 0; ///< of those answered, or shortened
  std::size_t refused = 0;  ///< of those answered: any other verdict
  std::size_t unknown = 0;  ///< sent and given up: no answer came, it may have happened
};

/// Plans and applies releases on behalf of a person. Read-only until unlocked: while locked, apply() answers ReadOnly and no
/// command that writes leaves this process; the check stands in front of the only connections that can write, and these are
/// opened for one release each.
///
/// Thread: any; `done` is called on the loop of the watcher. Destroy it before the watcher and the loop, not on the loop; requests
/// still under way are then dropped, `done` uncalled (an audit record "intent" without an outcome tells of them).
/// Owns: a thread for the audit file, so that the loop never waits for the disk.
///
/// Redis: plan reads the lock afresh (see Watcher::read), asks for the holder where more lies there than is read, asks who is first in the queue of a Redisson fair lock and whether he listens (an EVAL that writes nothing for each 400 places, up to 10 000), asks TYPE of a key beside it that the script would look at, asks INFO
/// of the node (of one that counts good replicas CONFIG GET min-replicas-to-write too), and asks for the right
/// to run it and each command of it (see core/release/check/dry_run.h: an EVAL that asks and does nothing else; SCRIPT EXISTS; MULTI, EVAL and EVALSHA queued, never
/// run; without the right to MULTI, an EVALSHA that cannot be). Both read
/// again, up to five times, when there is no lock but TYPE finds the key: a hot lock is free now and then. apply reads it afresh,
/// writes the audit intent, sends one EVALSHA that compares holder and count and does everything or nothing, writes the audit
/// outcome, reads the lock again: one connect and one round trip beside the reads. Rights that apply needs besides reading: EVAL and
/// EVALSHA; DEL; for the Redisson families the keys redisson_lock_queue:{name} and redisson_lock_timeout:{name} (redisson-lock: the
/// first; redisson-rw: the readers' {name}:…), PUBLISH, and its channels redisson_lock__channel:{name}… or redisson_rwlock:{name};
/// redisson_lock__channel__{name} too where clients of 2016 listen, or these are not told;
/// SPUBLISH there too, or whoever listens as a client of a cluster is not told; LINDEX, LPOP, TIME, ZREM, ZSCORE for redisson-fair;
/// HDEL, HSET, PEXPIRE for redisson-rw.
/// Where the keys lie in several slots of a cluster (see core/release/method/cross_slot.h), TYPE finds them at its masters that are watched, and
/// each slot has an EVALSHA of its own at its node, in turn: not atomic together, and the plan says so.
/// Promise: of several operators that release one hold at once, exactly one is told Released. Nothing is sent that is not in the
/// audit log. A fair lock's queue of very many places that lapsed or are taken out is cleared in several runs of its script, the last of which releases. Not promised: that the evicted holder stops, or that the audit outcome could be written (detail says so then).
class ReleaseService {
public:
  using Done = std::move_only_function<void(ReleaseResult)>;
  using ManyDone = std::move_only_function<void(std::vector<ReleaseResult>)>;
  using ProgressHandler = std::move_only_function<void(BulkProgress)>; ///< on the loop, now and then, and once at the end

  ReleaseService(Loop &loop, Watcher &watcher, std::vector<Uri> nodes, ConnectionOptions options, std::string auditPath);
  ~ReleaseService();
  ReleaseService(const ReleaseService &) = delete;
  ReleaseService &operator=(const ReleaseService &) = delete;

  bool isUnlocked() const;
  void unlock(); ///< from now on apply() may write
  void lock();

  /// What is wrong with the audit log that is written: the first broken link of its newest 2000 records, as of when it was opened, for the first
  /// thing that was sent. Empty: nothing. It is written on all the same; what is behind the link is chained to what lies there.
  Message auditTrouble() const;

  /// What a release would do. Never writes. Verdict is nothing, or Changed / AlreadyFree / NotALock / NotAllowed / Unreachable when
  /// there is nothing to plan.
  void plan(ReleaseIntent intent, Done done);
  /// Plans afresh and applies. Without a reason, or when the audit log cannot be written: verdict NotAllowed, nothing sent. When the
  /// answer is lost: verdict Unreachable, `now` as read afterwards if that was possible.
  void apply(ReleaseIntent intent, Done done);

  /// Plans many: a result for each intent, in their order. Of what was stopped nothing is planned: verdict Stopped. Never writes.
  /// Redis: the reads of each lock, once for all of its holds, many locks at once; then INFO and one transaction a node, thrown away, that asks for the rights.
  void planMany(std::vector<ReleaseIntent> intents, std::stop_token stop, ProgressHandler progress, ManyDone done);
  /// Does exactly what planMany() answered: on each node in this order, each by its own script, which compares holder and count with what was
  /// seen. Results without a plan come back as they are. Verdict Changed, nothing sent, for what was read more than two minutes ago. In
  /// batches of up to 512, each of which is in the audit log, in one record, before the first of it is sent; a stop, a lock() or an audit log that
  /// cannot be written ends it between two batches. Redis: one EVALSHA a hold, pipelined; locks of which something was refused are read again, once.
  void applyMany(std::vector<ReleaseResult> planned, std::string reason, std::stop_token stop, ProgressHandler progress, ManyDone done);

  /// Addresses of the masters of the cluster that serve slots and are not watched; none where no node is of a cluster, or where this user may not
  /// ask. Redis: CLUSTER SLOTS and CLUSTER MYID, once a node.
  void findUnwatchedMasters(std::move_only_function<void(std::vector<std::string>)> done);

private:
  class Core;
  class MastersLook;
  class Lanes;
  class Apart;
  class Task;
  class Run;
  class Many;
  class PlanMany;
  class ApplyMany;
  std::shared_ptr<Core> m_core;
};

} // namespace lockhouse
