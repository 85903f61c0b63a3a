// SPDX-License-Identifier: Apache-2.0
#include "core/watch/member_fold.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <ranges>
#include <tuple>

namespace lockhouse {
namespace {

constexpr std::size_t leastToken = 16; // bytes: a shorter value may be the same on two nodes by accident
constexpr std::size_t uniqidSize = 13; // redlock-php's, which tells the microsecond
constexpr double certain = 0.95;       // of a row that is shown anyway: nobody writes one random token to several masters but for this
constexpr double likely = 0.6;         // of a row that would not be: services that write the same cache twice do
constexpr double contraryName = 0.35;  // below it: of a token whose name speaks of other data, which a majority of three or more outweighs
constexpr std::size_t uuidSize = 36;

using Members = std::vector<std::size_t>;

bool isRedisson(const LockRecord &record) { return record.type == ValueType::Hash && (record.family == "redisson-lock" || record.family == "redisson-fair"); }

bool isToken(const LockRecord &record) { return record.type == ValueType::String && record.kind == LockKind::Mutex; }

bool isUniqid(const LockRecord &record) {
  return record.holders.size() == 1 && record.holders.front().id.size() == uniqidSize && std::ranges::find(record.mayBe, "redlock-php") != record.mayBe.end();
}

bool mayBeMember(const LockRecord &record) {
  const bool mayHaveSeveral = record.kind == LockKind::ReadWrite || record.kind == LockKind::Semaphore;
  const bool areNamed = std::ranges::all_of(record.holders, [](const Holder &holder) { return holder.id.size() >= leastToken; }) || isUniqid(record);
  return record.isHeld() && areNamed && (mayHaveSeveral || record.holders.size() == 1) && record.unread == 0 && record.neededVotes == 0 &&
         record.kind != LockKind::Latch && (record.confidence >= shownConfidence || (isToken(record) && record.expiresAt));
}

// What tells rows of one name apart that have nothing to do with each other: the form of what lies there. Whose token it is, or whether
// a queue makes a lock of Redisson's a fair one, may be seen on one master and not on the next.
std::string_view formOf(const LockRecord &record) {
  if (isToken(record))
    return {};
  return isRedisson(record) ? std::string_view("redisson-lock") : std::string_view(record.family);
}

bool areOfOneForm(const LockRecord &a, const LockRecord &b) {
  const auto mayBeMissing = [](const LockRecord &record) { return record.type == ValueType::String || record.type == ValueType::None; };
  return formOf(a) == formOf(b) && (a.type == b.type || (mayBeMissing(a) && mayBeMissing(b))); // beside keys of its own
}

std::vector<std::string_view> namesOf(const LockRecord &record) {
  std::vector<std::string_view> names;
  for (const auto &holder : record.holders)
    names.push_back(holder.id);
  std::ranges::sort(names);
  return names;
}

// Each master has them in an order of its own.
bool haveSameHolders(const LockRecord &a, const LockRecord &b) {
  if (a.holders.size() != b.holders.size())
    return false;
  if (a.holders.size() == 1) // whatever the counts: he comes again, or goes, master by master
    return a.holders.front().id == b.holders.front().id && a.holders.front().mode == b.holders.front().mode;
  const auto sorted = [](const LockRecord &record) {
    std::vector<std::tuple<std::string_view, HoldMode, std::int64_t>> holds;
    for (const auto &holder : record.holders)
      holds.emplace_back(holder.id, holder.mode, holder.count);
    std::ranges::sort(holds);
    return holds;
  };
  return a.holders == b.holders || sorted(a) == sorted(b);
}

bool haveCommonHolder(const LockRecord &a, const LockRecord &b) {
  if (a.holders.size() == 1 && b.holders.size() == 1)
    return a.holders.front().id == b.holders.front().id;
  std::vector<std::string_view> common;
  std::ranges::set_intersection(namesOf(a), namesOf(b), std::back_inserter(common));
  return !common.empty();
}

// Whether holders of the one keep out those of the other.
bool excludes(const LockRecord &a, const LockRecord &b) {
  const auto isRead = [](const Holder &holder) { return holder.mode == HoldMode::Read; };
  return a.kind != LockKind::Semaphore && !(std::ranges::all_of(a.holders, isRead) && std::ranges::all_of(b.holders, isRead));
}

// What a row that was folded goes by.
std::string nameOfAll(const LockRecord &record) {
  if (record.holders.size() == 1)
    return record.holders.front().id;
  std::string name;
  for (const auto each : namesOf(record))
    name += fmt::format("{}:{}", each.size(), each);
  return name;
}

bool isOfThreads(const LockRecord &record) { return isRedisson(record) || (record.type == ValueType::Hash && record.family == "redisson-rw"); }

// Of holders that are Redisson's: whatever their clients are, which threads of theirs.
std::vector<std::string_view> threadsOf(const LockRecord &record) {
  std::vector<std::string_view> threads;
  for (const auto &holder : record.holders)
    threads.push_back(std::string_view(holder.id).substr(std::min(uuidSize, holder.id.size())));
  std::ranges::sort(threads);
  return threads;
}

// Whether two rows of one name, by different holders, may be members of one lock all the same.
bool areAlike(const LockRecord &a, const LockRecord &b) { return areOfOneForm(a, b) && (!isOfThreads(a) || threadsOf(a) == threadsOf(b)); }

// Rows of masters by their names; those of one name that agree in their holders together.
std::unordered_map<std::string_view, std::vector<Members>> byName(const std::vector<LockRecordPtr> &locks, const Masters &masters) {
  std::unordered_map<std::string_view, std::vector<Members>> byKey;
  const LockRecord *before = nullptr;
  bool isOnMaster = false;
  for (std::size_t i = 0; i < locks.size(); ++i) {
    const auto &lock = *locks[i];
    if (!before || before->id.node != lock.id.node || before->id.db != lock.id.db)
      isOnMaster = masters.contains(lock.id);
    before = &lock;
    if (!isOnMaster || !mayBeMember(lock))
      continue;
    auto &groups = byKey[lock.id.key.bytes()];
    const auto agrees = [&](const Members &members) {
      const auto &first = *locks[members.front()];
      return areOfOneForm(first, lock) && haveSameHolders(first, lock);
    };
    const auto group = std::ranges::find_if(groups, agrees);
    if (group == groups.end())
      groups.push_back({i});
    else
      group->push_back(i);
  }
  return byKey;
}

// When fewer than `needed` of them are left.
std::optional<SteadyTime> endOf(const std::vector<LockMember> &members, std::size_t needed) {
  std::vector<SteadyTime> ends;
  for (const auto &member : members)
    ends.push_back(member.expiresAt.value_or(SteadyTime::max()));
  std::ranges::sort(ends, std::greater());
  const auto end = ends[std::min(needed, ends.size()) - 1];
  return end == SteadyTime::max() ? std::nullopt : std::optional(end);
}

// Stale only where what is still live is no majority.
std::optional<SteadyTime> staleSince(const std::vector<LockMember> &members, std::size_t needed) {
  std::optional<SteadyTime> first;
  std::size_t live = 0;
  for (const auto &member : members) {
    live += !member.staleSince;
    if (member.staleSince)
      first = std::min(*member.staleSince, first.value_or(*member.staleSince));
  }
  return live >= needed ? std::nullopt : first;
}

void takeHistory(LockRecord &whole, const LockRecord &member) {
  whole.seenAt = std::min(whole.seenAt, member.seenAt);
  whole.heldSinceExact = whole.heldSince <= member.heldSince ? whole.heldSinceExact : member.heldSinceExact;
  whole.heldSince = std::min(whole.heldSince, member.heldSince);
  whole.lease = std::max(whole.lease, member.lease);
  if (member.renewals > whole.renewals) {
    whole.renewals = member.renewals;
    whole.renewalPeriod = member.renewalPeriod;
  }
  whole.renewedAt = std::max(whole.renewedAt, member.renewedAt);
  if (member.waiters)
    whole.waiters = std::max(*member.waiters, whole.waiters.value_or(0));
  if (member.queue.size() > whole.queue.size())
    whole.queue = member.queue;
}

// What rows of one name by other holders say of one that has no majority.
struct Rivals {
  bool areShared = false;   // one of its holders lies elsewhere with others, or without them: no set of holders can be told
  std::size_t majority = 0; // on how many masters another has it who keeps these out; 0: nobody has a majority
};

Rivals rivalsOf(const Members &members, const std::vector<Members> &groups, const std::vector<LockRecordPtr> &locks, std::size_t masters) {
  Rivals rivals;
  const auto &mine = *locks[members.front()];
  for (const auto &group : groups) {
    const auto &other = *locks[group.front()];
    if (&group == &members || !areOfOneForm(mine, other))
      continue;
    if (haveCommonHolder(mine, other))
      rivals.areShared = true;
    else if (group.size() * 2 > masters && excludes(mine, other))
      rivals.majority = group.size();
  }
  return rivals;
}

std::string evidenceOf(const LockRecord &whole, std::size_t rivals) {
  const auto lies = whole.members.size();
  if (rivals > 0)
    return fmt::format("its token lies on {} of {} masters, another holder's on {}: a Redlock, which that one holds", lies, whole.masters, rivals);
  if (whole.holders.size() > 1)
    return whole.hasMajority() ? fmt::format("the same holders lie on {} of {} masters: a Redlock, held by its majority", lies, whole.masters)
                               : fmt::format("the same holders lie on {} of {} masters: a Redlock without a majority, which nobody holds", lies, whole.masters);
  return whole.hasMajority() ? fmt::format("the same token lies on {} of {} masters: a Redlock, held by its majority", lies, whole.masters)
                             : fmt::format("the same token lies on {} of {} masters: a Redlock without a majority, which nobody holds", lies, whole.masters);
}

// One holder's: with the count that most of its masters have.
void setCount(LockRecord &whole, const std::vector<LockRecordPtr> &locks, const Members &members) {
  std::map<std::int64_t, std::size_t> masters;
  for (const auto i : members)
    ++masters[locks[i]->holders.front().count];
  const auto most = std::ranges::max_element(masters, {}, [](const auto &one) { return one.second; })->first;
  whole.holders.front().count = most;
  std::size_t others = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (const auto &holder = locks[members[i]]->holders.front(); holder.count != most) {
      whole.members[i].own = holder;
      ++others;
    }
  if (others > 0)
    whole.evidence.push_back(fmt::format("masters on which its holder has another count: {}", others));
}

LockMember memberOf(const LockRecord &lock) { return {.node = lock.id.node, .db = lock.id.db, .expiresAt = lock.expiresAt, .staleSince = lock.staleSince}; }

// A vote that nobody can win any more: every master has a token, of one holder or another, and none is on most of them.
bool isSplit(const std::vector<Members> &groups, const std::vector<LockRecordPtr> &locks, const Masters &masters) {
  std::size_t tokens = 0;
  for (const auto &members : groups) {
    const auto &first = *locks[members.front()];
    if (!isToken(first) || !mayBeRedlock(first) || members.size() * 2 > masters.size())
      return false;
    tokens += members.size();
  }
  return masters.size() > 2 && tokens == masters.size() && masters.unfollowed() == 0;
}

LockRecordPtr split(const std::vector<LockRecordPtr> &locks, const Members &members, std::size_t masters) {
  auto whole = std::make_shared<LockRecord>(*locks[members.front()]);
  whole->masters = masters;
  whole->holders.clear();
  for (const auto i : members) {
    const auto &member = *locks[i];
    const auto &holder = member.holders.front();
    whole->members.push_back(memberOf(member));
    whole->members.back().own = holder;
    if (std::ranges::find(whole->holders, holder) == whole->holders.end())
      whole->holders.push_back(holder);
    takeHistory(*whole, member);
  }
  whole->expiresAt = endOf(whole->members, 1);
  whole->staleSince = staleSince(whole->members, 1);
  whole->evidence.push_back(fmt::format("tokens of {} holders lie on {} of {} masters, none on most of them: if it is a Redlock, nobody holds it",
                                        whole->holders.size(), members.size(), masters));
  return whole;
}

LockRecordPtr folded(const std::vector<LockRecordPtr> &locks, const Members &members, std::size_t masters, std::size_t rivals) {
  auto whole = std::make_shared<LockRecord>(*locks[members.front()]);
  whole->masters = masters;
  for (const auto i : members) {
    const auto &member = *locks[i];
    whole->members.push_back(memberOf(member));
    takeHistory(*whole, member);
  }
  const auto needed = masters / 2 + 1;
  whole->expiresAt = endOf(whole->members, whole->hasMajority() ? needed : 1);
  whole->staleSince = staleSince(whole->members, std::min(needed, members.size()));
  const bool isSure = whole->confidence >= shownConfidence && (members.size() > 1 || rivals == 0);
  const bool isNamedOtherwise = whole->confidence < contraryName;
  if (!isNamedOtherwise || (whole->hasMajority() && masters > 2))
    whole->confidence = std::max(whole->confidence, isSure ? certain : likely);
  whole->evidence.push_back(evidenceOf(*whole, rivals));
  if (whole->holders.size() == 1)
    setCount(*whole, locks, members);
  return whole;
}

// What a row alone says of the masters; empty: nothing.
std::vector<std::string> notesOf(const LockRecord &lock, std::size_t masters, std::size_t unfollowed, std::size_t others) {
  if (isOfThreads(lock)) {
    if (others == 0)
      return {};
    return {
        fmt::format("masters on which a client's thread of this number holds this name: {} of {}; a RedissonRedLock lies so, each lock by a client of its own",
                    others + 1, masters)};
  }
  if (!mayBeRedlock(lock))
    return {};
  std::vector<std::string> notes;
  if (unfollowed == 0 || 1 + unfollowed < masters / 2 + 1)
    notes.push_back(fmt::format("its token lies on 1 of {} masters: if it is a Redlock, nobody holds it", masters));
  else
    notes.push_back(
        fmt::format("its token lies on 1 of {} masters, of which {} are not followed: if it is a Redlock, who holds it is not known", masters, unfollowed));
  if (others > 0)
    notes.push_back(fmt::format("masters on which another token lies under this name: {}", others));
  return notes;
}

} // namespace

bool mayBeRedlock(const LockRecord &record) {
  constexpr std::array<std::string_view, 9> libraries{"aioredlock", "node-redlock", "pottery", "redlock-net", "redlock-php",
                                                      "redlock-py", "redlock-rb",   "redsync", "rslock"};
  const auto isOne = [&](std::string_view slug) { return std::ranges::find(libraries, slug) != libraries.end(); };
  return record.type == ValueType::String && record.confidence >= shownConfidence && (isOne(record.family) || std::ranges::any_of(record.mayBe, isOne));
}

bool MemberFold::wasFolded(const LockRecord &lock) const {
  const auto found = m_folded.find(lock.id.key.bytes());
  return found != m_folded.end() && std::ranges::find(found->second, nameOfAll(lock)) != found->second.end();
}

LockRecordPtr MemberFold::noted(const LockRecordPtr &lock, const Masters &masters, std::size_t others, std::unordered_map<const LockRecord *, Noted> &kept) {
  const auto unfollowed = masters.unfollowed();
  auto known = m_noted.extract(lock.get());
  const bool isNew = known.empty() || known.mapped().masters != masters.size() || known.mapped().unfollowed != unfollowed || known.mapped().others != others;
  if (!isNew)
    return kept.insert(std::move(known)).position->second.noted;
  Noted now{.plain = lock, .noted = lock, .masters = masters.size(), .unfollowed = unfollowed, .others = others};
  if (const auto notes = notesOf(*lock, masters.size(), unfollowed, others); !notes.empty()) {
    auto whole = std::make_shared<LockRecord>(*lock);
    whole->evidence.insert(whole->evidence.end(), notes.begin(), notes.end());
    now.noted = std::move(whole);
  }
  return kept.emplace(lock.get(), std::move(now)).first->second.noted;
}

void MemberFold::fold(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes) {
  const Masters masters(nodes);
  decltype(m_folded) folds;
  decltype(m_noted) kept;
  if (masters.size() > 1) {
    const auto names = byName(locks, masters);
    std::vector<std::pair<std::size_t, LockRecordPtr>> changed; // the names are views into rows: these are put in at last
    for (const auto &[key, groups] : names) {
      if (groups.size() > 1 && isSplit(groups, locks, masters)) {
        Members all;
        for (const auto &members : groups)
          all.insert(all.end(), members.begin(), members.end());
        std::ranges::sort(all);
        changed.emplace_back(all.front(), split(locks, all, masters.size()));
        for (const auto i : all | std::views::drop(1))
          changed.emplace_back(i, nullptr);
        continue;
      }
      for (const auto &members : groups) {
        const auto &first = locks[members.front()];
        const bool hasMajority = members.size() * 2 > masters.size();
        const auto rivals = hasMajority ? Rivals() : rivalsOf(members, groups, locks, masters.size());
        if (!rivals.areShared && (members.size() > 1 || rivals.majority > 0 || wasFolded(*first))) {
          folds[std::string(key)].push_back(nameOfAll(*first));
          changed.emplace_back(members.front(), folded(locks, members, masters.size(), rivals.majority));
          for (const auto i : members | std::views::drop(1))
            changed.emplace_back(i, nullptr);
        } else if (masters.areMet() && members.size() == 1 && (isToken(*first) || isOfThreads(*first))) {
          std::size_t others = 0;
          for (const auto &other : groups)
            others += &other != &members && areAlike(*locks[other.front()], *first) ? other.size() : 0;
          changed.emplace_back(members.front(), noted(first, masters, others, kept));
        }
      }
    }
    for (auto &[i, row] : changed)
      locks[i] = std::move(row);
    std::erase(locks, nullptr);
  }
  m_folded = std::move(folds);
  m_noted = std::move(kept);
}

void foldMembers(std::vector<LockRecordPtr> &locks, std::span<const NodeStatus> nodes) { MemberFold().fold(locks, nodes); }

} // namespace lockhouse
