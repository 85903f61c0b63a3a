// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/key_reader.h"

#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/watch/detect/key_content.h"
#include "core/watch/text/token_format.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace lockhouse {
namespace {

constexpr unsigned mostRestarts = 3;
constexpr unsigned mostAtOnce = 16;                // pages
constexpr std::uint64_t mostOfNamed = 1024 * 1024; // bytes of a hash that is a lock's by its name: fetched whatever its entries weigh

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

bool hasLongEntry(const Reply &reply) { return reply.isElided() || std::ranges::any_of(reply.array(), hasLongEntry); }

bool isOfHash(unsigned part) { return part >= HashReader::Fields && part < HashReader::End; }
bool isOfCompanion(unsigned part) { return part >= CompanionReader::QueueLength; }

} // namespace

void KeyReader::start(ValueType type, const ReadHeuristics &heuristics, SteadyTime now, ReadCommands &out) {
  const auto asked = out.size();
  m_probe = type != ValueType::Unknown ? m_probe : m_target.companion.isExpected() ? Probe::Type : firstProbe(m_target.key, heuristics);
  if (type != ValueType::Unknown || isVerdict(m_probe))
    readAll(type != ValueType::Unknown ? type : lockType(m_probe), now, heuristics, out);
  else
    out.push_back({Initial, probeCommand(m_probe, m_target.key)});
  m_pending += out.size() - asked;
}

bool KeyReader::mayHaveVotes() const {
  const auto &forms = m_target.families->companionKeys();
  for (std::size_t i = 0; i < forms.size() && !m_target.isRequested(); ++i)
    if ((m_target.companion.others >> i & 1) != 0 && forms[i].form->role == Role::Vote)
      return true;
  return false;
}

bool KeyReader::readAll(ValueType type, SteadyTime now, const ReadHeuristics &heuristics, ReadCommands &out) {
  const auto asked = out.size();
  m_facts = {};
  m_facts.type = type;
  m_isAbsent = m_isWrongType = m_isForeign = m_hasAppeared = false;
  m_secondTurns = 0;
  m_more.clear();
  m_hash.begin(m_target, type);
  m_companions.begin(m_target, type);
  m_readerLeases.begin();
  m_sizes.begin();
  if (!m_target.companion.light && heuristics.mayWeigh) {
    m_sizes.add(m_target.key, type);
    m_companions.addTo(m_sizes, m_target, type);
    if (m_sizes.ask(out))
      return true;
  }
  fetch(now, out);
  return out.size() > asked;
}

// Of a hash with a lock's name all fields are fetched, unless it is very large or has an entry that is too long.
const SizeCheck::Size *KeyReader::tooLarge() const {
  const auto *size = m_sizes.tooLarge(m_target.key);
  const bool mayBeFetched = size && !m_sizes.isLong(m_target.key) && size->type == ValueType::Hash && size->bytes <= mostOfNamed &&
                            m_target.families->nameMayBe(ValueType::Hash, m_target.key);
  return mayBeFetched ? nullptr : size;
}

void KeyReader::fetch(SteadyTime now, ReadCommands &out) {
  const auto asked = out.size();
  m_askedAt = now;
  const auto *large = tooLarge();
  if (large && !m_hash.isSifted())
    m_isForeign = true; // no library's holders are so long
  else if (large && large->entries <= mostRead)
    out.push_back({HashReader::Names, {"HKEYS", m_target.key}}); // the fields tell, and values may be long
  else
    fetchContent(out);
  if (m_facts.type != ValueType::None)
    out.push_back({Ttl, {"PTTL", m_target.key}});
  m_companions.ask(m_target, m_sizes, m_facts, out);
  if (m_facts.type == ValueType::None && out.size() > asked && !m_elsewhere) // a waiter may have acquired it meanwhile
    out.push_back({Still, {"TYPE", m_target.key}});
}

