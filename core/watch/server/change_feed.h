// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/backoff.h"
#include "core/base/error.h"
#include "core/base/reply.h"
#include "core/watch/record/lock_snapshot.h"

namespace lockhouse {

/// What a machine wants of the feed connection.
struct FeedActions {
  bool open = false; ///< a fresh connection with CLIENT TRACKING … BCAST, invalidations, expired and evicted events
  bool close = false;
  bool subscribeAll = false; ///< PSUBSCRIBE of every keyspace event: tracking was refused
  bool askFlags = false;     ///< CONFIG GET notify-keyspace-events, on the command connection
  std::optional<std::uint64_t> ping;
};

/// One feed connection after another: opens, finds the best kind of feed that this server and user allow, beats, and proves by
/// barriers up to when the feed is complete. A machine without I/O.
///
/// The barrier. Redis runs commands in cycles: it reads sockets, runs what came, then, before it sleeps, appends the cycle's
/// tracking invalidations to the buffers and writes them out. So the PONG of a PING can stand *before* the invalidation of a
/// change made earlier in the same cycle. It cannot stand before one of an earlier cycle. A PING sent only after the PONG before
/// it had arrived runs in a later cycle; hence its PONG proves that every hint of changes made before the *previous* PING was sent
/// has been delivered. PINGs therefore go in pairs, one pair a beat. (Keyspace events are appended at once; the same rule holds for them.)
class ChangeFeed {
public:
  enum class State { Closed, Opening, Probing, Ready };

  ChangeFeed(milliseconds barrierEvery, std::uint64_t seed);

  void open(SteadyTime now, FeedActions &out);
  void close(FeedActions &out);

  void onUp(const std::optional<Error> &trackingRefused, SteadyTime now, FeedActions &out);
  void onSubscribed(const Result<void> &answer, SteadyTime now, FeedActions &out); ///< to subscribeAll
  void onFlags(const Result<Reply> &answer, SteadyTime now);                       ///< to askFlags
  static bool announcesTooLittle(const Result<Reply> &flags);                      ///< true also where they are not told
  /// The connection was lost or could not be made. True if an open feed ended by it.
  bool onDown(const Error &why, SteadyTime now, FeedActions &out);
  /// Nothing or the instant up to which every hint has now been delivered.
  std::optional<SteadyTime> onPong(std::uint64_t number, SteadyTime now);
  /// True if the feed has just been found silent for too long: it is closed and ended.
  bool tick(SteadyTime now, FeedActions &out);
  SteadyTime dueAt() const; ///< of the next tick; SteadyTime::max() if none
  void degrade(Error why);  ///< to Poll, while it lasts

  State state() const { return m_state; }
  FeedKind kind() const { return m_kind; }                  ///< of a Ready feed
  const std::optional<Error> &why() const { return m_why; } ///< why no better kind

private:
  milliseconds m_every;
  Backoff m_backoff;
  State m_state = State::Closed;
  FeedKind m_kind = FeedKind::None;
  std::optional<Error> m_why;
  unsigned m_failures = 0;
  SteadyTime m_openAt = SteadyTime::max(); // of the next try
  bool m_isConnected = false;
  std::uint64_t m_ping = 0;
  bool m_pingPending = false, m_isSecond = false;
  SteadyTime m_nextPing{}, m_pingSent{};
  std::optional<SteadyTime> m_provenPing; // when the last PING that was answered had been sent

  void ready(FeedKind kind, SteadyTime now);
  static bool isTold(const Result<Reply> &flags);
};

} // namespace lockhouse
