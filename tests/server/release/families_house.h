// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/server/release/operator_house.h"
#include "tests/unit/watch/lock_corpus.h"

namespace lockhouse::test {

/// An operator's house into which any lock of the corpus can be put.
class FamiliesHouse : public OperatorHouse {
protected:
  /// As its library would, with its times moved to now.
  void write(const LockState &state) {
    redis({"FLUSHALL"});
    const auto shift = serverNow() - corpusTime.count();
    for (const auto &[first, second] : state.parts)
      ASSERT_FALSE(redis.send(command(state, first, second, shift))->isFailure()) << state.family;
    if (state.hasLease)
      redis({"PEXPIRE", state.key, "240000"}); // Sentry has no longer ones
    if (state.family == "bullmq-job" || state.family == "bull-job")
      redis({"HSET", state.key.substr(0, state.key.rfind(':')), "data", "{}", "opts", "{}"});
  }

private:
  static std::string moved(const std::string &number, std::int64_t shift) {
    const auto value = std::strtod(number.c_str(), nullptr);
    return std::to_string(static_cast<std::int64_t>(value) + (value > 1e11 ? shift : shift / 1000));
  }
  static bool isTime(const std::string &text) { return (text.size() == 10 || text.size() == 13) && text.find_first_not_of("0123456789") == text.npos; }
  static Command command(const LockState &state, const std::string &first, const std::string &second, std::int64_t shift) {
    switch (state.type) {
    case ValueType::Hash: return {"HSET", state.key, first, first.ends_with(":expire_time") ? moved(second, shift) : second};
    case ValueType::SortedSet: return {"ZADD", state.key, moved(second, shift), first};
    case ValueType::Set: return {"SADD", state.key, first};
    case ValueType::List: return {"RPUSH", state.key, first};
    default: return {"SET", state.key, isTime(first) ? moved(first, shift) : first};
    }
  }
};

} // namespace lockhouse::test