void KeyReader::fetchContent(ReadCommands &out) const {
  const auto type = m_facts.type;
  if (type == ValueType::Hash)
    out.push_back({HashReader::Fields, m_hash.firstPage(m_target)});
  else if (type != ValueType::None && type != ValueType::Other)
    out.push_back({type == ValueType::String ? Value : Members, contentOf(type, m_target.key)});
}

KeyReader::End KeyReader::on(unsigned part, Result<Reply> answer, SteadyTime now, ReadHeuristics &heuristics, ReadCommands &out) {
  --m_pending;
  const auto asked = out.size();
  const auto end = take(part, std::move(answer), now, heuristics, out);
  m_pending += out.size() - asked;
  return end;
}

KeyReader::End KeyReader::take(unsigned part, Result<Reply> answer, SteadyTime now, ReadHeuristics &heuristics, ReadCommands &out) {
  const bool isSize = m_sizes.isRunning();
  if (!isSize && part == Initial)
    return onProbe(answer, now, heuristics, out);
  if (!answer)
    m_error = answer.error();
  if (isSize) {
    if (m_error)
      return m_pending > 0 ? End::Pending : End::Failed;
    if (!m_sizes.on(part, answer, static_cast<unsigned>(m_pending), heuristics, out))
      return End::Pending;
    m_target.companion.light = m_sizes.areAllSmall();
    fetch(now, out);
    return End::Pending;
  }
  if (answer && part == ReaderLease)
    m_readerLeases.take(*answer);
  else if (answer && answer->isFailure())
    takeFailure(part, *answer);
  else if (answer)
    takeReply(part, *answer);
  return m_pending > 0 ? End::Pending : conclude(now, heuristics, out);
}

KeyReader::End KeyReader::onProbe(const Result<Reply> &answer, SteadyTime now, ReadHeuristics &heuristics, ReadCommands &out) {
  const auto before = m_probe;
  auto type = before == Probe::Type && m_target.companion.isExpected() ? typeIn(answer) : ValueType::Unknown;
  if (type == ValueType::Unknown) {
    m_probe = judge(m_probe, m_target.key, answer, heuristics);
    type = lockType(m_probe);
  }
  if (type != ValueType::Unknown) {
    readAll(type, now, heuristics, out);
    return End::Pending;
  }
  switch (m_probe) {
  case Probe::NoLock: return End::NoLock;
  case Probe::Absent: return m_target.companion.makesLockAlone() ? readCompanions(now, heuristics, out) : End::Absent;
  case Probe::Refused:
    // Another master of the cluster serves the key, and companion keys are here; or the other keys of a lock of several keys may tell of it.
    if (m_target.companion.makesLockAlone() && (answer->failureWord() == "MOVED" || mayHaveVotes())) {
      m_elsewhere = errorOf(*answer, {});
      return readCompanions(now, heuristics, out);
    }
    m_error = errorOf(*answer, {});
    m_isElsewhere = answer->failureWord() == "MOVED";
    return End::Refused;
  case Probe::Failed: m_error = !answer ? answer.error() : errorOf(*answer, {}); return End::Failed;
  default: return probeAgain(before, out);
  }
}

KeyReader::End KeyReader::readCompanions(SteadyTime now, const ReadHeuristics &heuristics, ReadCommands &out) {
  return readAll(ValueType::None, now, heuristics, out) ? End::Pending : End::Absent; // no companion key has a name
}

KeyReader::End KeyReader::probeAgain(Probe before, ReadCommands &out) {
  if (m_probe == Probe::Type && before != Probe::Type && ++m_restarts > mostRestarts) {
    m_error = Error{ErrorCode::Server, LH_MESSAGE("ErrorWords", "a key changes its type faster than it can be read"), {}, {}};
    return End::Failed;
  }
  out.push_back({Initial, probeCommand(m_probe, m_target.key)});
  return End::Pending;
}

