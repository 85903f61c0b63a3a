// SPDX-License-Identifier: Apache-2.0
#include "core/lock/options/acquire_policy.h"

namespace lockhouse {

std::string_view AcquirePolicy::name() const {
  switch (kind) {
  case Kind::Try: return "try";
  case Kind::Spin: return "spin";
  case Kind::Backoff: return "backoff";
  case Kind::PubSub: return "pubsub";
  case Kind::Fair: return "fair";
  case Kind::WritersFirst: return "writers-first";
  case Kind::Barging: return "barging";
  case Kind::Blocking: return "blocking";
  case Kind::Cohort: return "cohort";
  }
  return "";
}

std::string_view AcquirePolicy::explanation() const {
  switch (kind) {
  case Kind::Try: return "asks once and never waits";
  case Kind::Spin: return "asks again after a fixed pause, 1 ms by default";
  case Kind::Backoff: return "asks again after a random pause whose bound doubles, from 1 ms to 16 ms by default";
  case Kind::PubSub: return "subscribes to the channel on which the end of a hold is told, and asks again when told, or after half a second by default";
  case Kind::Fair: return "stands in the line that the server keeps; each gets its turn in the order of arrival";
  case Kind::WritersFirst: return "stands in the line that the server keeps; a writer stands before all readers that wait";
  case Kind::Barging:
    return "stands in the line that the server keeps, but a release leaves the lock free for whoever asks next; every sixteenth goes to the first in line";
  case Kind::Blocking: return "blocks on the lock's list on a connection of its own, and asks again when an element comes, or after half a second by default";
  case Kind::Cohort:
    return "stands in a line inside the client, which hands the lock on without a round trip up to 64 times; its first stands in the server's line";
  }
  return "";
}

std::optional<AcquirePolicy> AcquirePolicy::named(std::string_view name) {
  for (const auto &policy : {tryOnce(), spin(), backoff(), pubSub(), fair(), writersFirst(), barging(), cohort(), blocking()})
    if (policy.name() == name)
      return policy;
  return std::nullopt;
}

} // namespace lockhouse
