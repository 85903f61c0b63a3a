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

/// One round of a latch on which clients meet: each of its parties tries to close it with their number, counts it down once, and goes on when it
/// is open; who has closed it counts it down last, so that the others do wait. Counts what must not be, by looking at the answers, not by
/// trusting the latch. They are told in the order in which the server gave them.
class LatchRound {
public:
  /// `violations`: what is counted into; outlives this.
  LatchRound(LockName name, unsigned parties, std::uint64_t &violations) : m_name(std::move(name)), m_parties(parties), m_violations(violations) {}

  const LockName &name() const { return m_name; }
  unsigned parties() const { return m_parties; }
  unsigned missing() const { return m_parties - m_passed; } ///< who have not gone on
  bool isCounted() const { return m_counted >= m_parties; } ///< every count down is confirmed: it is open
  bool isOver() const { return m_passed >= m_parties; }
  bool isGivenUp() const { return m_isGivenUp; }

  /// A trySetCount() was answered: exactly one may win. Whether this is the one that closed it.
  bool closed(bool won);
  void counted(std::int64_t left); ///< a countDown() was answered: one less each time, from the first closing on
  void passed();                   ///< somebody found it open: all have counted down
  void leftBehind();               ///< its key is there although all have gone on
  void giveUp() { m_isGivenUp = true; }
  /// Runs `task` when all but one have counted down; at once if it is so already.
  void whenOneIsMissing(std::move_only_function<void()> task);

private:
  const LockName m_name;
  const unsigned m_parties;
  std::uint64_t &m_violations;
  unsigned m_won = 0, m_counted = 0, m_passed = 0;
  std::move_only_function<void()> m_whenOneIsMissing;
  bool m_isGivenUp = false;
};

/// The rounds of one key, each with a latch and a key of its own: who is slow to notice that one is open would take it for the next if that had
/// the same key. At most two are under way at once. Single thread.
class LatchRounds {
public:
  /// How many rounds `clients` make: all of them `each` (nothing = no end), and `more` of them another one.
  struct Plan {
    unsigned clients = 0;
    std::optional<std::uint64_t> each;
    unsigned more = 0;
  };
  LatchRounds(LockName key, Plan plan, std::uint64_t &violations) : m_key(std::move(key)), m_plan(plan), m_violations(violations) {}

  /// The round of a client that has `done` rounds behind it. After giveUp() it is another one, for those who have not gone on.
  std::shared_ptr<LatchRound> round(std::uint64_t done);
  /// Nobody goes on with those that are not known to be open: what was counted there may be forgotten, or may have been counted once more.
  void giveUp();
  /// Rounds that are open, as far as is known, and that some have not noticed.
  std::vector<std::shared_ptr<LatchRound>> open() const;
  /// Keys that may be there and that nobody counts down any more.
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
