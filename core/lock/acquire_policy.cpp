// SPDX-License-Identifier: Apache-2.0
#include "core/lock/acquire_policy.h"

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

std::optional<AcquirePolicy> AcquirePolicy::named(std::string_view name) {
  for (const auto &policy : {tryOnce(), spin(), backoff(), pubSub(), fair(), writersFirst(), barging(), cohort(), blocking()})
    if (policy.name() == name)
      return policy;
  return std::nullopt;
}

} // namespace lockhouse
