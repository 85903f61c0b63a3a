// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/watcher.h"
#include "core/release/release_plan.h"
#include "core/store/audit_log.h"

namespace lockhouse {

/// Plans and applies releases on behalf of a person. Read-only until unlocked: while locked, apply() answers ReadOnly and no
/// command that writes leaves this process; the check stands in front of the only connections that can write, and these are
/// opened for one release each.
///
/// Thread: any; `done` is called on the loop of the watcher. Destroy it before the watcher and the loop, not on the loop; requests
/// still under way are then dropped, `done` uncalled (an audit record "intent" without an outcome tells of them).
/// Owns: a thread for the audit file, so that the loop never waits for the disk.
///
/// Redis: plan reads the lock afresh (see Watcher::read), and asks TYPE of a key beside it that the script would look at. Both read
/// again, up to five times, when there is no lock but TYPE finds the key: a hot lock is free now and then. apply reads it afresh,
/// writes the audit intent, sends one EVALSHA that compares holder and count and does everything or nothing, writes the audit
/// outcome, reads the lock again: one connect and one round trip beside the reads. Rights that apply needs besides reading: EVAL and
/// EVALSHA; DEL; for the Redisson families the keys redisson_lock_queue:{name} and redisson_lock_timeout:{name} (redisson-lock: the
/// first; redisson-rw: the readers' {name}:…), PUBLISH, and its channels redisson_lock__channel:{name}… or redisson_rwlock:{name};
/// SPUBLISH there too, or whoever listens as a client of a cluster is not told; LINDEX, LPOP, TIME, ZREM, ZSCORE for redisson-fair;
/// HDEL, HSET, PEXPIRE for redisson-rw.
/// Promise: of several operators that release one hold at once, exactly one is told Released. Nothing is sent that is not in the
/// audit log. Not promised: that the evicted holder stops, or that the audit outcome could be written (detail says so then).
class Operator {
public:
  using Done = std::move_only_function<void(ReleaseResult)>;

  Operator(Loop &loop, Watcher &watcher, std::vector<Uri> nodes, ConnectionOptions options, std::string auditPath);
  ~Operator();
  Operator(const Operator &) = delete;
  Operator &operator=(const Operator &) = delete;

  bool isUnlocked() const;
  void unlock(); ///< from now on apply() may write
  void lock();

  /// What a release would do. Never writes. Verdict is nothing, or Changed / AlreadyFree / NotALock / NotAllowed / Unreachable when
  /// there is nothing to plan.
  void plan(ReleaseIntent intent, Done done);
  /// Plans afresh and applies. Without a reason, or when the audit log cannot be written: verdict NotAllowed, nothing sent. When the
  /// answer is lost: verdict Unreachable, `now` as read afterwards if that was possible.
  void apply(ReleaseIntent intent, Done done);

private:
  class Core;
  class Run;
  std::shared_ptr<Core> m_core;
};

} // namespace lockhouse
