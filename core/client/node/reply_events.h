// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/machines/acquire_machine.h"
#include "core/lock/machines/lease_watchdog.h"
#include "core/lock/machines/release_machine.h"
#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// The event for the machines when a command has got its reply, or none. `address` names the node in errors.
struct ReadAcquire {
  AcquireEvent event;
  std::optional<Error> error = {};        ///< of Busy, Rejected, Unsent, Unanswered
  std::optional<std::string> holder = {}; ///< of Refused, if the server names it
  bool refreshed = false;                 ///< of Refused: the client's places last one lease from this ask
  bool newPlace = false;                  ///< of Refused: it had none before
  std::int64_t room = 0;                  ///< of Granted: for how many more there is a place
  bool holdLost = false;                  ///< Rejected, because the hold to be entered again is lost
};
/// `sent`: the name of the command that was answered.
ReadAcquire readAcquire(const Primitive &primitive, std::string_view sent, const Result<Reply> &reply, std::string_view address);

struct ReadRelease {
  ReleaseEvent event;
  std::optional<Error> error = {};     ///< of Busy, Rejected, Unsent, Unanswered
  std::vector<PassedOn> passedOn = {}; ///< of Released: to whom of this client
};
ReadRelease readRelease(const Primitive &primitive, const Result<Reply> &reply, std::string_view address);

/// How the reply to a release of `asked` locks together is to be read.
enum class TogetherAnswer : std::uint8_t {
  Each,  ///< an array: one reply for each, in their order
  All,   ///< one for all: there was none, or the node cannot reply now
  Alone, ///< refused as a whole, nothing was done: each has to be sent alone
};
TogetherAnswer readTogether(const Primitive &primitive, const Result<Reply> &reply, std::size_t asked);

LeaseEvent readRenewal(const Primitive &primitive, const Result<Reply> &reply);

} // namespace lockhouse
