// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/contract/world/lock_world.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::test {

/// Readers that become writers, writers that become readers.
class UpgradeWorld : public LockContract {
protected:
  static LockOptions reader(milliseconds lease = 30s) { return {.lease = lease, .mode = {.shared = true}}; }
  /// A reader of a client of its own, or of `client`, that is in.
  Owner &reads(milliseconds lease = 30s) { return reads(party(), lease); }
  Owner &reads(Party &client, milliseconds lease = 30s) {
    auto &one = client.owner(primitive(), "k", reader(lease));
    EXPECT_TRUE(one.takes());
    return one;
  }
  std::int64_t queued() { return probe().number({"ZCARD", "lockhouse:queue:{k}"}); }
  std::int64_t holders() { return probe().number({"ZCARD", "k"}); }
  /// What the members of the holders begin with, in order: "rr", "w".
  std::string kinds() {
    std::string all;
    const Reply reply = probe()({"ZRANGE", "k", "0", "-1"});
    for (const auto &member : reply.array())
      all += std::string(member.text().value_or("?")).substr(0, 1);
    std::ranges::sort(all);
    return all;
  }
  std::int64_t serverTime() {
    const Reply now = probe()({"TIME"});
    return std::stoll(std::string(now.array().at(0).text().value())) * 1000 + std::stoll(std::string(now.array().at(1).text().value())) / 1000;
  }
  static bool isIn(const AcquireOutcome &outcome) { return std::holds_alternative<Acquired>(outcome); }
  static std::optional<ErrorCode> codeOf(const AcquireOutcome &outcome) {
    const auto *failed = std::get_if<Failed>(&outcome);
    return failed != nullptr ? std::optional(failed->error.code) : std::nullopt;
  }
  static bool waits(const std::future<AcquireOutcome> &outcome) { return outcome.wait_for(50ms) == std::future_status::timeout; }
  static AcquireOutcome endOf(std::future<AcquireOutcome> &outcome) {
    return outcome.wait_for(20s) == std::future_status::ready ? outcome.get()
                                                              : AcquireOutcome(Failed{Error{ErrorCode::Internal, Message::verbatim("it still waits"), {}, {}}});
  }
};

} // namespace lockhouse::test
