// SPDX-License-Identifier: Apache-2.0
#include "core/watch/record/lock_change.h"

namespace lockhouse {

std::string_view name(ChangeKind kind) {
  switch (kind) {
  case ChangeKind::Appeared: return "appeared";
  case ChangeKind::Holder: return "holder";
  case ChangeKind::Count: return "count";
  case ChangeKind::Lease: return "lease";
  case ChangeKind::Shortened: return "shortened";
  case ChangeKind::Waiters: return "waiters";
  case ChangeKind::Members: return "members";
  case ChangeKind::Vanished: return "vanished";
  case ChangeKind::Stale: return "stale";
  case ChangeKind::Live: return "live";
  }
  return "";
}

std::string_view name(ChangeCause cause) {
  switch (cause) {
  case ChangeCause::Released: return "released";
  case ChangeCause::Deleted: return "deleted";
  case ChangeCause::Expired: return "expired";
  case ChangeCause::Evicted: return "evicted";
  case ChangeCause::Flushed: return "flushed";
  case ChangeCause::Replaced: return "replaced";
  }
  return "";
}

std::optional<LockChange> asShown(const LockChange &change) {
  const auto isShown = [](const LockRecordPtr &record) { return record && !record->isDoubtful(); };
  const bool before = isShown(change.before);
  const bool after = isShown(change.after);
  if (!before && !after)
    return std::nullopt;
  auto shown = change;
  if (!before && change.before) {
    shown.kind = ChangeKind::Appeared;
    shown.before = nullptr;
  } else if (!after && change.after) {
    shown.kind = ChangeKind::Vanished;
    shown.cause = change.kind == ChangeKind::Holder ? std::optional(ChangeCause::Replaced) : std::nullopt;
    shown.after = nullptr;
  }
  return shown;
}

} // namespace lockhouse