void KeyReader::takeReply(unsigned part, const Reply &reply) {
  if (hasLongEntry(reply))
    m_sizes.addLong(m_companions.keyOf(part, m_target));
  if (isOfCompanion(part))
    return m_companions.take(part, m_target, reply, m_facts, m_more);
  if (isOfHash(part))
    return m_hash.take(static_cast<HashReader::Part>(part), m_target, reply, m_facts);
  switch (part) {
  case Value: return takeValue(reply);
  case Members: return takeMembers(reply);
  case Length: m_facts.size = countOf(reply); return;
  case Ttl:
    m_isAbsent |= reply.integer().value_or(-2) == -2;
    m_facts.ttl = leaseOf(reply);
    return;
  case Still: m_hasAppeared = reply.text() != "none"; return;
  default: return;
  }
}

void KeyReader::takeValue(const Reply &reply) {
  if (const auto *value = reply.bulk())
    m_facts.value = *value;
  if (m_secondTurns > 0) { // STRLEN tells its length
    m_isAbsent |= m_facts.value.empty();
    return;
  }
  m_facts.size = m_facts.value.size();
  m_isForeign |= m_facts.size > longestToken && !mayBeString(m_target.key, m_facts.value, *m_target.families);
  if (m_facts.size > longestToken && !m_isForeign) { // a lock by its name: no more than this of a long holder
    m_more.push_back({Value, {"GETRANGE", m_target.key, "0", std::to_string(longestHolder - 1)}});
    m_more.push_back({Length, sizeOf(m_facts.type, m_target.key)});
  }
}

void KeyReader::takeMembers(const Reply &reply) {
  takeContent(m_facts.type, reply, m_facts.value, m_secondTurns == 0 ? m_facts.members : m_facts.tail);
  if (m_secondTurns > 0)
    return dropRepeated(m_facts.tail, m_facts.members);
  const auto whole = wholeSize(m_facts.type, reply);
  m_facts.size = whole.value_or(m_facts.members.size());
  if (whole)
    return;
  m_more.push_back({Length, sizeOf(m_facts.type, m_target.key)});
  if (m_facts.type == ValueType::SortedSet) // the first may have expired by their scores; the holders are at the end
    m_more.push_back({Members, endOfSorted(m_target.key)});
}

void KeyReader::takeFailure(unsigned part, const Reply &reply) {
  const bool isWrongType = reply.failureWord() == "WRONGTYPE";
  bool isRefused = false;
  if (isOfCompanion(part)) {
    const auto failure = m_companions.takeFailure(part, m_target, m_sizes, reply, m_facts);
    if (failure == CompanionReader::Failure::ByTheServer)
      m_error = errorOf(reply, {});
    isRefused = failure == CompanionReader::Failure::Refused;
  } else if (!isWrongType && !isOfOneKey(reply.failureWord()))
    m_error = errorOf(reply, {});
  else if (part == HashReader::Names && !isWrongType) // this user need not be permitted HKEYS
    m_hash.takeAllFields();
  else if (part == Value || part == HashReader::Fields || part == HashReader::Names || part == Members) {
    m_isWrongType |= isWrongType;
    isRefused = !isWrongType;
  } else if (part == Ttl && !isWrongType)
    isRefused = true; // without its lease it would be shown as one that never expires
  if (isRefused && !m_refusal) {
    m_refusal = errorOf(reply, {});
    m_isElsewhere = reply.failureWord() == "MOVED";
  }
}

