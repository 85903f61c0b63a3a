// SPDX-License-Identifier: Apache-2.0
#include "core/lock/options/outcome.h"

namespace lockhouse {

std::string_view name(ReleaseOutcome outcome) {
  switch (outcome) {
  case ReleaseOutcome::Released: return "released";
  case ReleaseOutcome::StillHeld: return "still held";
  case ReleaseOutcome::NotOwner: return "not the owner";
  case ReleaseOutcome::InDoubt: return "in doubt";
  case ReleaseOutcome::Failed: return "failed";
  }
  return "";
}

std::string_view name(LossReason reason) {
  switch (reason) {
  case LossReason::LeaseEnded: return "lease ended";
  case LossReason::TakenOver: return "taken over";
  case LossReason::Deleted: return "deleted";
  case LossReason::ServerRestarted: return "server restarted";
  }
  return "";
}

} // namespace lockhouse
