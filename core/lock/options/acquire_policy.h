// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <optional>
#include <string_view>

namespace lockhouse {

/// How an acquire waits while somebody else has the lock. A value.
/// Every pause is bounded, so that a lock whose holder died without a word is found free after at most one pause.
struct AcquirePolicy {
  enum class Kind : std::uint8_t {
    Try,          ///< ask once, never wait
    Spin,         ///< ask again after a fixed pause
    Backoff,      ///< ask again after an exponentially growing pause with full jitter
    PubSub,       ///< listen to the lock's channel, or to the client's inbox, ask again, then sleep until a message or the poll's end
    Fair,         ///< stand in the server's line; whoever releases makes the first in it the owner
    WritersFirst, ///< as Fair, but a writer stands before all readers that wait
    Barging,      ///< stand in the server's line, but a release leaves the lock free, and whoever asks next has it
    Blocking,     ///< block on the lock's list on a connection of its own, ask again, until an element comes or the poll's end
    Cohort,       ///< stand in line inside the client, which hands the lock on without a round trip; its first stands in the server's line
  };
  Kind kind = Kind::Backoff;
  microseconds pause{1000}; ///< Spin: the pause. Backoff: the first pause's bound. PubSub: the pause after a failed attempt to subscribe
  microseconds cap{16000};  ///< Backoff: the last pause's bound. PubSub and Blocking: the longest sleep without a word

  static AcquirePolicy tryOnce() { return {Kind::Try}; }
  static AcquirePolicy spin(microseconds pause = microseconds(1000)) { return {Kind::Spin, pause, pause}; }
  static AcquirePolicy backoff(microseconds base = microseconds(1000), microseconds cap = microseconds(16000)) { return {Kind::Backoff, base, cap}; }
  static AcquirePolicy pubSub(microseconds poll = microseconds(500000)) { return {Kind::PubSub, microseconds(1000), poll}; }

  static AcquirePolicy fair() { return {Kind::Fair}; }
  static AcquirePolicy writersFirst() { return {Kind::WritersFirst}; }
  static AcquirePolicy barging() { return {Kind::Barging}; }
  static AcquirePolicy cohort() { return {Kind::Cohort}; }

  static AcquirePolicy blocking(microseconds poll = microseconds(500000)) { return {Kind::Blocking, microseconds(1000), poll}; }

  /// Whether the server's line is stood in; who does polls it every third of its lease.
  bool queues() const { return kind == Kind::Fair || kind == Kind::WritersFirst || kind == Kind::Barging || kind == Kind::Cohort; }
  /// Whether it is told when its turn comes.
  bool listens() const { return kind == Kind::PubSub || kind == Kind::Blocking || queues(); }
  bool waits() const { return kind != Kind::Try; }
  std::string_view name() const;        ///< "try", "spin", "backoff", "pubsub", "fair", "writers-first", "barging", "cohort", "blocking"
  std::string_view explanation() const; ///< how it waits, one sentence
  /// The policy of that name with its default times; nothing for an unknown name.
  static std::optional<AcquirePolicy> named(std::string_view name);
  bool operator==(const AcquirePolicy &) const = default;
};

} // namespace lockhouse
