// SPDX-License-Identifier: Apache-2.0
// Forms that ordinary data has too, where its name says so.
#include "core/base/encoding.h"
#include "core/watch/extras.h"
#include "core/watch/name_evidence.h"
#include "core/watch/recognisers/every_claim.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr double unsure = 0.4;

// "WEB01", "web-1", "web01", a container's twelve hex digits; not "report", of which "report_2026_<hash>" may tell a version.
bool isMachine(std::string_view host, std::string_view pid) {
  const auto has = [host](char least, char most) { return std::ranges::any_of(host, [=](char c) { return c >= least && c <= most; }); };
  const bool isYear = pid.size() >= 4 && pid.size() != 5 && (pid.starts_with("19") || pid.starts_with("20")); // or a day
  const bool isNumbered = has('0', '9') && (host.contains('-') || (host.size() == 12 && isHex(host)) || (has('a', 'z') && !isYear));
  return isNumbered || (has('A', 'Z') && !has('a', 'z'));
}

std::string_view hostOf(std::string_view machine) { // "<host>_<pid>_<32 hex>"
  const auto head = machine.substr(0, machine.size() - std::min<std::size_t>(machine.size(), 33));
  return head.substr(0, head.rfind('_'));
}

} // namespace

bool namesData(const NameEvidence &name) { return !name.lock && (name.contrary || name.attribute || name.data); }

void doubtAsData(LockRecord &draft) {
  draft.confidence = std::min(draft.confidence, unsure);
  draft.evidence.emplace_back("the name speaks of other data, whose members may have ends too");
}

// "img_1_<hash>" of a picture is no machine, process and id.
std::optional<Claim> claimDistributedSemaphore(const Family &family, const KeyFacts &facts) {
  auto claim = claimByForms(family, facts);
  const auto isOfData = [](const Holder &holder) { return namesData(nameEvidence(hostOf(holder.id))); };
  if (claim && (namesData(facts.name()) || (!facts.name().lock && std::ranges::all_of(claim->draft.holders, isOfData))))
    doubtAsData(claim->draft);
  return claim;
}

// As PHP serialises it any text of 16 letters that was cached looks alike, and so does a password or the like as it is; only a name of its
// own, or a word, tells that it is an owner.
std::optional<Claim> claimLaravel(const Family &family, const KeyFacts &facts) {
  constexpr double byOwnName = 0.95;
  if (const auto job = facts.key.find("laravel_unique_job:"); job != facts.key.npos && facts.key.find(":released:", job) != facts.key.npos)
    return std::nullopt; // the note of who released it, which is kept for a day
  auto claim = claimByForms(family, facts);
  if (!claim || claim->draft.confidence >= byOwnName)
    return claim;
  const auto &name = facts.name();
  if (name.lock || (!name.secret && !facts.value.starts_with("s:")))
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
  const auto head = std::string_view(facts.value).substr(0, facts.value.size() - 33);
  const auto mark = head.rfind('_');
  const bool speaks = name.lock && !name.hidden && !name.explained;
  if (name.attribute || !isMachine(head.substr(0, mark), head.substr(mark + 1)) || (name.contrary && !speaks))
    return claim;
  claim->draft.confidence = speaks ? named : byValue;
  if (speaks)
    claim->draft.evidence.front() = family.forms.front().evidence;
  return claim;
}

// Behind Laravel's prefix.
std::optional<Claim> claimLaravelFunnel(const Family &family, const KeyFacts &facts) {
  constexpr double byPrefix = 0.75;
  const auto &form = family.forms.front();
  const auto isIn = [&facts](std::string_view word) { return facts.key.contains(word); };
  if (facts.type != ValueType::String || !facts.ttl || !(isIn("_database_") || isIn("-database-")) || !formFits(form, facts))
    return std::nullopt;
  const auto &name = facts.name();
  Claim claim{.draft = draftOf(family, form, facts), .isByName = true};
  claim.draft.confidence = name.secret || name.attribute || name.contrary ? unsure : byPrefix;
  return claim;
}

// Its scope stands behind whatever its users put before it.
std::optional<Claim> claimFoundatio(const Family &family, const KeyFacts &facts) {
  constexpr double behindPrefix = 0.8;
  auto claim = claimByForms(family, facts);
  const auto &quoted = family.forms.back();
  if (claim || facts.type != ValueType::String || !facts.ttl || !facts.key.contains(":lock:") || !quoted.element->matches(facts.value))
    return claim;
  claim = Claim{.draft = draftOf(family, quoted, facts), .isByName = true};
  claim->draft.confidence = behindPrefix;
  return claim;
}

// Its key may be kept on purpose when the job is over, and its bytes do not tell.
std::optional<Claim> claimShedLock(const Family &family, const KeyFacts &facts) {
  auto claim = claimByForms(family, facts);
  const std::string_view value = facts.value;
  const auto since = claim ? instantOf(value.substr(value.find(':') + 1, value.find('@') - value.find(':') - 1)) : std::nullopt;
  if (since && facts.ttl && facts.serverTime - *since > *facts.ttl)
    claim->draft.evidence.emplace_back("most of its lease has passed: its job may be over, and the lock kept for its least time (lockAtLeastFor)");
  return claim;
}

std::optional<Claim> claimUnlessNamedOtherwise(const Family &family, const KeyFacts &facts) {
  auto claim = claimByForms(family, facts);
  if (!claim)
    return std::nullopt;
  if (family.slug == "aiocache") // its suffix is what others end a lock's name with too
    claim->isByName = false;
  const auto &name = facts.name();
  // Whatever its users call it: the gem's keys lie beside each other.
  const bool isOfGem = family.slug == "gem-redis-semaphore" && (facts.key.starts_with("SEMAPHORE:") || isWitnessedBy(family, facts));
  if (isOfGem || (!name.attribute && (!name.contrary || name.lock)))
    return claim;
  claim->draft.confidence = std::min(claim->draft.confidence, unsure);
  claim->draft.evidence.emplace_back(name.attribute ? "the name speaks of something about a lock" : "the name speaks of something else too");
  return claim;
}

} // namespace lockhouse
