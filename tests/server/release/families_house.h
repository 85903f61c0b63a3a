// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/server/release/operator_house.h"
#include "tests/unit/watch/corpus/lock_corpus.h"

namespace lockhouse::test {

/// An operator's house into which any lock of the corpus can be put.
class FamiliesHouse : public OperatorHouse {
protected:
  /// As its library would, with its times moved to now.
  void write(const LockState &state) {
    redis({"FLUSHALL"});
    for (auto &command : commandsFor(state, milliseconds(serverNow())))
      ASSERT_FALSE(redis.send(std::move(command))->isFailure()) << state.family;
    if (state.hasLease)
      redis({"PEXPIRE", state.key, "240000"}); // Sentry has no longer ones
    if (state.family == "bullmq-job" || state.family == "bull-job")
      redis({"HSET", state.key.substr(0, state.key.rfind(':')), "data", "{}", "opts", "{}"});
  }
};

} // namespace lockhouse::test
