// SPDX-License-Identifier: Apache-2.0
// A string that holds its owner's token: redis-py, node-redlock, redsync, Laravel and the hand-written ones all look alike. The
// shape of the value and the name must both speak for it: neither a session id nor a flag called "lock:enabled" is a lock.
#include "core/base/encoding.h"
#include "core/lock/primitives/owner_id.h"
#include "core/watch/detect/every_claim.h"
#include "core/watch/detect/first_signs.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/data_names.h"
#include "core/watch/text/id_time.h"
#include "core/watch/text/name_classifier.h"
#include "core/watch/text/token_format.h"

#include <algorithm>
#include <charconv>

namespace lockhouse {
namespace {

constexpr double unnamed = 0.45; // the most that a name without a lock word reaches
constexpr double surelyOurs = 0.9;
constexpr double opened = 0.3; // of any string whose name opens with a lock word, and of a token that is held like one under any other

// Hex digits of a time-based UUID, as redis-py writes.
bool isTimeBased(std::string_view value) {
  static const Pattern pattern = *Pattern::parse("{v1:hexuuid1}");
  return pattern.matches(value);
}

// Tokens under such names are too many for each to be read.
bool isOfMany(const NameEvidence &name) { return name.contrary && !name.lock && (!name.figure || name.secret); }

/// How a value lies there; of its first look little is known.
struct Lying {
  std::optional<milliseconds> ttl = {};
  milliseconds serverTime{0};
  bool isShort() const { return ttl && *ttl <= longestHold; }
};

// Of the last days, which a weekend fits into: ids that are kept, as MySQL makes them, are mostly older.
bool isMadeLately(std::string_view value, milliseconds now) {
  constexpr milliseconds lately = std::chrono::days(3);
  const auto made = isTimeBased(value) ? timeOfUuid1(value) : std::nullopt;
  return made && *made + lately >= now && mayBePast(*made, now);
}

double weakName(std::string_view value, const NameEvidence &name, const Lying &lying) {
  const bool leased = lying.ttl.has_value();
  if (name.contrary)
    return leased && (lying.isShort() || (name.figure && !isOfMany(name))) ? opened : 0.1;
  if (isTimeBased(value) && lying.isShort() && !name.data)
    return shownConfidence + 0.05; // nobody else makes tokens so, and sessions last longer
  const bool speaksOfMore = name.data || name.event || name.attribute || name.hidden || name.explained;
  if (isMadeLately(value, lying.serverTime) && !speaksOfMore)
    return shownConfidence; // redis-py's lock has no lease unless its user wants one
  if ((name.leader || name.resource) && lying.isShort())
    return shownConfidence;
  return name.lease ? unnamed : leased ? 0.4 : 0.3;
}

double ofRandom(double trust, const NameEvidence &name, const Lying &lying) {
  const bool leased = lying.ttl.has_value();
  const bool isHeldNow = name.joined && name.apart && lying.isShort(); // "token_refresh_lock:user:17"
  if ((name.hidden && !isHeldNow) || name.explained)
    return unnamed;
  const auto sure = trust - (name.contrary ? 0.1 : 0) - (leased ? 0 : 0.05) - (name.edge ? 0 : 0.02);
  return leased || !name.needsLease ? sure : std::min(sure, unnamed);
}

bool isNumber(std::string_view value) { return !value.empty() && value.find_first_not_of("0123456789") == value.npos; }

// Words, marks and numbers are what settings and counters hold too.
double ofPlain(const TokenFormat &shape, std::string_view value, const NameEvidence &name, const Lying &lying) {
  const bool isLoose = shape.kind == TokenFormat::Class::Loose;
  const bool leased = lying.ttl.has_value();
  if (name.contrary || (isLoose && !leased))
    return 0.3;
  if (name.counts && shape.kind == TokenFormat::Class::Trivial) // "lock:ratelimit:7", as counted for the first time
    return 0.4;
  if (name.fence && !leased && shape.kind == TokenFormat::Class::Trivial && isNumber(value)) // as the first hold counted it
    return 0.4;
  if (name.shutsOut && !lying.isShort()) // since when, until when, or that
    return 0.4;
  if (shape.kind == TokenFormat::Class::Phrase)
    return leased && name.whole && name.edge ? shape.trust : 0.3;
  if (isLoose && !name.whole) // "joblock" may be a thing
    return 0.4;
  const bool isPlain = shape.kind == TokenFormat::Class::Trivial || shape.kind == TokenFormat::Class::Time;
  const bool isMarked = name.edge || (name.segment && !name.data && isPlain);
  if (!leased) { // as SETNX leaves it
    const bool isMark = shape.trust >= 0.55 || (isPlain && name.leads && name.ofThing);
    return name.whole && isMarked && !name.toggle && isMark ? shownConfidence : 0.4;
  }
  return name.edge ? shape.trust : name.apart ? std::min(shape.trust, shownConfidence) : 0.4;
}

// A setting or a figure about a lock is no token with a lease.
bool isAbout(const TokenFormat &shape, const NameEvidence &name, bool leased) {
  return name.attribute && !(name.aside && leased && shape.kind == TokenFormat::Class::Generic);
}

double trustIn(const TokenFormat &shape, std::string_view value, const NameEvidence &name, const Lying &lying) {
  const bool leased = lying.ttl.has_value();
  const bool speaks = name.lock && !isAbout(shape, name, leased);
  switch (shape.kind) {
  case TokenFormat::Class::None: return 0;
  case TokenFormat::Class::Distinct: return shape.trust;
  case TokenFormat::Class::Generic: return speaks ? ofRandom(shape.trust, name, lying) : weakName(value, name, lying);
  case TokenFormat::Class::Word:
    if (!speaks && name.leader && !name.attribute)
      return weakName(value, name, lying);
    [[fallthrough]];
  case TokenFormat::Class::Phrase:
  case TokenFormat::Class::Loose:
  case TokenFormat::Class::Trivial:
  case TokenFormat::Class::Time: return speaks ? ofPlain(shape, value, name, lying) : 0;
  }
  return 0;
}

// A cache of Spring's that is called "lock" keeps its entries under "lock::<key>", as they are or as Java or JSON packs them; its lock is "lock~lock".
bool isOfSpringCache(const TokenFormat &shape, std::string_view key, std::string_view value, bool leased) {
  const auto mark = key.find("::");
  if (mark == key.npos || mark + 2 == key.size() || key.find("::", mark + 2) != key.npos)
    return false;
  const auto cache = key.substr(key.find_last_of(":./", mark - 1) + 1);
  const bool isPacked = value.starts_with("\xac\xed") || value.starts_with('"') || value.starts_with('{') || value.starts_with('[');
  const bool isToken = (shape.kind == TokenFormat::Class::Generic || shape.kind == TokenFormat::Class::Distinct) && leased && !isPacked;
  return !isToken && (cache.starts_with("lock::") || cache.starts_with("locks::"));
}

double confidence(const TokenFormat &shape, std::string_view key, std::string_view value, const NameEvidence &name, const Lying &lying) {
  const auto trust = isOfSpringCache(shape, key, value, lying.ttl.has_value()) ? 0 : trustIn(shape, value, name, lying);
  return name.leads ? std::max(trust, opened) : trust;
}

// The time and the network card of a time-based UUID, the time of PHP's uniqid, time and worker of a number of SnowflakeIds that is about now.
Captures whatItTells(const KeyFacts &facts) {
  constexpr milliseconds longAgo = std::chrono::days(30), skew = seconds(60);
  static const Pattern uniqid = *Pattern::parse("{since:uniqid}");
  const std::string_view value = facts.value;
  Captures captures;
  if (isTimeBased(value) || (value.size() >= 36 && isUuid(value.substr(0, 36)) && value[14] == '1'))
    captures.set("v1", value.substr(0, value.size() == 32 ? 32 : 36));
  else if (uniqid.matches(value))
    captures.set("since", value);
  else if (std::uint64_t number = 0;
           value.size() >= 17 && std::from_chars(value.data(), value.data() + value.size(), number).ptr == value.data() + value.size()) {
    const auto made = std::chrono::floor<milliseconds>(SnowflakeIds::timeOf(number)).time_since_epoch();
    if (made > facts.serverTime - longAgo && made < facts.serverTime + skew)
      captures.set("snowflake", value);
  }
  return captures;
}

// Most of a keyspace ends here, so that its names are looked at no closer than they must be.
TokenFormat shapeOf(std::string_view key, std::string_view value) {
  const auto shape = tokenFormat(value);
  const auto plain = shape.kind == TokenFormat::Class::None && maySpeakOfLock(key) ? plainShape(value) : shape;
  return plain.kind == TokenFormat::Class::None ? TokenFormat{.words = LH_MESSAGE("Evidence", "value has no form that owners have")} : plain;
}

std::optional<FamilyMatch> matchOfShape(const TokenFormat &shape, const Family &family, const KeyFacts &facts) {
  const auto &name = facts.name();
  FamilyMatch match;
  auto &draft = match.draft;
  draft = draftOf(family, family.forms.front(), facts);
  for (auto &extra : metadataOf(whatItTells(facts), facts.serverTime))
    if (std::ranges::find(draft.extras, extra.name, &MetadataEntry::name) == draft.extras.end())
      draft.extras.push_back(std::move(extra));
  std::ranges::sort(draft.extras, {}, &MetadataEntry::name);
  draft.confidence = confidence(shape, facts.key, facts.value, name, {facts.ttl, facts.serverTime});
  auto ofQueue = std::move(draft.evidence);
  std::erase(ofQueue, evidenceOf(family.forms.front()));
  draft.evidence = {shape.words, name.lock       ? LH_MESSAGE("Evidence", "the name speaks of a lock")
                                 : name.leader   ? LH_MESSAGE("Evidence", "the name speaks of a leader")
                                 : name.resource ? LH_MESSAGE("Evidence", "the name is a resource's, as examples of Redlock libraries have it")
                                                 : LH_MESSAGE("Evidence", "the name does not speak of a lock")};
  if (name.contrary)
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "the name speaks of something else too"));
  if (shape.kind == TokenFormat::Class::Generic && hasCompanionEvidence(family, facts)) { // nobody else has such a key
    draft.confidence = std::max(draft.confidence, surelyOurs);
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "who waits for Lockhouse's Mutex stands in the queue beside it"));
  }
  if (isAbout(shape, name, facts.ttl.has_value()))
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "the name speaks of something about a lock"));
  if (isOfSpringCache(shape, facts.key, facts.value, facts.ttl.has_value()))
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "the name is that of an entry of a cache of Spring's"));
  draft.evidence.emplace_back(facts.ttl ? hasLease : neverExpires);
  if (shape.kind == TokenFormat::Class::Trivial && !facts.ttl && draft.confidence >= shownConfidence)
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "a flag of that name would look the same: as a lock it is one that SETNX left without a lease"));
  draft.evidence.insert(draft.evidence.end(), std::make_move_iterator(ofQueue.begin()), std::make_move_iterator(ofQueue.end()));
  return match;
}

