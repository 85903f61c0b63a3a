// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/fleet/change_merge.h"
#include "tests/unit/watch/desk.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

namespace lockhouse::test {

using namespace std::chrono_literals;

/// Desks of one clock, and one memory of what was told of them.
class ChangesFold : public testing::Test {
protected:
  void masters(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      auto options = Desk::defaults();
      options.id = NodeId(std::string(1, static_cast<char>('a' + i)));
      desks.push_back(std::make_unique<Desk>(std::move(options)));
      desks.back()->runId = fmt::format("run-{}", i);
      desks.back()->connect();
      nodes.push_back(&desks.back()->watch);
    }
  }
  void set(std::size_t desk, const std::string &key, const std::string &token = hex32, milliseconds ttl = 9s) {
    desks[desk]->string(key, token, ttl);
    hint(desk, key);
  }
  void setAll(const std::string &key, milliseconds ttl = 9s) {
    for (std::size_t i = 0; i < desks.size(); ++i)
      set(i, key, hex32, ttl);
  }
  void remove(std::size_t desk, const std::string &key) {
    desks[desk]->remove(key);
    hint(desk, key);
  }
  void hint(std::size_t desk, const std::string &key) {
    desks[desk]->hint({key});
    desks[desk]->serve();
    hear(desk);
  }
  void pass(milliseconds time) {
    for (std::size_t i = 0; i < desks.size(); ++i) {
      desks[i]->pass(time);
      hear(i);
    }
  }
  /// What was told since the last call.
  std::string told() {
    hear(0);
    return std::exchange(text, {});
  }
  void hear(std::size_t desk) { take(desks[desk]->changes()); }
  /// What several masters read in one turn.
  void hearTogether(std::initializer_list<std::size_t> some, const std::string &key) {
    std::vector<LockChange> all;
    for (const auto desk : some) {
      desks[desk]->hint({key});
      desks[desk]->serve();
      std::ranges::move(desks[desk]->changes(), std::back_inserter(all));
    }
    take(std::move(all));
  }
  void take(std::vector<LockChange> changes) {
    for (auto &change : merge.merge(std::move(changes), nodes, desks.front()->now())) {
      EXPECT_EQ(change.seq, lastSeq + 1);
      lastSeq = change.seq;
      times.push_back(change.at);
      text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", name(change.kind), change.id.key.bytes(),
                          change.after ? fmt::format(" {}/{}", change.after->members.size(), change.after->masters) : "");
      last = std::move(change);
    }
  }

  std::vector<std::unique_ptr<Desk>> desks;
  std::vector<NodeWatcher *> nodes;
  ChangeMerge merge;
  std::uint64_t lastSeq = 0;
  std::vector<WallTime> times;
  std::string text;
  LockChange last;
};

} // namespace lockhouse::test
