// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/reply_events.h"

#include "core/base/safe_text.h"

namespace lockhouse {
namespace {

/// Whether a command that ended in this error was never sent. In every other case it may have run.
bool wasNotSent(const Error &error) {
  return error.code == ErrorCode::Unreachable || error.code == ErrorCode::AuthFailed || error.code == ErrorCode::TlsRejected || error.code == ErrorCode::Usage;
}

Error deadlock(const std::string &other) {
  return {ErrorCode::Deadlock,
          LH_ENGLISH("another reader, %1, is becoming the writer and waits until this one leaves")(safeText(other, 80)),
          {},
          LH_ENGLISH("release this hold and acquire as a writer")};
}

} // namespace

ReadAcquire readAcquire(const Primitive &primitive, std::string_view sent, const Result<Reply> &reply, std::string_view address) {
  using Kind = AcquireEvent::Kind;
  if (!reply)
    return {.event = {wasNotSent(reply.error()) ? Kind::Unsent : Kind::Unanswered}, .error = reply.error()};
  auto answer = primitive.readAcquireStep(sent, *reply);
  const auto fence = answer.fence.value_or(Fence{}).value;
  switch (answer.kind) {
  case AcquireAnswer::Kind::Granted: return {.event = {.kind = Kind::Granted, .fence = fence}, .room = answer.room};
  case AcquireAnswer::Kind::Refused:
    return {.event = {.kind = Kind::Refused, .timeLeft = answer.timeLeft, .fence = fence, .queued = answer.queued},
            .holder = std::move(answer.holder),
            .refreshed = answer.refreshed,
            .newPlace = answer.newPlace};
  case AcquireAnswer::Kind::HoldLost: return {.event = {Kind::Rejected}, .holdLost = true};
  case AcquireAnswer::Kind::Deadlock: return {.event = {Kind::Rejected}, .error = deadlock(answer.holder.value_or(""))};
  case AcquireAnswer::Kind::Busy: return {.event = {Kind::Busy}, .error = errorOf(*reply, address)};
  case AcquireAnswer::Kind::Rejected: break;
  }
  return {.event = {Kind::Rejected}, .error = errorOf(*reply, address)};
}

ReadRelease readRelease(const Primitive &primitive, const Result<Reply> &reply, std::string_view address) {
  if (!reply)
    return {wasNotSent(reply.error()) ? ReleaseEvent::Unsent : ReleaseEvent::Unanswered, reply.error()};
  switch (primitive.readRelease(*reply)) {
  case ReleaseAnswer::Released: return {.event = ReleaseEvent::Released, .passedOn = primitive.readPassedOn(*reply)};
  case ReleaseAnswer::StillHeld: return {ReleaseEvent::StillHeld};
  case ReleaseAnswer::NotOwner: return {ReleaseEvent::NotOwner};
  case ReleaseAnswer::Busy: return {ReleaseEvent::Busy, errorOf(*reply, address)};
  case ReleaseAnswer::Rejected: break;
  }
  return {ReleaseEvent::Rejected, errorOf(*reply, address)};
}

TogetherAnswer readTogether(const Primitive &primitive, const Result<Reply> &reply, std::size_t asked) {
  if (!reply)
    return TogetherAnswer::All;
  if (reply->isArray() && reply->array().size() == asked)
    return TogetherAnswer::Each;
  return primitive.readRelease(*reply) == ReleaseAnswer::Busy ? TogetherAnswer::All : TogetherAnswer::Alone;
}

LeaseEvent readRenewal(const Primitive &primitive, const Result<Reply> &reply) {
  using Kind = LeaseEvent::Kind;
  if (!reply)
    return {wasNotSent(reply.error()) ? Kind::Unsent : Kind::Unanswered};
  switch (primitive.readRenew(*reply)) {
  case RenewAnswer::Renewed: return {Kind::Renewed};
  case RenewAnswer::Gone: return {Kind::Gone};
  case RenewAnswer::TakenOver: return {Kind::TakenOver};
  case RenewAnswer::Busy:
  case RenewAnswer::Rejected: break;
  }
  return {Kind::Refused};
}

} // namespace lockhouse