// No library's own token, and no setting's value either: an owner's words, if they are one run of text or JSON.
TokenFormat longShape(std::string_view value) {
  const bool isText = std::ranges::all_of(value, [](char c) { return c > 0x20 && c < 0x7f; });
  const bool isMarkup = value.starts_with('<') || value.starts_with('[');
  const bool isOwner = (isText || value.starts_with("{\"")) && !isMarkup;
  return {TokenFormat::Class::Loose, isOwner ? shownConfidence : 0.4, LH_MESSAGE("Evidence", "value is longer than the tokens of libraries")};
}

double ofLong(const TokenFormat &shape, const NameEvidence &name, bool leased) {
  if (name.contrary || name.hidden || name.attribute)
    return opened;
  return leased && (name.edge || name.apart) ? shape.trust : 0.4;
}

std::optional<FamilyMatch> matchLong(const Family &family, const KeyFacts &facts) {
  if (!namesHolder(facts.key))
    return std::nullopt;
  const auto shape = longShape(facts.value);
  auto match = matchOfShape(shape, family, facts);
  match->draft.confidence = ofLong(shape, facts.name(), facts.ttl.has_value());
  return match;
}

// Without a lease a time is the end of the hold, as SETNX with GETSET keeps it; one that is past may also be when a hold without end began.
void addEnd(const KeyFacts &facts, LockRecord &draft) {
  const auto end = instantOf(facts.value);
  if (!end)
    return;
  Captures captures;
  captures.set("until", facts.value);
  draft.extras = metadataOf(captures, facts.serverTime);
  std::ranges::replace(draft.evidence, Message(neverExpires),
                       Message(LH_MESSAGE("Evidence", "its key never expires, and its value is a time: when the hold ends, or when it began")));
  noteEnd(facts, *end, draft, LH_MESSAGE("Evidence", "the time that it names is past: its end, or when a hold without end began"));
}

} // namespace

