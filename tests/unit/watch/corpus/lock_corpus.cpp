// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/watch/corpus/lock_corpus.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace lockhouse::test {
namespace {

std::string moved(const std::string &number, std::int64_t shift) {
  const auto value = std::strtod(number.c_str(), nullptr);
  return std::to_string(static_cast<std::int64_t>(value) + (value > 1e11 ? shift : shift / 1000));
}

bool isTime(const std::string &text) { return (text.size() == 10 || text.size() == 13) && text.find_first_not_of("0123456789") == text.npos; }

Command commandFor(const LockState &state, const std::string &first, const std::string &second, std::int64_t shift) {
  switch (state.type) {
  case ValueType::Hash: return {"HSET", state.key, first, first.ends_with(":expire_time") ? moved(second, shift) : second};
  case ValueType::SortedSet: return {"ZADD", state.key, moved(second, shift), first};
  case ValueType::Set: return {"SADD", state.key, first};
  case ValueType::List: return {"RPUSH", state.key, first};
  default: return {"SET", state.key, isTime(first) ? moved(first, shift) : first};
  }
}

} // namespace

const std::vector<LockState> &lockCorpus() {
  static const auto states = [] {
    std::vector<LockState> all;
    for (auto part : {locksAToM(), locksNToZ(), tokenLocks(), prefixedLocks()})
      std::ranges::move(part, std::back_inserter(all));
    return all;
  }();
  return states;
}

std::vector<Command> commandsFor(const LockState &state, milliseconds now) {
  std::vector<Command> commands;
  for (const auto &[first, second] : state.parts)
    commands.push_back(commandFor(state, first, second, (now - corpusTime).count()));
  return commands;
}

KeyFacts factsOf(const LockState &state) {
  KeyFacts facts;
  facts.key = state.key;
  facts.type = state.type;
  facts.ttl = state.hasLease ? std::optional(milliseconds(20'000)) : std::nullopt;
  facts.serverTime = corpusTime;
  facts.seenAt = SteadyTime(seconds(50));
  facts.size = state.parts.size();
  for (const auto &[first, second] : state.parts) {
    if (state.type == ValueType::String)
      facts.value = first;
    else if (state.type == ValueType::Hash)
      facts.fields.emplace_back(first, second);
    else
      facts.members.push_back({first, std::strtod(second.c_str(), nullptr)});
  }
  return facts;
}

} // namespace lockhouse::test
