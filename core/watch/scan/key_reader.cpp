// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/key_reader.h"

#include "core/base/redisson_names.h"
#include "core/watch/detect/family_matcher.h"
#include "core/watch/detect/key_content.h"
#include "core/watch/scan/key_probe.h"
#include "core/watch/text/token_format.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_set>

namespace lockhouse {
namespace {

constexpr unsigned mostRestarts = 3;
constexpr unsigned mostAtOnce = 16; // pages

// HSCAN may repeat a field while the hash is resized.
void dropRepeated(std::vector<std::pair<std::string, std::string>> &fields) {
  std::unordered_set<std::string> seen;
  std::erase_if(fields, [&](const auto &field) { return !seen.insert(field.first).second; });
}

// Between two commands the set may change.
void dropRepeated(std::vector<Member> &tail, const std::vector<Member> &members) {
  std::unordered_set<std::string_view> seen;
  for (const auto &member : members)
    seen.insert(member.bytes);
  std::erase_if(tail, [&](const Member &member) { return seen.contains(member.bytes); });
}

bool holdsElided(const Reply &reply) { return reply.isElided() || std::ranges::any_of(reply.array(), holdsElided); }

} // namespace

void KeyReader::ask(Part part, Command command, std::vector<TaggedCommand> &out) {
  ++m_pending;
  out.push_back({static_cast<unsigned>(part), std::move(command)});
}

void KeyReader::start(ValueType type, const ReadHeuristics &lore, SteadyTime now, std::vector<TaggedCommand> &out) {
  if (type != ValueType::Unknown)
    return readWhole(type, now, lore, out);
  m_look = m_companions.isExpected() ? Probe::Type : firstLook(m_key, lore);
  if (isVerdict(m_look))
    return readWhole(lockType(m_look), now, lore, out);
  ask(Part::Probe, lookCommand(m_look, m_key), out);
}

bool KeyReader::mayHaveVotes() const {
  const auto &forms = m_families->companionKeys();
  for (std::size_t i = 0; i < forms.size() && !isAskedFor(); ++i)
    if ((m_companions.others >> i & 1) != 0 && forms[i].form->role == Role::Vote)
      return true;
  return false;
}

void KeyReader::readWhole(ValueType type, SteadyTime now, const ReadHeuristics &lore, std::vector<TaggedCommand> &out) {
  m_facts = {};
  m_facts.type = type;
  m_gone = m_wrongType = m_foreign = m_hasCome = false;
  m_cursor.clear();
  m_pages = 0;
  m_unkept = 0;
  m_more.clear();
  m_owners = m_strangers = 0;
  m_isToWeigh = m_isCut = false;
  m_weighed.clear();
  m_named.clear();
  m_leases.clear();
  m_leaseAsks.clear();
  m_leasesAnswered = 0;
  m_sift = type == ValueType::Hash ? m_families->siftOf(m_key) : std::string_view();
  findOthers();
  if (m_companions.light || !lore.mayWeigh || !weigh(out))
    fetch(now, out);
}

void KeyReader::fetch(SteadyTime now, std::vector<TaggedCommand> &out) {
  const auto type = m_facts.type;
  m_stage = Stage::Reading;
  m_askedAt = now;
  const auto *weighed = heavy(m_key);
  if (m_sift.empty() && weighed)
    m_foreign = true; // no library's holders are so long
  else if (weighed && weighed->entries <= mostRead)
    ask(Part::Names, {"HKEYS", m_key}, out); // the fields tell, and values may be long
  else if (type == ValueType::Hash)
    ask(Part::Fields, fieldsFrom("0"), out);
  else if (type != ValueType::None && type != ValueType::Other)
    ask(type == ValueType::String ? Part::Value : Part::Members, contentOf(type, m_key), out);
  if (type != ValueType::None)
    ask(Part::Ttl, {"PTTL", m_key}, out);
  if (m_companions.listeners)
    askListeners("NUMSUB", Part::SubscriberCounts, Part::Subscribers, out);
  if (m_companions.sharded) // a channel of the same name, and another one
    askListeners("SHARDNUMSUB", Part::ShardListeners, Part::ShardSubscribers, out);
  askCompanion(out);
  askOthers(out);
  if (type == ValueType::None && m_pending > 0 && !m_elsewhere) // who waited has it meanwhile, where it is there behind them
    ask(Part::Still, {"TYPE", m_key}, out);
}

void KeyReader::askListeners(std::string_view subcommand, Part ofTwo, Part ofOne, std::vector<TaggedCommand> &out) {
  if (m_facts.type == ValueType::Hash) {
    Command ofHash{"PUBSUB", subcommand, redisson::lockChannel(m_key), redisson::rwChannel(m_key)};
    if (isAskedFor() && ofTwo == Part::SubscriberCounts) // those clients know no sharded channels; for a sweep it would be too much
      ofHash.arg(redisson::oldLockChannel(m_key)).arg(redisson::oldRwChannel(m_key));
    ask(ofTwo, std::move(ofHash), out);
  } else if (m_facts.type == ValueType::String && m_companions.numbers)
    ask(ofTwo, {"PUBSUB", subcommand, redisson::semaphoreChannel(m_key), redisson::latchChannel(m_key)}, out);
  if (!m_channel.empty())
    ask(ofOne, {"PUBSUB", subcommand, m_channel}, out);
}

void KeyReader::askCompanion(std::vector<TaggedCommand> &out) {
  if (m_companions.queue) {
    const auto queue = redisson::queueKey(m_key), places = redisson::timeoutKey(m_key);
    if (heavy(queue)) {
      noteOdd(queue, Odd::Heavy);
      ask(Part::QueueLength, sizeOf(ValueType::List, queue), out);
    } else
      ask(Part::Queue, contentOf(ValueType::List, queue), out);
    if (heavy(places))
      noteOdd(places, Odd::Heavy);
    else
      ask(Part::Places, contentOf(ValueType::SortedSet, places), out);
    if (m_facts.type == ValueType::None && m_key.find('{') == m_key.npos)
      ask(Part::Namesake, {"HLEN", "{" + m_key + "}"}, out); // whose queue key has the same name
  }
  if (m_companions.fence)
    ask(Part::Fence, {"GETRANGE", redisson::fenceKey(m_key), "0", "31"}, out);
}

KeyReader::End KeyReader::on(unsigned part, Result<Reply> answer, SteadyTime now, ReadHeuristics &lore, std::vector<TaggedCommand> &out) {
  --m_pending;
  if (m_stage == Stage::Weighing || m_stage == Stage::Counting)
    return onWeight(part, answer, now, lore, out);
  if (static_cast<Part>(part) == Part::Probe)
    return onLook(answer, now, lore, out);
  if (!answer)
    m_error = answer.error();
  else if (static_cast<Part>(part) == Part::ReaderLease)
    takeReaderLease(*answer);
  else if (answer->isFailure())
    takeFailure(static_cast<Part>(part), *answer);
  else
    take(static_cast<Part>(part), *answer);
  if (m_pending > 0)
    return End::Pending;
  return conclude(now, lore, out);
}

KeyReader::End KeyReader::onLook(const Result<Reply> &answer, SteadyTime now, ReadHeuristics &lore, std::vector<TaggedCommand> &out) {
  const auto before = m_look;
  if (const auto type = before == Probe::Type && m_companions.isExpected() ? typeIn(answer) : ValueType::Unknown; type != ValueType::Unknown) {
    readWhole(type, now, lore, out);
    return End::Pending;
  }
  m_look = judge(m_look, m_key, answer, lore);
  switch (m_look) {
  case Probe::StringLock:
  case Probe::HashLock:
  case Probe::ListLock:
  case Probe::SetLock:
  case Probe::SortedSetLock: readWhole(lockType(m_look), now, lore, out); return End::Pending;
  case Probe::NoLock: return End::NoLock;
  case Probe::Absent:
    if (!m_companions.mayStandAlone())
      return End::Absent;
    readWhole(ValueType::None, now, lore, out);
    return m_pending == 0 ? End::Absent : End::Pending; // nothing beside it has a name
  case Probe::Refused:
    // A cluster's other master has it, and what lies beside it is here; of a lock of several keys the others tell though this one may not be read.
    if (m_companions.mayStandAlone() && (answer->failureWord() == "MOVED" || mayHaveVotes())) {
      m_elsewhere = errorOf(*answer, {});
      readWhole(ValueType::None, now, lore, out);
      return m_pending == 0 ? End::Absent : End::Pending;
    }
    m_error = errorOf(*answer, {});
    m_isElsewhere = answer->failureWord() == "MOVED";
    return End::Refused;
  case Probe::Failed: m_error = !answer ? answer.error() : errorOf(*answer, {}); return End::Failed;
  default: break;
  }
  if (m_look == Probe::Type && before != Probe::Type && ++m_restarts > mostRestarts) {
    m_error = Error{ErrorCode::Server, LH_MESSAGE("ErrorWords", "a key changes its type faster than it can be read"), {}, {}};
    return End::Failed;
  }
  ask(Part::Probe, lookCommand(m_look, m_key), out);
  return End::Pending;
}

void KeyReader::take(Part part, const Reply &reply) {
  if (holdsElided(reply))
    noteElided(part);
  switch (part) {
  case Part::Value:
    if (const auto *value = reply.bulk())
      m_facts.value = *value;
    if (m_pages > 0) { // the second read: its length is told beside it
      m_gone |= m_facts.value.empty();
      break;
    }
    m_facts.size = m_facts.value.size();
    m_foreign |= m_facts.size > longestToken && !mayBeString(m_key, m_facts.value, *m_families);
    if (m_facts.size > longestToken && !m_foreign) { // a lock by its name: of a holder of any length no more than this
      m_more.push_back({static_cast<unsigned>(Part::Value), {"GETRANGE", m_key, "0", std::to_string(longestHolder - 1)}});
      m_more.push_back({static_cast<unsigned>(Part::Length), sizeOf(m_facts.type, m_key)});
    }
    break;
  case Part::Members: takeMembers(reply); break;
  case Part::Length: m_facts.size = countOf(reply); break;
  case Part::Mode:
    if (const auto *mode = reply.bulk())
      m_facts.fields.emplace_back("mode", *mode);
    break;
  case Part::Ttl:
    m_gone |= reply.integer().value_or(-2) == -2;
    m_facts.ttl = leaseOf(reply);
    break;
  case Part::Still: m_hasCome = reply.text() != "none"; break;
  case Part::Fields: takeFields(reply); break;
  case Part::Names: takeNames(reply); break;
  case Part::Named: takeNamed(reply); break;
  default:
    if (part >= Part::Other)
      takeOther(static_cast<unsigned>(part), reply);
    else
      takeCompanion(part, reply);
    break;
  }
}

void KeyReader::takeMembers(const Reply &reply) {
  takeContent(m_facts.type, reply, m_facts.value, m_pages == 0 ? m_facts.members : m_facts.tail);
  if (m_pages > 0)
    return dropRepeated(m_facts.tail, m_facts.members);
  const auto whole = wholeSize(m_facts.type, reply);
  m_facts.size = whole.value_or(m_facts.members.size());
  if (whole)
    return;
  m_more.push_back({static_cast<unsigned>(Part::Length), sizeOf(m_facts.type, m_key)});
  if (m_facts.type == ValueType::SortedSet) // by their scores the first may have lapsed, and those who hold it lie at the end
    m_more.push_back({static_cast<unsigned>(Part::Members), endOfSorted(m_key)});
}

void KeyReader::takeCompanion(Part part, const Reply &reply) {
  const auto &words = reply.array();
  switch (part) {
  case Part::QueueLength: m_facts.queueLength = countOf(reply); break;
  case Part::Queue:
    m_facts.queueLength = words.size();
    if (!wholeSize(ValueType::List, reply))
      m_more.push_back({static_cast<unsigned>(Part::QueueLength), sizeOf(ValueType::List, redisson::queueKey(m_key))});
    for (const auto &word : words)
      if (const auto *waiter = word.bulk())
        m_facts.queue.push_back(*waiter);
    break;
  case Part::Places:
    for (std::size_t i = 0; i + 1 < words.size(); i += 2)
      if (words[i].bulk() && words[i + 1].bulk())
        m_facts.places.emplace_back(*words[i].bulk(), std::strtod(words[i + 1].bulk()->c_str(), nullptr));
    break;
  case Part::Fence:
    m_facts.fence = parseFence(reply.text().value_or(""));
    if (!m_facts.fence && !reply.text().value_or("").empty())
      noteOdd(redisson::fenceKey(m_key), Odd::OtherType);
    break;
  case Part::SubscriberCounts:
  case Part::ShardListeners:
    if (words.size() >= 4) {
      const bool isNumber = m_facts.type == ValueType::String;
      auto clients = m_facts.listeners.value_or(KeyFacts::SubscriberCounts{});
      (isNumber ? clients.permits : clients.lock) += countOf(words[1]);
      (isNumber ? clients.latch : clients.readWrite) += countOf(words[3]);
      clients.oldLock += words.size() >= 8 ? countOf(words[5]) : 0;
      clients.oldReadWrite += words.size() >= 8 ? countOf(words[7]) : 0;
      m_facts.listeners = clients;
    }
    break;
  case Part::Subscribers:
  case Part::ShardSubscribers:
    if (words.size() == 2)
      m_facts.channelListeners = m_facts.channelListeners.value_or(0) + countOf(words[1]);
    break;
  case Part::Namesake: m_foreign |= reply.integer().value_or(0) > 0; break;
  default: break;
  }
}

void KeyReader::takeFailure(Part part, const Reply &reply) {
  const bool wrongType = reply.failureWord() == "WRONGTYPE";
  const bool refused = isOfOneKey(reply.failureWord());
  const auto odd = wrongType ? Odd::OtherType : isUnserved(reply.failureWord()) ? Odd::Unserved : Odd::Refused;
  if (part == Part::SubscriberCounts || part == Part::Subscribers)
    m_listenersRefused = true;
  else if (part == Part::ShardListeners || part == Part::ShardSubscribers)
    m_shardedRefused = true;
  else if (!wrongType && !refused)
    m_error = errorOf(reply, {});
  else if (part >= Part::Other)
    noteOther(static_cast<unsigned>(part), reply);
  else if (reply.failureWord() == "MOVED" && (part == Part::Queue || part == Part::Places || part == Part::Fence))
    return; // of a lock in other slots of a cluster that is none of Redisson's
  else if (part == Part::Queue)
    noteOdd(redisson::queueKey(m_key), odd);
  else if (part == Part::Places)
    noteOdd(redisson::timeoutKey(m_key), odd);
  else if (part == Part::Fence)
    noteOdd(redisson::fenceKey(m_key), odd);
  else if (part == Part::Names && !wrongType) // this user may do without
    m_more = {{static_cast<unsigned>(Part::Fields), fieldsFrom("0")}, {static_cast<unsigned>(Part::Length), sizeOf(ValueType::Hash, m_key)}};
  else if (part == Part::Value || part == Part::Fields || part == Part::Names || part == Part::Members)
    (wrongType ? m_wrongType : m_refused) = true;
  else if (part == Part::Ttl && refused)
    m_refused = true; // without its lease it would be shown as never expiring
  if (m_refused && !m_refusal) {
    m_refusal = errorOf(reply, {});
    m_isElsewhere = reply.failureWord() == "MOVED";
  }
}

KeyReader::End KeyReader::conclude(SteadyTime now, ReadHeuristics &lore, std::vector<TaggedCommand> &out) {
  lore.mayCountListeners &= !m_listenersRefused;
  lore.mayCountSharded &= !m_shardedRefused;
  if (m_error)
    return End::Failed;
  if (m_refused) {
    m_error = m_refusal;
    return End::Refused;
  }
  if (m_wrongType || (m_hasCome && m_restarts + 1 < mostRestarts)) { // one that comes and goes all the time is hinted again
    m_companions.light = false;
    m_look = Probe::Head; // so that it counts as a restart
    return onLook(Reply(Reply::Failure{"WRONGTYPE"}), now, lore, out);
  }
  if (m_isToWeigh) {
    m_companions.light = false;
    readWhole(m_facts.type, now, lore, out);
    return End::Pending;
  }
  if (m_facts.type == ValueType::Hash && !m_foreign && !m_gone && askMoreFields(out))
    return End::Pending;
  if (!m_more.empty() && !m_gone && !(m_foreign && m_companions.others == 0)) {
    ++m_pages;
    for (auto &[part, command] : std::exchange(m_more, {}))
      ask(static_cast<Part>(part), std::move(command), out);
    return End::Pending;
  }
  if (m_foreign && (m_facts.type == ValueType::None || m_companions.others == 0)) // what lies beside it may be a lock all the same
    return End::NoLock;
  if (m_gone && !m_companions.mayStandAlone())
    return End::Absent;
  if (m_gone) { // others may wait for it still
    readWhole(ValueType::None, now, lore, out);
    return m_pending == 0 ? End::Absent : End::Pending; // nothing beside it has a name
  }
  if (m_pages > 0)
    dropRepeated(m_facts.fields);
  if (askReaderLeases(out))
    return End::Pending;
  noteReaderLeases();
  m_companions.isLong = m_pages > mostAtOnce || !m_elided.empty();
  if (m_facts.type == ValueType::Hash)
    m_facts.size = std::max<std::uint64_t>(m_facts.size, m_facts.fields.size());
  m_facts.passed -= std::min<std::uint64_t>(m_facts.passed, m_facts.fields.size()); // which are the lock's own
  m_facts.seenAt = now;
  for (auto &other : m_others)
    if (other.size > 0)
      m_facts.companion.push_back(std::move(other));
  // Of the two names that share a queue key, the one in braces is believed only if something is there.
  m_error = m_elsewhere;
  if (m_facts.type == ValueType::None && m_facts.companion.empty() && (m_facts.queue.empty() || redisson::partOf(redisson::queueKey(m_key)).lock != m_key)) {
    m_error = m_elsewhere ? m_elsewhere : m_closedReaders;
    return End::Absent;
  }
  return End::Lock; // if a recogniser agrees
}

} // namespace lockhouse
