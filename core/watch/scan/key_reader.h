// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/scan/companion_reader.h"
#include "core/watch/scan/hash_reader.h"
#include "core/watch/scan/key_probe.h"
#include "core/watch/scan/reader_leases.h"
#include "core/watch/scan/size_check.h"

#include <string>

namespace lockhouse {

/// Reads one key until it is known whether it is a lock and, if so, everything about it: a machine without I/O. Unless the type is known, it begins
/// with the probes of key_probe.h. Then the keys that may be too large are checked (SizeCheck). Then one turn of commands follows; their
/// answers alone make the record:
///   string: GETRANGE, PTTL. hash: HSCAN (HashReader), PTTL; if it has up to 1000 entries that are too long to be fetched, HKEYS instead.
///   list: LRANGE 0 999, PTTL. set: SSCAN, PTTL. sorted set: ZRANGE 0 999 WITHSCORES, PTTL.
///   subscribers: PUBSUB NUMSUB of two channels (of a hash that a caller asks for, of four), or of the one that its family names; at a node of a cluster
///   SHARDNUMSUB of the same.
///   queue: LRANGE 0 999, ZRANGE 0 999 WITHSCORES. fence: GETRANGE. Other companion keys: the same as for the lock itself, by their types.
/// Of a Redisson read-write lock of several holders, PTTL of its readers' timeout keys in a turn of its own (ReaderLeases).
/// If there is more than that, a second turn: HLEN, LLEN, SCARD or ZCARD, and of a sorted set ZRANGE -1000 -1; of a string that is longer than a token
/// under a lock's name GETRANGE 0 1023 and STRLEN.
/// Promised: no command's work grows with foreign data; a key that changes its type in between is read again, at most
/// three times. Not promised: atomicity between the commands; a change in between raises a hint, which causes another read.
class KeyReader {
public:
  enum class End { Pending, Lock, NoLock, Absent, Refused, Failed };

  explicit KeyReader(ReadTarget target) : m_target(std::move(target)) {}
  KeyReader(std::string key, Companion companion, const FamilyRegistry &families, std::string channel = {})
      : KeyReader(ReadTarget{std::move(key), companion, &families, std::move(channel)}) {}

  /// `type` Unknown: probes first; otherwise reads everything at once.
  void start(ValueType type, const ReadHeuristics &heuristics, SteadyTime now, ReadCommands &out);
  End on(unsigned part, Result<Reply> answer, SteadyTime now, ReadHeuristics &heuristics, ReadCommands &out);

  const std::string &key() const { return m_target.key; }
  Companion companion() const { return m_target.companion; }
  const std::string &channel() const { return m_target.channel; }
  bool hasChannel() const { return !m_target.channel.empty(); }
  /// Of End::Lock; serverTime is left to the caller. Refers to this object.
  KeyFacts &facts() {
    m_facts.key = m_target.key;
    return m_facts;
  }
  bool isGone() const { return m_facts.type == ValueType::None; } ///< of End::Lock: its own key is absent, only companion keys exist
  bool isElsewhere() const { return m_isElsewhere; }              ///< of End::Refused: another master of the cluster serves its slot, and it is no lock here
  SteadyTime askedAt() const { return m_askedAt; }                ///< of the turn that made the facts
  /// Of End::Failed and End::Refused; of End::Absent and End::Lock, if the key itself is at another master of the cluster, or may not be read.
  const std::optional<Error> &error() const { return m_error; }
  /// Whether there may be a lock that was not found: the key has more entries than are read, or, under a name of locks, entries that are too
  /// long to be fetched.
  bool isUnread() const;
  std::optional<Error> unread() const; ///< the same in words
  bool foundAbsent(const CompanionKey &form) const { return m_companions.foundAbsent(form); }
  /// Why its holders cannot be read: the permits beside a bare number, or the companion key of the readers, may not be read.
  std::optional<Error> refusedHolders() const;
  bool areReadersRefused() const { return m_companions.refusedReaders().has_value(); } ///< then the lock must not be called free

private:
  enum Part : unsigned { Initial, Value, Length, Ttl, Members, Still, ReaderLease };
  static_assert(ReaderLease < unsigned{HashReader::Fields} && unsigned{HashReader::End} <= unsigned{CompanionReader::QueueLength});

  ReadTarget m_target;
  KeyFacts m_facts;
  Probe m_probe = Probe::Type;
  SizeCheck m_sizes;
  HashReader m_hash;
  CompanionReader m_companions;
  ReaderLeases m_readerLeases;
  ReadCommands m_more; // for the second turn: what the first one showed to be missing
  std::size_t m_pending = 0;
  unsigned m_restarts = 0;
  unsigned m_secondTurns = 0;
  bool m_hasAppeared = false; // the key was absent when this turn began
  bool m_isAbsent = false, m_isWrongType = false, m_isForeign = false, m_isElsewhere = false;
  std::optional<Error> m_error, m_refusal, m_elsewhere; // m_elsewhere: another master serves the key, or it may not be read
  SteadyTime m_askedAt{};

  End take(unsigned part, Result<Reply> answer, SteadyTime now, ReadHeuristics &heuristics, ReadCommands &out);
  End onProbe(const Result<Reply> &answer, SteadyTime now, ReadHeuristics &heuristics, ReadCommands &out);
  End probeAgain(Probe before, ReadCommands &out);
  bool readAll(ValueType type, SteadyTime now, const ReadHeuristics &heuristics, ReadCommands &out); // false: nothing is to be asked
  End readCompanions(SteadyTime now, const ReadHeuristics &heuristics, ReadCommands &out);
  void fetch(SteadyTime now, ReadCommands &out);
  void fetchContent(ReadCommands &out) const;
  void takeReply(unsigned part, const Reply &reply);
  void takeValue(const Reply &reply);
  void takeMembers(const Reply &reply);
  void takeFailure(unsigned part, const Reply &reply);
  End conclude(SteadyTime now, ReadHeuristics &heuristics, ReadCommands &out);
  bool askMore(ReadCommands &out);
  End finish(SteadyTime now);
  bool isForeign() const { return m_isForeign || m_hash.isForeign() || m_companions.isNamesakes(); }
  bool mayHaveVotes() const; // a companion key led here that may be one of several keys of a lock
  const SizeCheck::Size *tooLarge() const;
};

} // namespace lockhouse
