// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_record.h"
#include "core/watch/text/pattern.h"

#include <span>

namespace lockhouse {

/// One way in which a family's lock lies in Redis: a type, and what its name and its parts look like.
struct Form {
  ValueType type = ValueType::String;
  std::optional<Pattern> key;     ///< of the name; nothing: any name
  std::optional<Pattern> element; ///< of a string's value, a hash's fields, a set's, sorted set's or list's members; nothing: any
  std::optional<Pattern> content; ///< of a hash's values
  ScoreMeaning score = ScoreMeaning::None;
  HoldMode mode = HoldMode::Exclusive;
  double confidence = 0;                ///< 0: the form alone proves nothing; the row of who claims it says that it may be this family
  bool isNamedLock = false;             ///< only under a name that speaks of a lock
  bool isAmidOthers = false;            ///< other fields may lie there too, and are none of it
  bool isLone = false;                  ///< one element, no more
  bool isWaiting = false;               ///< who is named does not hold it yet
  bool isLeased = false;                ///< only with a time to live
  bool hasEvidence = false;             ///< only with one of the keys that belong beside it
  std::string evidence;                 ///< in words
  std::string releaseClass = {};        ///< where its locks are freed in another way than its family's; empty: they are not
  std::vector<std::string> advice = {}; ///< for whoever releases these, besides the family's
};

/// Why a key of this form is known as its family's.
Message evidenceOf(const Form &form);

/// What a key beside a lock is to it.
enum class Role : std::uint8_t {
  Queue,     ///< those who wait, in order: a list, or a sorted set
  Deadlines, ///< until when their places last: a sorted set or a hash of epoch ms
  Counter,   ///< the counter of its fencing tokens
  Permits,   ///< of a semaphore: who has one; a sorted set, score = when it lapses
  Readers,   ///< of a read-write lock: a set
  Signal,    ///< a list by which who waits is woken
  Vote,      ///< one of several keys that together are the lock
  Support,   ///< ordinary data that tells a library's lock from another's: never hidden
  Part       ///< anything else of it
};

struct CompanionKey {
  Pattern key; ///< of the captures of the form's name, and {lock}, which stands for the whole name
  ValueType type = ValueType::Unknown;
  Role role = Role::Part;
  std::string field; ///< of a witness that is a hash: without this field it is none; empty: any hash is
  /// Of a member whose name any key may have: what the names open with that lead to the lock by themselves; under others the value has to
  /// be a lock's, see FamilyRegistry::memberOf. Empty: all names lead there.
  std::string opening;
  std::string wake;                        ///< of a queue: the entry that only wakes who is blocked on it, and is nobody; empty: each of them waits
  ScoreMeaning score = ScoreMeaning::None; ///< of a queue that is a sorted set: until when each place lasts; None: they tell the order
  std::vector<Pattern> waiters = {};       ///< of a queue: what all who stand in it are called, so that it alone tells of a free lock; empty: it does not
};

constexpr std::size_t mostCompanionKeys = 64; ///< of all families together, users' own too

/// How those who want it wait, as far as Redis can show it.
enum class Waits : std::uint8_t { Unseen, Never, Listening, Queued, Blocked };

struct KeyFacts;
struct FamilyMatch;

/// A library's lock, or one of its primitives: what it looks like, and what has to be known to free it. Made from text (family_text.h).
struct Family {
  std::string slug;
  std::string title;      ///< "ShedLock (Java)"
  std::string shortTitle; ///< "ShedLock": what a column has room for
  std::string about;      ///< what a row of this family means, in one sentence
  LockKind kind = LockKind::Mutex;
  std::string releaseClass; ///< letters of releaseClasses
  Waits waits = Waits::Unseen;
  std::optional<Pattern> channel;     ///< that its waiters listen to: of the captures of the form's name, and {lock}
  std::optional<Pattern> alsoChannel; ///< that those of other versions listen to
  std::vector<std::string> advice;    ///< for whoever releases it, one sentence each
  std::string source;                 ///< where its format is from
  std::vector<Form> forms;
  std::vector<CompanionKey> companion;
  /// Of the built-in families whose evidence is more than a form can say.
  std::optional<FamilyMatch> (*recognise)(const Family &family, const KeyFacts &facts) = nullptr;
  double surest = 1; ///< what `recognise` claims is never surer
  /// The lease that its locks have where their user chose none, which their holders then lengthen this often; both or neither.
  std::optional<milliseconds> lease, renewedEvery;
  bool isTokenShared = false;    ///< one token may lie under several keys: of a lock of several resources, or of one instance
  bool isHolderRepeated = false; ///< what stands for a holder is the same in each of his holds: a thread, a process, an object of the library
  bool isUsers = false;          ///< from a settings file
};

/// Whether each holder in a key of this type has an end of its lease in its entry ({until}). A sorted set has it in its scores instead.
bool hasLeasePerHolder(const Family &family, ValueType type);

/// A: delete it. B: and publish. C: and push to a list. D: take out one holder. E: correct a number. F: its holder makes it anew.
/// G: whoever held it deletes what lies there when he leaves. J: a job goes on without it.
constexpr std::string_view releaseClasses = "ABCDEFGJ";

/// What it takes, a sentence for each letter of `classes`; of a family whose clients never wait it speaks of no waiter.
std::vector<Message> releaseClassMessages(std::string_view classes, Waits waits = Waits::Unseen);

/// How a lock is freed: letters of releaseClasses, and what is to be minded besides what its family says.
struct ReleaseWay {
  std::string_view releaseClass;
  std::span<const std::string> advice;
};

/// What to mind before one of its locks is freed, a sentence each.
std::vector<Message> adviceOf(const Family &family);
std::vector<Message> adviceOf(const ReleaseWay &way);
std::vector<Message> adviceOf(const Family &family, const ReleaseWay &way); ///< both

/// By the first form by which it may be held so and whose name this lock has, else by one that any name has, or by any where no form has it; by
/// the family where there is none.
ReleaseWay releaseWayOf(const Family &family, std::string_view lock, HoldMode mode);

/// The bytes of `derived`, a key beside a lock or its channel, for a lock of this name; nothing if the name is of no form of the family.
std::optional<std::string> companionName(const Family &family, const Pattern &derived, std::string_view lock);

/// The same in every way in which the name can be read, where a form does not tell where one part of it ends: the ways with the shortest
/// first parts first, up to `most`.
std::vector<std::string> companionNames(const Family &family, const Pattern &derived, std::string_view lock, std::size_t most);

/// Of a family of a user's own: whose key is a queue itself, of which the first has the lock and the others wait.
bool isLine(const Family &family, const Form &form);

/// The other keys of a lock that lies under several (Role::Vote), in their order; empty: it is of none of the family's forms, or lies under one.
std::vector<std::string> memberKeys(const Family &family, std::string_view lock);

/// Whether a key that is that to a lock may be of this type.
bool mayBeOf(Role role, ValueType type);

std::string_view name(Role role);            ///< "queue", "deadlines", "fence", "permits", "readers", "signal", "member", "witness", "part"
std::string_view name(Waits waits);          ///< "unseen", "never", "channel", "queue", "blocked"
std::string_view name(ScoreMeaning meaning); ///< "none", "until", "until_s", "since", "since_s", "order"

} // namespace lockhouse
