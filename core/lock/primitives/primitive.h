// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/lock/options/acquire_policy.h"
#include "core/lock/options/lock_mode.h"
#include "core/lock/options/server_features.h"
#include "core/lock/pages/primitive_info.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockhouse {

/// What the server said to an acquire.
struct AcquireAnswer {
  enum class Kind : std::uint8_t {
    Granted,
    Refused,  ///< somebody else has it
    HoldLost, ///< re-entry, or upgrade, of a hold that is no longer in Redis
    Deadlock, ///< an upgrade, and another reader waits for his already: each would wait for the other; nothing was done
    Busy,     ///< the node cannot answer now (loading, busy script …); nothing was done, asking again may help
    Rejected, ///< an error; nothing was done, asking again is no use
  };
  Kind kind = Kind::Rejected;
  std::optional<std::string> holder = {};    ///< of Refused, where told; of Deadlock: the other reader
  std::optional<milliseconds> timeLeft = {}; ///< of Refused: of the holder's lease, where told and finite
  std::optional<Fence> fence = {};           ///< of Granted: of this hold; of Refused: of the one that is there, where told
  bool queued = false;                       ///< of Refused: the asker has a place in the server's line, which must be given back
  bool refreshed = false;                    ///< of Refused: the places of this client last one lease from this ask
  bool newPlace = false;                     ///< of Refused: it had no place before this ask
  std::int64_t room = 0;                     ///< of Granted, where several may be in: how many more may get in now
};

/// What the server said to a release.
enum class ReleaseAnswer : std::uint8_t { Released, StillHeld, NotOwner, Busy, Rejected };

/// The server made a waiter the owner, or told it that its turn has come.
struct PassedOn {
  std::uint64_t number = 0;               ///< of the waiter, as its client gave it to Primitive::owner()
  Fence fence;                            ///< 0 = it may ask now
  std::vector<std::uint64_t> behind = {}; ///< waiters of the same client whose places are right behind his, in this order
};

/// What the server said to a renewal. Gone: no such key; TakenOver: the key is not ours any more.
enum class RenewAnswer : std::uint8_t { Renewed, Gone, TakenOver, Busy, Rejected };

/// One kind of lock: its keys and scripts and the meaning of the replies. Pure and without state: one constant per kind, any thread.
///
/// Counts are absolute: an acquire says "let my count be n", a release "let my count be n, 0 = gone". So a command that is sent
/// again, or arrives twice, never counts twice (the defect of redisson#7367), and no request id has to be stored in Redis.
class Primitive {
public:
  /// One owner's view of one lock.
  struct Ask {
    const LockName &name;
    const LockToken &owner;
    milliseconds lease;
    std::int64_t count; ///< acquire: wanted; release: to be left
    LockMode mode = {}; ///< as the options say
    AcquirePolicy policy = {};
    bool waits = false;      ///< acquire: if refused, a place in the server's line is wanted
    bool refresh = true;     ///< acquire: the places of this client in the line are to last one lease from now
    std::uint64_t fence = 0; ///< release: of the last hold under this owner, 0 = none
    /// release: waiters of this client that had the lock under this owner, behind it: their places are given up too
    std::span<const std::uint64_t> served = {};
    ServerFeatures server = {}; ///< of the server that is asked
    /// How many upgrades from reader to writer this owner has begun, and up to which of them the server said what came of it. A command of an
    /// earlier one that comes late does nothing to a later one.
    std::int64_t upgrades = 0, settledUpgrades = 0;
    bool upgrading = false; ///< acquire: the reader is to be the writer; renew: he may be it by now
    /// Word::Hint, "client:number": acquire: who wants to be told by its inbox, empty = nobody; release: the same, who is told no more.
    std::string_view listener = {};
  };

  /// Who of one client's waiters asks the server.
  enum class Line : std::uint8_t {
    InClient,  ///< the first of them; they stand in line inside the client
    AtServer,  ///< each for itself: the server keeps the line, or lets several in
    WhileFull, ///< several may be in: each for itself until one is refused; from then on in line, and as many as there is room for
  };
  /// Where a waiter hears that it may have its turn.
  enum class Word : std::uint8_t {
    OnLock,  ///< wakeChannel(): one channel for each lock
    OnOwner, ///< ownerChannel(): one for each waiter
    OnInbox, ///< the client's one inbox, for all of its locks; the word may be the grant itself
    Hint,    ///< the same inbox, by policy pubsub; the word is never more than that the lock may be free
    OnList,  ///< block(): an element of a list, for which a connection of its own blocks
  };

