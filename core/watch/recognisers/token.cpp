// SPDX-License-Identifier: Apache-2.0
// A string that holds its owner's token: redis-py, node-redlock, redsync, Laravel and the hand-written ones all look alike. The
// shape of the value and the name must both speak for it: neither a session id nor a flag called "lock:enabled" is a lock.
#include "core/watch/recognisers/recogniser.h"
#include "core/watch/token_shape.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr double unnamed = 0.45; // the most that a name without a lock word reaches

double weakName(const NameEvidence &name, bool leased) {
  if (name.contrary)
    return 0.1;
  return name.lease ? unnamed : leased ? 0.4 : 0.3;
}

double confidence(const TokenShape &shape, const NameEvidence &name, bool leased) {
  switch (shape.kind) {
  case TokenShape::Class::None: return 0;
  case TokenShape::Class::Distinct: return shape.trust;
  case TokenShape::Class::Generic:
    if (!name.lock || name.attribute)
      return weakName(name, leased);
    return shape.trust - (name.contrary ? 0.1 : 0) - (leased ? 0 : 0.05) - (name.edge ? 0 : 0.02);
  case TokenShape::Class::Word:
  case TokenShape::Class::Trivial:
    if (!name.lock || name.contrary || name.attribute)
      return 0;
    return leased && name.edge ? shape.trust : 0.4;
  }
  return 0;
}

} // namespace

bool mayBeToken(std::string_view key, std::string_view value) {
  const auto shape = tokenShape(value);
  const bool needsName = shape.kind == TokenShape::Class::Word || shape.kind == TokenShape::Class::Trivial;
  if (shape.kind == TokenShape::Class::None || (needsName && !maySpeakOfLock(key)))
    return false; // most of a keyspace ends here
  return confidence(shape, nameEvidence(key), true) >= lowestConfidence;
}

bool recogniseToken(const KeyFacts &facts, LockRecord &draft) {
  if (facts.type != ValueType::String)
    return false;
  const auto shape = tokenShape(facts.value);
  const auto name = nameEvidence(facts.key);
  draft.confidence = confidence(shape, name, facts.ttl.has_value());
  if (draft.confidence < lowestConfidence)
    return false;
  draft.kind = LockKind::Mutex;
  draft.holders.push_back({facts.value, 1, HoldMode::Exclusive});
  draft.evidence.emplace_back(shape.words);
  draft.evidence.emplace_back(name.lock ? "the name speaks of a lock" : "the name does not speak of a lock");
  if (name.contrary)
    draft.evidence.emplace_back("the name speaks of something else too");
  if (name.attribute)
    draft.evidence.emplace_back("the name speaks of something about a lock");
  draft.evidence.emplace_back(facts.ttl ? "it has a lease" : "it never expires");
  return true;
}

} // namespace lockhouse
