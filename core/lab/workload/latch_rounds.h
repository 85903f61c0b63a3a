// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockhouse {

/// One round of a latch. Each of its parties tries to close the latch with their number, counts it down once, and goes on when it is open. The party
/// that closed it counts it down last, so that the others wait. Counts violations by checking the answers, in the order in which the server gave them;
/// it does not trust the latch.
class LatchRound {
public:
  /// `violations`: the counter; it outlives this.
  LatchRound(LockName name, unsigned parties, std::uint64_t &violations) : m_name(std::move(name)), m_parties(parties), m_violations(violations) {}

  const LockName &name() const { return m_name; }
  unsigned parties() const { return m_parties; }
  unsigned missing() const { return m_parties - m_passed; } ///< parties that have not gone on
  bool isCounted() const { return m_counted >= m_parties; } ///< every count down is confirmed: it is open
  bool isOver() const { return m_passed >= m_parties; }
  bool isGivenUp() const { return m_isGivenUp; }

  /// A trySetCount() was answered. Only one may succeed; returns whether this one closed the latch.
  bool closed(bool won);
  void counted(std::int64_t left); ///< a countDown() was answered: each answer is one less
  void passed();                   ///< a party found it open: all have counted down
  void leftBehind();               ///< its key exists although all have gone on
  void giveUp() { m_isGivenUp = true; }
  /// Runs `task` when all but one have counted down; at once if they have already.
  void whenOneIsMissing(std::move_only_function<void()> task);

private:
  const LockName m_name;
  const unsigned m_parties;
  std::uint64_t &m_violations;
  unsigned m_won = 0, m_counted = 0, m_passed = 0;
  std::move_only_function<void()> m_whenOneIsMissing;
  bool m_isGivenUp = false;
};

/// The rounds of one key, each with a latch and a key of its own: a client that notices late that a latch is open must not take it for the next
/// one. At most two rounds run at once. Single thread.
class LatchRounds {
public:
  /// How many rounds `clients` make: all of them `each` (nothing = no end), and `more` of them another one.
  struct Plan {
    unsigned clients = 0;
    std::optional<std::uint64_t> each;
    unsigned more = 0;
  };
  LatchRounds(LockName key, Plan plan, std::uint64_t &violations) : m_key(std::move(key)), m_plan(plan), m_violations(violations) {}

  /// The round of a client that has done `done` rounds. After giveUp() it is a new one, for the clients that have not gone on.
  std::shared_ptr<LatchRound> round(std::uint64_t done);
  /// Gives up the rounds that are not known to be open: the server may have forgotten a count, or counted one twice.
  void giveUp();
  /// Rounds that are known to be open, but not by all of their clients.
  std::vector<std::shared_ptr<LatchRound>> open() const;
  /// Keys that may exist and that no client counts down any more.
  std::vector<std::string> leftovers() const;

private:
  std::shared_ptr<LatchRound> made(unsigned parties);

  const LockName m_key;
  const Plan m_plan;
  std::uint64_t &m_violations;
  std::deque<std::shared_ptr<LatchRound>> m_rounds;
  std::uint64_t m_over = 0; // rounds that are no longer in the list
  std::uint64_t m_made = 0;
  std::vector<std::string> m_givenUp;
};

} // namespace lockhouse
