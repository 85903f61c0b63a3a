// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/latch_rounds.h"

#include <fmt/format.h>

#include <utility>

namespace lockhouse {

bool LatchRound::closed(bool won) {
  m_won += won ? 1U : 0U;
  m_violations += won && m_won > 1 ? 1U : 0U;
  return won && m_won == 1;
}

void LatchRound::counted(std::int64_t left) {
  ++m_counted;
  m_violations += m_won == 1 && left == static_cast<std::int64_t>(m_parties) - m_counted ? 0U : 1U;
  if (m_counted + 1 == m_parties && m_whenOneIsMissing)
    std::exchange(m_whenOneIsMissing, {})();
}

void LatchRound::whenOneIsMissing(std::move_only_function<void()> task) {
  if (m_counted + 1 >= m_parties)
    task();
  else
    m_whenOneIsMissing = std::move(task);
}

void LatchRound::passed() {
  m_violations += isCounted() ? 0U : 1U;
  ++m_passed;
}

void LatchRound::leftBehind() { ++m_violations; }

std::shared_ptr<LatchRound> LatchRounds::round(std::uint64_t done) {
  while (!m_rounds.empty() && m_rounds.front()->isOver()) {
    m_rounds.pop_front();
    ++m_over;
  }
  while (m_over + m_rounds.size() <= done)
    m_rounds.push_back(made(m_over + m_rounds.size() == m_plan.each ? m_plan.more : m_plan.clients));
  auto &found = m_rounds[static_cast<std::size_t>(done - m_over)];
  if (found->isGivenUp())
    found = made(found->missing());
  return found;
}

std::shared_ptr<LatchRound> LatchRounds::made(unsigned parties) {
  return std::make_shared<LatchRound>(LockName(fmt::format("{}:{}", m_key.bytes(), m_made++)), parties, m_violations);
}

void LatchRounds::giveUp() {
  for (const auto &round : m_rounds)
    if (!round->isCounted() && !round->isGivenUp()) {
      round->giveUp();
      m_givenUp.push_back(round->name().bytes());
    }
}

std::vector<std::shared_ptr<LatchRound>> LatchRounds::open() const {
  std::vector<std::shared_ptr<LatchRound>> all;
  for (const auto &round : m_rounds)
    if (round->isCounted() && !round->isOver())
      all.push_back(round);
  return all;
}

std::vector<std::string> LatchRounds::leftovers() const {
  auto keys = m_givenUp;
  for (const auto &round : m_rounds)
    if (!round->isGivenUp() && !round->isOver())
      keys.push_back(round->name().bytes());
  return keys;
}

} // namespace lockhouse