bool namesHolder(std::string_view key) {
  const auto name = maySpeakOfLock(key) ? nameEvidence(key) : NameEvidence();
  return name.leads || (name.lock && !name.attribute);
}

bool mayBeToken(std::string_view key, std::string_view value, bool evenOfMany) {
  if (value.size() > longestToken)
    return namesHolder(key);
  const auto shape = shapeOf(key, value);
  if (shape.kind == TokenFormat::Class::None && !maySpeakOfLock(key))
    return false;
  const auto name = nameEvidence(key);
  return confidence(shape, key, value, name, {.ttl = isOfMany(name) && !evenOfMany ? 2 * longestHold : seconds(1)}) >= lowestConfidence;
}

std::optional<FamilyMatch> matchToken(const Family &family, const KeyFacts &facts) {
  if (facts.type == ValueType::String && facts.value.size() > longestToken)
    return matchLong(family, facts);
  const auto shape = facts.type == ValueType::String ? shapeOf(facts.key, facts.value) : TokenFormat{};
  return shape.kind == TokenFormat::Class::Generic || shape.kind == TokenFormat::Class::Distinct ? matchOfShape(shape, family, facts) : std::nullopt;
}

std::optional<FamilyMatch> matchSetnxLegacy(const Family &family, const KeyFacts &facts) {
  const auto shape = facts.type == ValueType::String ? shapeOf(facts.key, facts.value) : TokenFormat{};
  const bool isToken = shape.kind == TokenFormat::Class::Generic || shape.kind == TokenFormat::Class::Distinct;
  if (facts.type != ValueType::String || isToken || facts.value.size() > longestToken || !maySpeakOfLock(facts.key))
    return std::nullopt;
  auto match = matchOfShape(shape, family, facts);
  if (match && shape.kind == TokenFormat::Class::Time && !facts.ttl)
    addEnd(facts, match->draft);
  return match;
}

} // namespace lockhouse