KeyReader::End KeyReader::conclude(SteadyTime now, ReadHeuristics &heuristics, ReadCommands &out) {
  m_companions.noteRefusedCounts(heuristics);
  if (m_error)
    return End::Failed;
  if (m_refusal) {
    m_error = m_refusal;
    return End::Refused;
  }
  if (m_isWrongType || (m_hasAppeared && m_restarts + 1 < mostRestarts)) { // a key that comes and goes all the time is hinted again
    m_target.companion.light = false;
    m_probe = Probe::Head; // so that it counts as a restart
    return onProbe(Reply(Reply::Failure{"WRONGTYPE"}), now, heuristics, out);
  }
  if (m_sizes.mustRepeat()) {
    m_target.companion.light = false;
    readAll(m_facts.type, now, heuristics, out);
    return End::Pending;
  }
  if (askMore(out))
    return End::Pending;
  if (isForeign() && (m_facts.type == ValueType::None || m_target.companion.others == 0)) // otherwise companion keys may still be a lock
    return End::NoLock;
  if (m_isAbsent) // others may still wait for it
    return m_target.companion.makesLockAlone() ? readCompanions(now, heuristics, out) : End::Absent;
  if (m_hash.pages() + m_secondTurns > 0)
    dropRepeated(m_facts.fields);
  if (m_readerLeases.ask(m_target.key, m_facts, ReaderLease, out))
    return End::Pending;
  return finish(now);
}

// False: all that is to be read was read.
bool KeyReader::askMore(ReadCommands &out) {
  if (m_isAbsent)
    return false;
  if (m_facts.type == ValueType::Hash && !isForeign() && m_hash.askMore(m_target, m_facts, out))
    return true;
  if (m_more.empty() || (isForeign() && m_target.companion.others == 0))
    return false;
  ++m_secondTurns;
  std::ranges::move(m_more, std::back_inserter(out));
  m_more.clear();
  return true;
}

KeyReader::End KeyReader::finish(SteadyTime now) {
  m_readerLeases.addTo(m_facts);
  m_target.companion.isLong = m_hash.pages() + m_secondTurns > mostAtOnce || m_sizes.hasLong();
  if (m_facts.type == ValueType::Hash)
    m_facts.size = std::max<std::uint64_t>(m_facts.size, m_facts.fields.size());
  m_facts.passed -= std::min<std::uint64_t>(m_facts.passed, m_facts.fields.size()); // which are the lock's own
  m_facts.seenAt = now;
  m_companions.addFound(m_facts);
  m_error = m_elsewhere;
  // Two names share a queue key. The one in braces is believed only if the queue is not empty.
  const bool isQueueOfOther = m_facts.queue.empty() || redisson::partOf(redisson::queueKey(m_target.key)).lock != m_target.key;
  if (m_facts.type == ValueType::None && m_facts.companion.empty() && isQueueOfOther) {
    m_error = m_elsewhere ? m_elsewhere : m_companions.refusedReaders();
    return End::Absent;
  }
  return End::Lock; // if a family matches
}

bool KeyReader::isUnread() const {
  const auto type = m_facts.type;
  const auto mayBeLock = [&] { return type == ValueType::Hash || namesLock(m_target.key, type) || m_target.families->nameMayBe(type, m_target.key); };
  return m_hash.isCut() || (tooLarge() && mayBeLock()); // a probe found a lock's field in a hash
}

std::optional<Error> KeyReader::unread() const {
  if (!isUnread())
    return std::nullopt;
  const auto key = safeText(m_target.key, 120);
  return Error{ErrorCode::TooLong,
               m_hash.isCut()
                   ? LH_MESSAGE("ErrorWords", "%1 is too long to be read whole: of its %2 entries %3 were looked at, and a lock among the others is not found")(
                         key, m_facts.size, m_facts.passed)
                   : LH_MESSAGE("ErrorWords", "%1 holds entries that are too long to be fetched, so whether it is a lock is not known")(key),
               {},
               LH_MESSAGE("ErrorWords", "where you know its holder, ask the server for that entry alone")};
}

std::optional<Error> KeyReader::refusedHolders() const {
  const bool isNumber = m_facts.type == ValueType::String && isWholeNumber(m_facts.value);
  return isNumber && m_companions.refusedPermits() ? m_companions.refusedPermits() : m_companions.refusedReaders();
}

} // namespace lockhouse
