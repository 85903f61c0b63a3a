// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/scan/key_reader.h"

#include "tests/unit/watch/desk.h"

#include <gmock/gmock.h>

namespace lockhouse::test {

/// One read at a time, whose every command the test answers.
struct ReadDesk : testing::Test {
  ReadHeuristics heuristics;
  std::vector<ReadCommand> asks;
  SteadyTime now{seconds(5)};

  void learnHash(std::string_view key) {
    for (int i = 0; i < 10; ++i)
      heuristics.types.learn(key, ValueType::Hash);
  }
  std::vector<std::string> asked() const {
    std::vector<std::string> names;
    for (const auto &ask : asks)
      names.emplace_back(ask.command.name());
    return names;
  }
  // Answers what was asked last, in order.
  KeyReader::End answer(KeyReader &read, std::vector<Result<Reply>> replies) {
    const auto turn = std::exchange(asks, {});
    EXPECT_EQ(turn.size(), replies.size());
    auto end = KeyReader::End::Pending;
    for (std::size_t i = 0; i < turn.size(); ++i)
      end = read.on(turn[i].part, std::move(replies[i]), now, heuristics, asks);
    return end;
  }
  static Reply fields(std::string_view cursor, std::initializer_list<std::string_view> flat) { return page(cursor, words(flat)); }
  /// So many fields of this name with a number behind it, from `from` on.
  static Reply fields(std::string_view cursor, std::string_view name, int from, int count) {
    Reply::Array flat;
    for (int i = from; i < from + count; ++i) {
      flat.push_back(bulk(std::string(name) + std::to_string(i)));
      flat.push_back(bulk("1"));
    }
    return page(cursor, Reply(std::move(flat)));
  }
  static Reply page(std::string_view cursor, Reply flat) {
    Reply::Array halves;
    halves.push_back(bulk(cursor));
    halves.push_back(std::move(flat));
    return Reply(std::move(halves));
  }
};

} // namespace lockhouse::test
