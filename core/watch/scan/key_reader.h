// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/scan/key_probe.h"

#include <map>
#include <string>
#include <vector>

namespace lockhouse {

constexpr std::uint64_t everyOther = ~std::uint64_t{0}; ///< of Beside::others: of a key that somebody asks for

/// What is read with a lock beside its own key.
struct Companion {
  bool queue = false; ///< a Redisson fair lock's queue and deadlines
  bool fence = false;
  bool listeners = false;   ///< how many clients subscribe to its channels, if it may have some
  bool sharded = false;     ///< and how many to its sharded channels
  bool numbers = false;     ///< somebody listens to it as a semaphore or latch of Redisson's
  bool light = false;       ///< when last looked at none of these held much: they need not be weighed again
  bool isLong = false;      ///< when last read it took many pages: not for each of its changes at once
  std::uint64_t others = 0; ///< bit i: what companionKeys()[i] of the families names
  void add(Companion other) {
    light = light && (other.light || covers(other));
    queue |= other.queue;
    fence |= other.fence;
    listeners |= other.listeners;
    sharded |= other.sharded;
    numbers |= other.numbers;
    others |= other.others;
  }
  /// Whether who reads this reads all of `other` too.
  bool covers(Companion other) const {
    return (queue || !other.queue) && (fence || !other.fence) && (numbers || !other.numbers) && (other.others & ~others) == 0;
  }
  bool isExpected() const { return queue || fence || numbers || others != 0; } ///< what it holds may tell nothing without these
  bool mayStandAlone() const { return queue || others != 0; }                  ///< it may be a lock though its own key is absent
};

/// Reads one key until it is known whether it is a lock and, if so, everything about it: a machine without I/O. First the looks
/// of first_look.h, unless the type is known; then, of what is not known to be light, MEMORY USAGE of each key that is no string, and
/// how many entries it has where that is more than 64 KB: entries of more than a kilobyte on average are not fetched, but told
/// of where they lie beside a lock. Then one turn of commands whose answers alone make the record:
///   string: GETRANGE, PTTL. hash: HSCAN (further pages up to 1100 fields), PTTL; of one that is known for what else lies there, and of
///   a long RFasterMultiLock, HSCAN MATCH of its locks' fields (up to 100 pages, 1000 of who asks for this one key; 1000 locks), and HMGET of the
///   others that belong to them; where it has up to 1000 entries that are too long to be fetched, HKEYS instead.
///   list: LRANGE 0 999, PTTL. set: SSCAN, PTTL. sorted set: ZRANGE 0 999 WITHSCORES, PTTL.
///   with its listeners: PUBSUB NUMSUB of two channels (of a hash that somebody asks for, of four), or of the one that its family names; at a node of a cluster SHARDNUMSUB of the same.
///   with its queue: LRANGE 0 999, ZRANGE 0 999 WITHSCORES. with its fence: GETRANGE. Of the other keys beside it the same as of
///   the lock itself, by their types.
/// Of a Redisson read-write lock of several holders, in a turn of its own, PTTL of up to a hundred of its readers' timeout keys: of each reader
/// all of his, or none.
/// Of what is more than that, in a second turn: HLEN, LLEN, SCARD or ZCARD, and of a sorted set ZRANGE -1000 -1; of a string that is longer than a token
/// under a name of locks GETRANGE 0 1023 and STRLEN.
/// Promised: no command's work grows with a stranger's data; a key that changes its type in between is read again, at most
/// three times. Not promised: atomicity between the commands; a change in between raises a hint that makes it read again.
class KeyReader {
public:
  enum class End { Pending, Lock, NoLock, Absent, Refused, Failed };
  struct TaggedCommand {
    unsigned part; ///< to be handed back with the answer
    Command command;
  };

  /// `channel`: of the lock's waiters, where its family is known and names one; empty: none.
  KeyReader(std::string key, Companion companion, const FamilyRegistry &families, std::string channel = {})
      : m_key(std::move(key)), m_companions(companion), m_families(&families), m_channel(std::move(channel)) {}

  /// `type` Unknown: looks first; otherwise reads whole at once.
  void start(ValueType type, const ReadHeuristics &lore, SteadyTime now, std::vector<TaggedCommand> &out);
  End on(unsigned part, Result<Reply> answer, SteadyTime now, ReadHeuristics &lore, std::vector<TaggedCommand> &out);

