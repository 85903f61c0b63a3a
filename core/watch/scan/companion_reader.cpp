// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/companion_reader.h"

#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/watch/detect/key_content.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <tuple>

namespace lockhouse {
namespace {

using Problem = KeyFacts::Odd;

constexpr unsigned partsOfOther = 3;   // content, size, time to live
constexpr std::size_t mostOthers = 60; // 256 parts in all

enum OfOther : unsigned { Content, Size, TimeToLive };
OfOther ofOther(unsigned part) { return static_cast<OfOther>((part - CompanionReader::Other) % partsOfOther); }

// A companion key makes no lock of a key whose type its family does not use, unless the family has code of its own that decides.
bool mayMatch(const Family &family, ValueType type) {
  return family.recognise || type == ValueType::None || std::ranges::find(family.forms, type, &Form::type) != family.forms.end();
}

// Ordinary data that must exist for a string to be a lock: its existence is enough.
bool isSupport(const CompanionKey &form, ValueType type) { return form.role == Role::Support && type == ValueType::String; }

// Its content is not fetched.
bool isCounted(const CompanionFacts &other, ValueType type, const SizeCheck &sizes) { return isSupport(*other.form, type) || sizes.tooLarge(other.key); }

void addProblem(KeyFacts &facts, const std::string &key, Problem problem) {
  if (const KeyFacts::Problem noted{key, problem}; std::ranges::find(facts.problems, noted) == facts.problems.end()) // several families name the same key
    facts.problems.push_back(noted);
}

Problem problemOf(const Reply &failure) {
  const auto word = failure.failureWord();
  return word == "WRONGTYPE" ? Problem::OtherType : isUnserved(word) ? Problem::Unserved : Problem::Refused;
}

} // namespace

void CompanionReader::begin(const ReadTarget &target, ValueType type) {
  m_others.clear();
  m_wrongType.clear();
  m_isNamesakes = false;
  const auto forms = target.families->companionKeys();
  for (std::size_t i = 0; i < std::min(forms.size(), mostCompanionKeys); ++i) {
    if ((target.companion.others >> i & 1) == 0 && !isSupport(*forms[i].form, type))
      continue;
    if (!mayMatch(*forms[i].family, type))
      continue;
    const auto key = companionName(*forms[i].family, forms[i].form->key, target.key);
    if (key && m_others.size() < mostOthers)
      m_others.push_back({.form = forms[i].form, .key = *key, .value = {}, .members = {}, .size = 0, .ttl = {}});
  }
}

void CompanionReader::addTo(SizeCheck &sizes, const ReadTarget &target, ValueType type) const {
  if (target.companion.queue) {
    sizes.add(redisson::queueKey(target.key), ValueType::List);
    sizes.add(redisson::timeoutKey(target.key), ValueType::SortedSet);
  }
  for (const auto &other : m_others)
    sizes.add(other.key, isSupport(*other.form, type) ? ValueType::Other : other.form->type);
}

void CompanionReader::ask(const ReadTarget &target, const SizeCheck &sizes, KeyFacts &facts, ReadCommands &out) {
  askSubscribers(target, facts.type, out);
  askFairQueue(target, sizes, facts, out);
  askOthers(sizes, facts, out);
}

void CompanionReader::askSubscribers(const ReadTarget &target, ValueType type, ReadCommands &out) const {
  const auto add = [&](std::string_view subcommand, Part ofTwo, Part ofOne) {
    if (type == ValueType::Hash) {
      Command ofHash{"PUBSUB", subcommand, redisson::lockChannel(target.key), redisson::rwChannel(target.key)};
      if (target.isRequested() && ofTwo == SubscriberCounts) // old clients know no sharded channels; for a scan it would be too much
        ofHash.arg(redisson::oldLockChannel(target.key)).arg(redisson::oldRwChannel(target.key));
      out.push_back({ofTwo, std::move(ofHash)});
    } else if (type == ValueType::String && target.companion.numbers)
      out.push_back({ofTwo, {"PUBSUB", subcommand, redisson::semaphoreChannel(target.key), redisson::latchChannel(target.key)}});
    if (!target.channel.empty())
      out.push_back({ofOne, {"PUBSUB", subcommand, target.channel}});
  };
  if (target.companion.listeners)
    add("NUMSUB", SubscriberCounts, Subscribers);
  if (target.companion.sharded) // another channel of the same name
    add("SHARDNUMSUB", ShardCounts, ShardSubscribers);
}

void CompanionReader::askFairQueue(const ReadTarget &target, const SizeCheck &sizes, KeyFacts &facts, ReadCommands &out) const {
  if (target.companion.queue) {
    const auto queue = redisson::queueKey(target.key), deadlines = redisson::timeoutKey(target.key);
    if (sizes.tooLarge(queue)) {
      addProblem(facts, queue, Problem::Heavy);
      out.push_back({QueueLength, sizeOf(ValueType::List, queue)});
    } else
      out.push_back({Queue, contentOf(ValueType::List, queue)});
    if (sizes.tooLarge(deadlines))
      addProblem(facts, deadlines, Problem::Heavy);
    else
      out.push_back({Deadlines, contentOf(ValueType::SortedSet, deadlines)});
    if (facts.type == ValueType::None && target.key.find('{') == target.key.npos)
      out.push_back({Namesake, {"HLEN", "{" + target.key + "}"}}); // its queue key has the same name
  }
  if (target.companion.fence)
    out.push_back({Fence, {"GETRANGE", redisson::fenceKey(target.key), "0", "31"}});
}

void CompanionReader::askOthers(const SizeCheck &sizes, KeyFacts &facts, ReadCommands &out) const {
  for (unsigned i = 0; i < m_others.size(); ++i) {
    const auto &[form, key] = std::tie(m_others[i].form, m_others[i].key);
    const unsigned first = Other + partsOfOther * i;
    if (sizes.tooLarge(key))
      addProblem(facts, key, Problem::Heavy);
    if (isCounted(m_others[i], facts.type, sizes))
      out.push_back({first + Size, form->field.empty() ? sizeOf(form->type, key) : Command{"HSTRLEN", key, form->field}});
    else
      out.push_back({first + Content, form->role == Role::Permits ? endOfSorted(key) : contentOf(form->type, key)}); // expired permits come first
    if (!isSupport(*form, facts.type))
      out.push_back({first + TimeToLive, {"PTTL", key}});
  }
}

CompanionFacts &CompanionReader::otherOf(unsigned part) { return m_others[(part - Other) / partsOfOther]; }
const CompanionFacts &CompanionReader::otherOf(unsigned part) const { return m_others[(part - Other) / partsOfOther]; }

std::string CompanionReader::keyOf(unsigned part, const ReadTarget &target) const {
  if (part >= Other)
    return otherOf(part).key;
  return part == Queue ? redisson::queueKey(target.key) : part == Deadlines ? redisson::timeoutKey(target.key) : target.key;
}

void CompanionReader::take(unsigned part, const ReadTarget &target, const Reply &reply, KeyFacts &facts, ReadCommands &more) {
  const auto &words = reply.array();
  switch (part) {
  case QueueLength: facts.queueLength = countOf(reply); return;
  case Queue:
    facts.queueLength = words.size();
    if (!wholeSize(ValueType::List, reply))
      more.push_back({QueueLength, sizeOf(ValueType::List, redisson::queueKey(target.key))});
    for (const auto &word : words)
      if (const auto *waiter = word.bulk())
        facts.queue.push_back(*waiter);
    return;
  case Deadlines:
    for (std::size_t i = 0; i + 1 < words.size(); i += 2)
      if (words[i].bulk() && words[i + 1].bulk())
        facts.places.emplace_back(*words[i].bulk(), std::strtod(words[i + 1].bulk()->c_str(), nullptr));
    return;
  case Fence:
    facts.fence = parseFence(reply.text().value_or(""));
    if (!facts.fence && !reply.text().value_or("").empty())
      addProblem(facts, redisson::fenceKey(target.key), Problem::OtherType);
    return;
  case SubscriberCounts:
  case ShardCounts:
    if (words.size() >= 4) {
      const bool isNumber = facts.type == ValueType::String;
      auto clients = facts.listeners.value_or(KeyFacts::SubscriberCounts{});
      (isNumber ? clients.permits : clients.lock) += countOf(words[1]);
      (isNumber ? clients.latch : clients.readWrite) += countOf(words[3]);
      clients.oldLock += words.size() >= 8 ? countOf(words[5]) : 0;
      clients.oldReadWrite += words.size() >= 8 ? countOf(words[7]) : 0;
      facts.listeners = clients;
    }
    return;
  case Subscribers:
  case ShardSubscribers:
    if (words.size() == 2)
      facts.channelListeners = facts.channelListeners.value_or(0) + countOf(words[1]);
    return;
  case Namesake: m_isNamesakes |= reply.integer().value_or(0) > 0; return;
  default: takeOther(part, reply, more);
  }
}

void CompanionReader::takeOther(unsigned part, const Reply &reply, ReadCommands &more) {
  auto &other = otherOf(part);
  switch (ofOther(part)) {
  case Content:
    takeContent(other.form->type, reply, other.value, other.members);
    other.size = wholeSize(other.form->type, reply).value_or(other.members.size());
    if (!wholeSize(other.form->type, reply))
      more.push_back({part + Size, sizeOf(other.form->type, other.key)});
    return;
  case Size: other.size = countOf(reply); return;
  case TimeToLive: other.ttl = leaseOf(reply); return;
  }
}

CompanionReader::Failure CompanionReader::takeFailure(unsigned part, const ReadTarget &target, const SizeCheck &sizes, const Reply &reply, KeyFacts &facts) {
  if (part == SubscriberCounts || part == Subscribers) {
    m_areCountsRefused = true;
    return Failure::Noted;
  }
  if (part == ShardCounts || part == ShardSubscribers) {
    m_areShardCountsRefused = true;
    return Failure::Noted;
  }
  const auto word = reply.failureWord();
  if (word != "WRONGTYPE" && !isOfOneKey(word))
    return Failure::ByTheServer;
  if (part >= Other)
    return takeFailureOfOther(part, sizes, reply, facts);
  if (word == "MOVED") // a lock in other slots of a cluster, so none of Redisson's
    return Failure::Noted;
  if (part == Queue || part == Deadlines)
    addProblem(facts, keyOf(part, target), problemOf(reply));
  else if (part == Fence)
    addProblem(facts, redisson::fenceKey(target.key), problemOf(reply));
  return Failure::Noted;
}

// A key is noted once, however many of its commands failed.
CompanionReader::Failure CompanionReader::takeFailureOfOther(unsigned part, const SizeCheck &sizes, const Reply &reply, KeyFacts &facts) {
  const auto &other = otherOf(part);
  const bool isAllThereIs = facts.type == ValueType::None && other.size > 0;
  // Without its time to live the lock would be shown as one that never expires.
  const auto result = ofOther(part) == TimeToLive && isAllThereIs && reply.failureWord() == "NOPERM" ? Failure::Refused : Failure::Noted;
  if (ofOther(part) != (isCounted(other, facts.type, sizes) ? Size : Content))
    return result;
  if (other.form->role == Role::Support || reply.failureWord() == "MOVED") // or another master of the cluster has it
    return result;
  const auto problem = problemOf(reply);
  if (problem == Problem::OtherType && ++m_wrongType[other.key] < std::ranges::count(m_others, other.key, &CompanionFacts::key))
    return result; // another family may use the key with this type
  const bool areReaders = other.form->role == Role::Readers;
  if (problem != Problem::OtherType && (areReaders || other.form->role == Role::Permits)) {
    const bool isUnserved = problem == Problem::Unserved;
    const auto key = safeText(other.key, 120);
    const auto what = isUnserved   ? areReaders ? LH_MESSAGE("ErrorWords", "the cluster does not serve %1, which tells who holds this lock")(key)
                                                : LH_MESSAGE("ErrorWords", "the cluster does not serve %1, which tells whether this number is a lock")(key)
                        : areReaders ? LH_MESSAGE("ErrorWords", "this user may not read %1, which tells who holds this lock")(key)
                                   : LH_MESSAGE("ErrorWords", "this user may not read %1, which tells whether this number is a lock")(key);
    auto &why = areReaders ? m_refusedReaders : m_refusedPermits;
    if (!why)
      why = Error{isUnserved ? ErrorCode::Server : ErrorCode::NotPermitted, what, {}, errorOf(reply, {}).next};
  }
  addProblem(facts, other.key, problem);
  return result;
}

void CompanionReader::addFound(KeyFacts &facts) {
  for (auto &other : m_others)
    if (other.size > 0)
      facts.companion.push_back(std::move(other));
}

bool CompanionReader::foundAbsent(const CompanionKey &form) const {
  return std::ranges::any_of(m_others, [&form](const CompanionFacts &other) { return other.form == &form && other.size == 0; });
}

void CompanionReader::noteRefusedCounts(ReadHeuristics &heuristics) const {
  heuristics.mayCountListeners &= !m_areCountsRefused;
  heuristics.mayCountSharded &= !m_areShardCountsRefused;
}

} // namespace lockhouse
