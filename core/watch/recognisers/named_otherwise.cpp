// SPDX-License-Identifier: Apache-2.0
// Forms that ordinary data has too, where its name says so.
#include "core/base/encoding.h"
#include "core/watch/name_evidence.h"
#include "core/watch/recognisers/every_claim.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr double unsure = 0.4;

// "WEB01", "web-1", a container's twelve hex digits; not "report", of which "report_2026_<hash>" may tell a version.
bool isMachine(std::string_view host) {
  const auto has = [host](char least, char most) { return std::ranges::any_of(host, [=](char c) { return c >= least && c <= most; }); };
  const bool isNumbered = has('0', '9') && (host.contains('-') || (host.size() == 12 && isHex(host)));
  return isNumbered || (has('A', 'Z') && !has('a', 'z'));
}

} // namespace

// As PHP serialises it any text of 16 letters that was cached looks alike; only a name of its own, or a word, tells that it is an owner.
std::optional<Claim> claimLaravel(const Family &family, const KeyFacts &facts) {
  constexpr double byOwnName = 0.95;
  auto claim = claimByForms(family, facts);
  if (!claim || claim->draft.confidence >= byOwnName || !facts.value.starts_with("s:") || facts.name().lock)
    return claim;
  claim->draft.confidence = std::min(claim->draft.confidence, unsure);
  claim->draft.evidence.emplace_back("the name does not speak of a lock");
  return claim;
}

// Machine, process and id say nearly all, where they are held for as long as a lock.
std::optional<Claim> claimDistributedLock(const Family &family, const KeyFacts &facts) {
  constexpr double byValue = 0.55, named = 0.9;
  auto claim = claimByForms(family, facts);
  if (!claim || claim->draft.confidence >= shownConfidence || !facts.ttl || *facts.ttl > longestHold)
    return claim;
  const auto &name = facts.name();
  const auto host = std::string_view(facts.value).substr(0, facts.value.rfind('_', facts.value.size() - 34));
  const bool speaks = name.lock && !name.hidden && !name.explained;
  if (name.attribute || !isMachine(host) || (name.contrary && !speaks))
    return claim;
  claim->draft.confidence = speaks ? named : byValue;
  if (speaks)
    claim->draft.evidence.front() = family.forms.front().evidence;
  return claim;
}

std::optional<Claim> claimUnlessNamedOtherwise(const Family &family, const KeyFacts &facts) {
  auto claim = claimByForms(family, facts);
  if (!claim)
    return std::nullopt;
  const auto &name = facts.name();
  const bool isOwnName = family.slug == "gem-redis-semaphore" && facts.key.starts_with("SEMAPHORE:"); // whatever its users call it
  if (isOwnName || (!name.attribute && (!name.contrary || name.lock)))
    return claim;
  claim->draft.confidence = std::min(claim->draft.confidence, unsure);
  claim->draft.evidence.emplace_back(name.attribute ? "the name speaks of something about a lock" : "the name speaks of something else too");
  return claim;
}

} // namespace lockhouse