  const std::string &key() const { return m_key; }
  Companion companion() const { return m_companions; }
  const std::string &channel() const { return m_channel; } ///< that it was made with
  bool hasChannel() const { return !m_channel.empty(); }
  /// Of End::Lock; serverTime is left to the caller. Refers to this object.
  KeyFacts &facts() {
    m_facts.key = m_key;
    return m_facts;
  }
  bool isGone() const { return m_facts.type == ValueType::None; } ///< of End::Lock: its own key is absent, whatever lies beside it
  bool isElsewhere() const { return m_isElsewhere; }              ///< of End::Refused: another master of the cluster serves its slot, and it is none here
  SteadyTime askedAt() const { return m_askedAt; }                ///< of the turn that made the facts
  /// Of End::Failed and End::Refused; of End::Absent and End::Lock, if the key itself lies on another master of the cluster, or may not be read.
  const std::optional<Error> &error() const { return m_error; }
  /// Whether there may be a lock that was not found: the key has more entries than are read, or, under a name of locks, such as are too
  /// long to be fetched.
  bool isUnread() const;
  std::optional<Error> unread() const;                 ///< the same in words
  bool hasFoundAbsent(const CompanionKey &form) const; ///< it looked at the key of this form, and nothing of the kind lies there
  /// Why those who hold it cannot be read: of a bare number, which only the permits beside it make a lock; of a lock whose readers lie beside it.
  std::optional<Error> closedHolders() const;
  bool areReadersClosed() const { return m_closedReaders.has_value(); } ///< then nobody may be said to hold it not

private:
  /// From Other on: three parts for each of m_others, what it holds, how much that is, and its time to live.
  enum class Part : unsigned {
    Probe,
    Value,
    Length,
    Ttl,
    Fields,
    Names,
    Mode,
    Members,
    QueueLength,
    Queue,
    Places,
    Fence,
    Namesake,
    Named,
    SubscriberCounts,
    Subscribers,
    ShardListeners,
    ShardSubscribers,
    ReaderLease,
    Still,
    Other
  };
  enum class Stage { Looking, Weighing, Counting, Reading };
  struct Weighed {
    std::string key;
    ValueType type;
    std::uint64_t bytes = 0, entries = 0;
    bool isHeavy() const;
  };
  using Odd = KeyFacts::Odd;
  std::string m_key;
  Companion m_companions;
  const FamilyRegistry *m_families;
  std::string m_channel;
  std::vector<CompanionFacts> m_others;          // asked for; those that are there become facts
  std::map<std::string, std::ptrdiff_t> m_wrong; // of their keys: as how many of them it is of another type
  KeyFacts m_facts;
  Probe m_look = Probe::Type;
  Stage m_stage = Stage::Looking;
  std::vector<Weighed> m_weighed;
  std::string m_cursor;              // of HSCAN, while there is more
  std::string m_sift;                // that fields of a long hash must match to be fetched; empty: all are
  std::vector<std::string> m_named;  // fields that are asked for by name
  std::vector<TaggedCommand> m_more; // of what is more than was asked for at first: how much it is
  struct ReaderLease {
    std::string reader;
    milliseconds left{};
    bool isKnown = true;
  };
  std::vector<ReaderLease> m_leases;
  std::vector<std::size_t> m_leaseAsks; // whose of them, in the order in which they are asked for and answered
  std::size_t m_leasesAnswered = 0;
  unsigned m_pending = 0;
  unsigned m_restarts = 0;
  unsigned m_pages = 0;
  std::uint64_t m_unkept = 0;                // fields of locks beyond the many that are kept
  std::size_t m_owners = 0, m_strangers = 0; // fields of the hash so far
  bool m_hasCome = false;                    // a key that was gone when this turn began
  bool m_gone = false, m_wrongType = false, m_refused = false, m_foreign = false, m_isElsewhere = false;
  bool m_isCut = false;              // of a sifted hash: not all was looked at
  std::vector<std::string> m_elided; // keys that were fetched and have an entry that is longer than any that is kept
  bool m_isToWeigh = false;          // one of them was found just now
  bool m_listenersRefused = false, m_shardedRefused = false;
  std::optional<Error> m_error, m_refusal, m_elsewhere, m_closedPermits, m_closedReaders;
  SteadyTime m_askedAt{};

  void ask(Part part, Command command, std::vector<TaggedCommand> &out);
  Command fieldsFrom(std::string_view cursor) const;
  bool isOfLocks() const;                              ///< only the fields of locks are fetched, each of which is one
  bool askMoreFields(std::vector<TaggedCommand> &out); ///< false: there is nothing more to ask for
  void askLockedValues(std::vector<TaggedCommand> &out);
  bool askReaderLeases(std::vector<TaggedCommand> &out); ///< false: there is nothing more to ask for
  void takeReaderLease(const Reply &reply);
  void noteReaderLeases();
  void takeNamed(const Reply &reply);
  void takeNames(const Reply &reply);
  bool mayHaveVotes() const;                                            ///< a key beside it led here that may be one of several of a lock
  bool isAskedFor() const { return m_companions.others == everyOther; } ///< by somebody, and not met by a sweep or changed
  void readWhole(ValueType type, SteadyTime now, const ReadHeuristics &lore, std::vector<TaggedCommand> &out);
  void fetch(SteadyTime now, std::vector<TaggedCommand> &out);
  void askListeners(std::string_view subcommand, Part ofTwo, Part ofOne, std::vector<TaggedCommand> &out);
  void askCompanion(std::vector<TaggedCommand> &out);
  End onLook(const Result<Reply> &answer, SteadyTime now, ReadHeuristics &lore, std::vector<TaggedCommand> &out);
  void take(Part part, const Reply &reply);
  void takeMembers(const Reply &reply);
  void takeFields(const Reply &reply);
  bool isCompanionEvidence(const CompanionKey &form) const { return form.role == Role::Support && m_facts.type == ValueType::String; }
  bool isCounted(const CompanionFacts &other) const;
  void findOthers();
  void askOthers(std::vector<TaggedCommand> &out);
  CompanionFacts &otherOf(unsigned part);
  void takeOther(unsigned part, const Reply &reply);
  void noteOther(unsigned part, const Reply &reply);
  void noteOdd(const std::string &key, Odd odd); ///< of a key beside it
  bool weigh(std::vector<TaggedCommand> &out);   ///< false: there is nothing to weigh
  End onWeight(unsigned part, const Result<Reply> &answer, SteadyTime now, ReadHeuristics &lore, std::vector<TaggedCommand> &out);
  const Weighed *heavy(const std::string &key) const; ///< null: it may be fetched
  bool isElided(const std::string &key) const;
  void noteElided(Part part);
  bool mayBelong(std::string_view field) const;
  void takeCompanion(Part part, const Reply &reply);
  void takeFailure(Part part, const Reply &reply);
  End conclude(SteadyTime now, ReadHeuristics &lore, std::vector<TaggedCommand> &out);
};

} // namespace lockhouse
