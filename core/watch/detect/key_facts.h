// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_record.h"
#include "core/watch/text/name_classifier.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

struct CompanionKey;

/// A member of a list, set or sorted set.
struct Member {
  std::string bytes;
  double score = 0; ///< of a sorted set
  bool operator==(const Member &) const = default;
};

/// One key beside a lock that is there.
struct CompanionFacts {
  const CompanionKey *form = nullptr;
  std::string key = {};        ///< its name
  std::string value = {};      ///< of a string, cut at longestToken + 1 bytes
  std::vector<Member> members; ///< of a list, set or sorted set; of a hash its fields, with values that are numbers as scores; cut at 1000
  std::uint64_t size = 0;      ///< exact
  std::optional<milliseconds> ttl;
};

/// Everything that was read of one key and of the keys that belong to it, in one turn.
constexpr LockWords lockWordsOf(ValueType type) { return type == ValueType::SortedSet ? LockWords::AndSemaphores : LockWords::Locks; }

struct KeyFacts {
  std::string_view key;
  bool isOfCluster = false;                                ///< its node shares the keys of its lock with others: the rest may lie there
  ValueType type = ValueType::None;                        ///< None: the key is absent, only what lies beside it was found
  std::string value;                                       ///< of a string, cut at longestHolder bytes where it may be a lock, else at longestToken + 1
  std::vector<std::pair<std::string, std::string>> fields; ///< of a hash; complete unless `size` says more; of a long value its ends, see shortened()
  std::vector<Member> members;                             ///< of a list, set or sorted set, cut at 1000
  std::vector<Member> tail;                                ///< of a sorted set of more: those behind them of the highest scores, cut at 1000
  std::uint64_t size = 0;                                  ///< exact: fields, members or bytes
  bool areEnds = false;                                    ///< of a sorted set: its scores were seen to be ends of leases before
  std::uint64_t passed = 0;                                ///< of `size`: looked at by the server, and none of a lock's
  std::optional<milliseconds> ttl;                         ///< nothing: it never expires
  std::vector<std::string> queue;                          ///< of a fair lock, in order, cut at 1000
  std::uint64_t queueLength = 0;
  std::vector<std::pair<std::string, double>> places; ///< waiter → epoch milliseconds at which its place lapses
  std::optional<Fence> fence;
  std::vector<CompanionFacts> companion; ///< the other keys that belong to it
  struct ReaderLease {
    std::string reader;
    milliseconds left{}; ///< of the longest of his; 0: all of them are over
  };
  std::vector<ReaderLease> readerLeases; ///< of a Redisson lock of several readers, as far as they are known; see KeyReader
  struct SubscriberCounts {
    std::uint64_t lock = 0, readWrite = 0, permits = 0, latch = 0; ///< clients, not threads
    std::uint64_t oldLock = 0, oldReadWrite = 0;                   ///< of the channels as clients of 2016 have them; asked for only with one key
  };
  std::optional<SubscriberCounts> listeners;     ///< of the channels by which Redisson's waiters are woken, sharded ones too; nothing: not known
  std::optional<std::uint64_t> channelListeners; ///< of the channel that its family names, the same; nothing: not asked
  std::optional<std::uint64_t> blockedClients;   ///< of this database, by blocking commands, whichever key they wait for; nothing: not known
  enum class Odd : std::uint8_t {
    OtherType, ///< it holds something else than what belongs there
    Refused,   ///< this user may not read it
    Unserved,  ///< by the cluster now
    Heavy      ///< it holds entries that are too long to be fetched
  };
  struct Problem {
    std::string key;
    Odd odd;
    bool operator==(const Problem &) const = default;
  };
  std::vector<Problem> problems; ///< what is wrong with the keys beside it
  SteadyTime seenAt{};
  milliseconds serverTime{};              ///< the server's wall clock at seenAt, since 1970
  mutable std::string_view nameRead = {}; ///< of which nameSays tells; see name()
  mutable NameEvidence nameSays = {};
  mutable bool mayBeCompanion =
      false; ///< a list: its name is one of those beside a lock of the families that look at it, users' own too; told by FamilyRegistry

  bool isClosed(std::string_view other) const { ///< it is not known what it holds
    return std::ranges::any_of(problems, [other](const Problem &each) { return each.key == other && (each.odd == Odd::Refused || each.odd == Odd::Unserved); });
  }
  bool isOdd(std::string_view other) const { return std::ranges::find(problems, other, &Problem::key) != problems.end(); }
  const CompanionFacts *find(const CompanionKey &form) const {
    for (const auto &each : companion)
      if (each.form == &form)
        return &each;
    return nullptr;
  }

  /// What the key's name says, worked out once for all who ask.
  const NameEvidence &name() const {
    if (nameRead.data() != key.data() || nameRead.size() != key.size()) {
      nameSays = nameEvidence(key, lockWordsOf(type));
      nameRead = key;
    }
    return nameSays;
  }
};

} // namespace lockhouse
