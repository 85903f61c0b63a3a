// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/machines/acquire_machine.h"
#include "core/lock/machines/lease_watchdog.h"
#include "core/lock/machines/release_machine.h"
#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// What the machines are told when a command has come back, or has not. `address` names the node in errors.
struct ReadAcquire {
  AcquireEvent event;
  std::optional<Error> error = {};        ///< of Busy, Rejected, Unsent, Unanswered
  std::optional<std::string> holder = {}; ///< of Refused, where told
  bool refreshed = false;                 ///< of Refused: the client's places last one lease from this ask
  bool newPlace = false;                  ///< of Refused: there was none before
  std::int64_t room = 0;                  ///< of Granted: how many more may get in now
  bool holdLost = false;                  ///< Rejected, because the hold to be entered again is gone
};
/// `sent`: the name of the command that was answered.
ReadAcquire readAcquire(const Primitive &primitive, std::string_view sent, const Result<Reply> &reply, std::string_view address);

struct ReadRelease {
  ReleaseEvent event;
  std::optional<Error> error = {};     ///< of Busy, Rejected, Unsent, Unanswered
  std::vector<PassedOn> passedOn = {}; ///< of Released: to whom of this client
};
ReadRelease readRelease(const Primitive &primitive, const Result<Reply> &reply, std::string_view address);

/// How the answer to a release of `asked` locks together is to be taken.
enum class TogetherAnswer : std::uint8_t {
  Each,  ///< an array: one answer for each, in their order
  All,   ///< one for all: there was none, or the node cannot answer now
  Alone, ///< refused as a whole, nothing was done: each has to be asked for alone
};
TogetherAnswer readTogether(const Primitive &primitive, const Result<Reply> &reply, std::size_t asked);

LeaseEvent readRenewal(const Primitive &primitive, const Result<Reply> &reply);

} // namespace lockhouse
