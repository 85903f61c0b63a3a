// SPDX-License-Identifier: Apache-2.0
#include "core/watch/server/slot_moves.h"

#include <ranges>
#include <string_view>

namespace lockhouse {
namespace {

// The line about the node itself, after its eighth word: ranges of slots, and in brackets the slots that are being moved.
std::string ownSlots(std::string_view nodes) {
  constexpr int words = 8;
  for (const auto part : std::views::split(nodes, '\n')) {
    std::string_view line(part.begin(), part.end());
    if (!line.contains(" myself")) // the name of a host contains no blank
      continue;
    for (int i = 0; i < words; ++i) {
      const auto space = line.find(' ');
      if (space == line.npos)
        return {};
      line.remove_prefix(space + 1);
    }
    return std::string(line);
  }
  return {};
}

} // namespace

bool SlotMoves::begin() {
  m_stage = m_mayAsk ? Stage::Begun : Stage::Idle;
  m_before.clear();
  m_isKnown = true;
  m_haveMoved &= m_mayAsk;
  return m_mayAsk;
}

bool SlotMoves::end() {
  if (m_stage != Stage::Begun)
    return false;
  m_stage = Stage::Ending;
  return true;
}

void SlotMoves::take(const Reply &nodes) {
  m_mayAsk &= nodes.failureWord() != "NOPERM" && nodes.failureWord() != "ERR";
  m_isKnown &= !nodes.isFailure();
  auto slots = ownSlots(nodes.text().value_or(""));
  if (m_stage == Stage::Ending) {
    m_haveMoved = m_isKnown && (slots != m_before || slots.contains('['));
    m_stage = Stage::Idle;
  }
  m_before = std::move(slots);
}

} // namespace lockhouse
