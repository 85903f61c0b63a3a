// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/redlock_candidates.h"

#include "core/watch/text/pattern.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <tuple>

namespace lockhouse {
namespace {

constexpr std::size_t leastToken = 16; // bytes: a shorter value may be the same on two nodes by accident
constexpr std::size_t uniqidSize = 13; // redlock-php's, which tells the microsecond
constexpr std::size_t uuidSize = 36;
constexpr seconds longestVote(5); // its losers release at once, and what one of them left alone lapses

constexpr std::array<std::string_view, 9> redlockLibraries{"aioredlock", "node-redlock", "pottery", "redlock-net", "redlock-php",
                                                           "redlock-py", "redlock-rb",   "redsync", "rslock"};

// Whose locks are Redlocks where their users name several masters, and locks of one master where they name one.
constexpr std::array<std::string_view, 2> librariesOfBoth{"distributedlock", "redis-plus-plus"};

bool isRedlockLibrary(std::string_view slug) { return std::ranges::find(redlockLibraries, slug) != redlockLibraries.end(); }
bool mayWriteRedlocks(std::string_view slug) { return isRedlockLibrary(slug) || std::ranges::find(librariesOfBoth, slug) != librariesOfBoth.end(); }

// Whose library knows one master, and whose users choose the owner's name: the same in all of their environments.
bool isOfOneMaster(const LockRecord &record) { return record.family == "dapr"; }

constexpr bool isLower(char c) { return c >= 'a' && c <= 'z'; }

// As a word of its own: not in "sharedLock".
bool namesRedlock(std::string_view key) {
  constexpr std::string_view word = "redlock";
  const auto isSame = [](char a, char b) { return (a | 0x20) == b; };
  for (auto rest = key; !rest.empty();) {
    const auto found = std::ranges::search(rest, word, isSame);
    if (found.empty())
      return false;
    const auto at = static_cast<std::size_t>(found.begin() - key.begin());
    const char before = at == 0 ? ':' : key[at - 1];
    if (!isLower(static_cast<char>(before | 0x20)) || (isLower(before) && key[at] == 'R'))
      return true;
    rest = key.substr(at + 1);
  }
  return false;
}

bool isRedisson(const LockRecord &record) { return record.type == ValueType::Hash && (record.family == "redisson-lock" || record.family == "redisson-fair"); }

bool isUniqid(const LockRecord &record) {
  return record.holders.size() == 1 && record.holders.front().id.size() == uniqidSize && std::ranges::find(record.mayBe, "redlock-php") != record.mayBe.end();
}

bool mayBeMember(const LockRecord &record) {
  const bool mayHaveSeveral = record.kind == LockKind::ReadWrite || record.kind == LockKind::Semaphore;
  const bool areNamed =
      std::ranges::all_of(record.holders, [](const Holder &holder) { return holder.id.size() >= leastToken; }) || isUniqid(record) || isByOwnersName(record);
  return record.isHeld() && areNamed && !isOfOneMaster(record) && (mayHaveSeveral || record.holders.size() == 1) && record.unread == 0 &&
         record.neededVotes == 0 && record.kind != LockKind::Latch && (!record.isDoubtful() || (isToken(record) && record.expiresAt));
}

// A token under a name that tells of no lock, and without a lease: a member where others with a lease have the same.
bool mayJoin(const LockRecord &record) {
  return isToken(record) && !isOfOneMaster(record) && !record.expiresAt && record.holders.size() == 1 && record.holders.front().id.size() >= leastToken &&
         record.unread == 0 && record.neededVotes == 0;
}

// What tells rows of one name apart that have nothing to do with each other: the form of what lies there. Whose token it is, or whether
// a queue makes a lock of Redisson's a fair one, may be seen on one master and not on the next.
std::string_view formOf(const LockRecord &record) {
  if (isToken(record))
    return {};
  return isRedisson(record) ? std::string_view("redisson-lock") : std::string_view(record.family);
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

auto groupOf(const LockRecord &lock, std::vector<MemberRows> &groups, const std::vector<LockRecordPtr> &locks) {
  return std::ranges::find_if(groups, [&](const MemberRows &members) {
    const auto &first = *locks[members.front()];
    return areOfOneForm(first, lock) && haveSameHolders(first, lock);
  });
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

// redis-py's, which knows one master. Random tokens look so by accident, but hardly two of them.
bool isTimed(std::string_view token) {
  static const Pattern ofRedisPy = *Pattern::parse("{v1:hexuuid1}");
  return ofRedisPy.matches(token);
}

// Of holders that are Redisson's: whatever their clients are, which threads of theirs.
std::vector<std::string_view> threadsOf(const LockRecord &record) {
  std::vector<std::string_view> threads;
  for (const auto &holder : record.holders)
    threads.push_back(std::string_view(holder.id).substr(std::min(uuidSize, holder.id.size())));
  std::ranges::sort(threads);
  return threads;
}

// "web-1:4711", "my-own-id"; not "running" or "4711", which several may write who know nothing of each other.
bool isOwnersName(std::string_view value) {
  bool hasLetter = false, hasMore = false;
  for (const char c : value) {
    const bool isLetter = isLower(static_cast<char>(c | 0x20));
    if (!isLetter && !(c >= '0' && c <= '9') && std::string_view("._:@|/-").find(c) == std::string_view::npos)
      return false;
    hasLetter |= isLetter;
    hasMore |= !isLetter;
  }
  return hasLetter && hasMore;
}

// Of a cluster's masters each has names of its own: what two of them have for a moment is moving.
bool isAlone(const NodeStatus *master) { return master && !master->isCluster; }

} // namespace

bool isByOwnersName(const LockRecord &record) {
  return isToken(record) && record.holders.size() == 1 && record.holders.front().id.size() < leastToken && !isUniqid(record) && !record.isDoubtful() &&
         record.expiresAt.has_value() && isOwnersName(record.holders.front().id);
}

bool areOfOneForm(const LockRecord &a, const LockRecord &b) {
  const auto mayBeMissing = [](const LockRecord &record) { return record.type == ValueType::String || record.type == ValueType::None; };
  return formOf(a) == formOf(b) && (a.type == b.type || (mayBeMissing(a) && mayBeMissing(b))); // beside keys of its own
}

bool isToken(const LockRecord &record) { return record.type == ValueType::String && record.kind == LockKind::Mutex; }

bool isOfThreads(const LockRecord &record) { return isRedisson(record) || (record.type == ValueType::Hash && record.family == "redisson-rw"); }

bool isNamedRedlock(const LockRecord &record) {
  return isToken(record) && !record.isDoubtful() && (isRedlockLibrary(record.family) || namesRedlock(record.id.key.bytes()));
}

bool mayBeRedlock(const LockRecord &record) {
  return isNamedRedlock(record) ||
         (record.type == ValueType::String && !record.isDoubtful() && (mayWriteRedlocks(record.family) || std::ranges::any_of(record.mayBe, mayWriteRedlocks)));
}

bool areAlike(const LockRecord &a, const LockRecord &b) { return areOfOneForm(a, b) && (!isOfThreads(a) || threadsOf(a) == threadsOf(b)); }

std::unordered_map<std::string_view, std::vector<MemberRows>> groupsByName(const std::vector<LockRecordPtr> &locks, const MasterSet &masters) {
  std::unordered_map<std::string_view, std::vector<MemberRows>> byKey;
  const LockRecord *before = nullptr;
  bool isOnMaster = false;
  MemberRows joining;
  for (std::size_t i = 0; i < locks.size(); ++i) {
    const auto &lock = *locks[i];
    if (!before || before->id.node != lock.id.node || before->id.db != lock.id.db)
      isOnMaster = isAlone(masters.find(lock.id));
    before = &lock;
    if (isOnMaster && mayBeMember(lock)) {
      auto &groups = byKey[lock.id.key.bytes()];
      if (const auto group = groupOf(lock, groups, locks); group == groups.end())
        groups.push_back({i});
      else
        group->push_back(i);
    } else if (isOnMaster && mayJoin(lock))
      joining.push_back(i);
  }
  for (const auto i : joining)
    if (const auto found = byKey.find(locks[i]->id.key.bytes()); found != byKey.end())
      if (const auto group = groupOf(*locks[i], found->second, locks); group != found->second.end())
        group->insert(std::ranges::upper_bound(*group, i), i);
  return byKey;
}

Rivals rivalsOf(const MemberRows &members, const std::vector<MemberRows> &groups, const std::vector<LockRecordPtr> &locks, std::size_t masters) {
  Rivals rivals;
  const auto &mine = *locks[members.front()];
  for (const auto &group : groups) {
    const auto &other = *locks[group.front()];
    if (&group == &members || !areOfOneForm(mine, other))
      continue;
    if (haveCommonHolder(mine, other))
      rivals.areShared = true;
    else if (group.size() * 2 > masters && excludes(mine, other))
      rivals.isLost = true;
  }
  return rivals;
}

bool isSplit(const std::vector<MemberRows> &groups, const std::vector<LockRecordPtr> &locks, const MasterSet &masters) {
  if (masters.size() < 3 || !masters.areMet() || masters.first()->isCluster)
    return false;
  std::size_t tokens = 0, timed = 0;
  for (const auto &members : groups) {
    const auto &first = *locks[members.front()];
    if (!isToken(first) || !mayBeRedlock(first) || members.size() * 2 > masters.size())
      return false;
    tokens += members.size();
    timed += isTimed(first.holders.front().id);
  }
  return tokens * 2 > masters.size() && timed < 2;
}

bool areRenewed(const std::vector<MemberRows> &groups, const std::vector<LockRecordPtr> &locks) {
  const auto isRenewed = [&locks](std::size_t i) { return locks[i]->renewals > 0; };
  return std::ranges::any_of(groups, [&](const MemberRows &members) { return std::ranges::any_of(members, isRenewed); });
}

bool haveStayed(const std::vector<MemberRows> &groups, const std::vector<LockRecordPtr> &locks, SteadyTime now) {
  const auto hasStayed = [&](std::size_t i) { return locks[i]->heldSince + longestVote < now; };
  return std::ranges::count_if(groups, [&](const MemberRows &members) { return std::ranges::all_of(members, hasStayed); }) > 1;
}

} // namespace lockhouse
