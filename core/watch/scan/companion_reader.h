// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/key_facts.h"
#include "core/watch/scan/read_target.h"
#include "core/watch/scan/size_check.h"

#include <map>

namespace lockhouse {

/// Reads what belongs to a lock apart from its own key: a Redisson fair lock's queue and deadlines, the fence, the companion keys that families
/// name, and the number of subscribers of the channels that wake its waiters. Of each key as much as KeyReader reads of the lock's own.
class CompanionReader {
public:
  /// From Other on there are three parts for each companion key that a family names: its content, its size, its time to live.
  enum Part : unsigned { QueueLength = 24, Queue, Deadlines, Fence, Namesake, SubscriberCounts, Subscribers, ShardCounts, ShardSubscribers, Other };

  /// Which keys there are for a lock whose own key is of this type.
  void begin(const ReadTarget &target, ValueType type);
  void addTo(SizeCheck &sizes, const ReadTarget &target, ValueType type) const;
  void ask(const ReadTarget &target, const SizeCheck &sizes, KeyFacts &facts, ReadCommands &out);
  /// `more`: what a key holds beyond the first answer; asked for in a second turn.
  void take(unsigned part, const ReadTarget &target, const Reply &reply, KeyFacts &facts, ReadCommands &more);
  enum class Failure {
    Noted,      ///< the lock can be read without it
    Refused,    ///< this key makes the whole lock unreadable
    ByTheServer ///< an error that does not concern this key
  };
  Failure takeFailure(unsigned part, const ReadTarget &target, const SizeCheck &sizes, const Reply &reply, KeyFacts &facts);
  std::string keyOf(unsigned part, const ReadTarget &target) const; ///< that the command of this part reads
  void addFound(KeyFacts &facts);                                   ///< those that exist become facts, in the end

  /// The queue belongs to the lock whose name is this one in braces: both have the same queue key.
  bool isNamesakes() const { return m_isNamesakes; }
  bool foundAbsent(const CompanionKey &form) const; ///< the key of this form was looked at and does not exist
  const std::optional<Error> &refusedReaders() const { return m_refusedReaders; }
  const std::optional<Error> &refusedPermits() const { return m_refusedPermits; }
  void noteRefusedCounts(ReadHeuristics &heuristics) const;

private:
  std::vector<CompanionFacts> m_others;              // asked for; those that exist become facts
  std::map<std::string, std::ptrdiff_t> m_wrongType; // by key: for how many families it holds another type
  std::optional<Error> m_refusedReaders, m_refusedPermits;
  bool m_isNamesakes = false;
  bool m_areCountsRefused = false, m_areShardCountsRefused = false;

  void askSubscribers(const ReadTarget &target, ValueType type, ReadCommands &out) const;
  void askFairQueue(const ReadTarget &target, const SizeCheck &sizes, KeyFacts &facts, ReadCommands &out) const;
  void askOthers(const SizeCheck &sizes, KeyFacts &facts, ReadCommands &out) const;
  CompanionFacts &otherOf(unsigned part);
  const CompanionFacts &otherOf(unsigned part) const;
  void takeOther(unsigned part, const Reply &reply, ReadCommands &more);
  Failure takeFailureOfOther(unsigned part, const SizeCheck &sizes, const Reply &reply, KeyFacts &facts);
};

} // namespace lockhouse