  /// Every primitive, in the order in which people are shown them.
  static std::span<const Primitive *const> all();
  /// The primitive of that name; null if there is none.
  static const Primitive *find(std::string_view name);

  virtual const PrimitiveInfo &info() const = 0;
  virtual bool isReentrant() const = 0;
  /// Whether the fences of its answers grow with every hold and are for the holder; else they only order what is told.
  virtual bool isFenced() const { return false; }
  /// Whether LockMode::shared makes a reader of the holder, who excludes only those who are none.
  virtual bool hasReaders() const { return false; }
  /// Whether a writer's hold goes on as a reader's by a renewal as a reader.
  virtual bool canBecomeReader() const { return false; }
  /// Whether a reader's hold goes on as the writer's by an acquire with Ask::upgrading. A release that leaves a count takes that back: he
  /// is a reader again, whether he had become the writer or not.
  virtual bool canBecomeWriter() const { return false; }
  /// Whether LockMode::capacity lets several in.
  virtual bool hasPermits() const { return false; }
  virtual Line line() const { return Line::InClient; }
  virtual Word word() const { return Word::OnLock; }
  AcquirePolicy defaultPolicy() const;
  bool takes(const AcquirePolicy &policy) const; ///< whether info().policies lists it

  /// A fresh owner, never used before. `client` is the client's UUID, `number` unique within it.
  virtual Result<LockToken> owner(std::string_view client, std::uint64_t number) const = 0;
  /// `again`: it was refused before, or is asked for only once. The answer may then name the holder and the time left, at a higher price.
  virtual Command acquire(const Ask &ask, bool again) const = 0;
  /// Of a primitive that acquires in several steps: the next one after the answer to the command `sent`; nothing if that was the last.
  virtual std::optional<Command> acquireNext(const Ask &ask, std::string_view sent, const Reply &reply) const;
  virtual Command renew(const Ask &ask) const = 0;
  /// `wake`: waiters by pub/sub are to be told (primitives whose format demands it tell them always).
  virtual Command release(const Ask &ask, bool wake) const = 0;
  /// The most locks that releaseTogether() takes; 0 for a primitive that cannot.
  virtual std::size_t mostTogether() const { return 0; }
  /// Last releases of many locks by one command, each as release() without wake. The answer is an array of the answers that
  /// readRelease() reads, in the order of `asks`; an error answers for all, and nothing was done.
  virtual Command releaseTogether(std::span<const Ask> asks) const;
  /// Renewals and last releases are sent only while the key still has the owner's token: by WATCH, not by a script (see WatchTransaction).
  virtual bool isGuardedByWatch() const { return false; }
  virtual AcquireAnswer readAcquire(const Reply &reply) const = 0;
  /// The answer to the last of several steps.
  virtual AcquireAnswer readAcquireStep(std::string_view sent, const Reply &reply) const;
  virtual RenewAnswer readRenew(const Reply &reply) const = 0;
  virtual ReleaseAnswer readRelease(const Reply &reply) const = 0;
  /// Of the same reply: to which waiters of this client it was passed on, in their order.
  virtual std::vector<PassedOn> readPassedOn(const Reply &reply) const;
  /// Where the end of a hold is told (Word::OnLock). By default nowhere.
  virtual Channel wakeChannel(const LockName &name) const;
  /// Where this waiter alone is told that its turn has come (Word::OnOwner).
  virtual Channel ownerChannel(const LockName &name, const LockToken &owner) const;
  /// Blocks until the lock may be free, at most `limit` (Word::OnList).
  virtual Command block(const LockName &name, seconds limit) const;
  /// Whether those two channels are sharded ones at such a server. By default as Redisson has it: at a node of a cluster.
  virtual bool isSharded(const ServerFeatures &server) const { return server.cluster && server.shardedChannels; }
  /// Keys that stay for a time when the lock is free, so that it never forgets its last fence.
  virtual std::vector<std::string> lasting(const LockName &name) const;

protected:
  ~Primitive() = default; // constants only: never owned through the base

  /// The command that publishes on those channels.
  std::string_view publishWord(const ServerFeatures &server) const { return isSharded(server) ? "SPUBLISH" : "PUBLISH"; }

  /// True for error replies of a node that did not run the command but may soon: LOADING, BUSY, TRYAGAIN, CLUSTERDOWN, MASTERDOWN.
  static bool isBusy(const Reply &reply);
};

} // namespace lockhouse
