// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/reads_in_flight.h"

namespace lockhouse {

bool ReadsInFlight::Done::isServedElsewhere() const {
  const bool isNotHere = end == KeyReader::End::Absent || (end == KeyReader::End::Lock && read.isGone());
  return end == KeyReader::End::Refused ? read.isElsewhere() : isNotHere && read.error() && read.error()->code != ErrorCode::NotPermitted;
}

std::optional<FamilyRegistry::MemberOf> ReadsInFlight::Done::memberOf(const FamilyRegistry &families) {
  const bool isString = end == KeyReader::End::Lock && read.facts().type == ValueType::String;
  return isString ? families.memberOf(read.key(), read.facts().value) : std::nullopt;
}

void ReadsInFlight::start(ReadTarget target, ValueType type, Ticket ticket, SteadyTime now, const ReadHeuristics &heuristics, Asks &out) {
  if (m_free.empty()) {
    m_free.push_back(static_cast<std::uint32_t>(m_slots.size()));
    m_slots.emplace_back();
  }
  const auto slot = m_free.back();
  m_free.pop_back();
  m_slots[slot] = std::make_unique<Slot>(Slot{KeyReader(std::move(target)), std::move(ticket)});
  auto &read = m_slots[slot]->read;
  read.start(type, heuristics, now, m_commands);
  handOver(slot, out);
}

std::optional<ReadsInFlight::Done> ReadsInFlight::on(std::uint64_t rest, Result<Reply> answer, SteadyTime now, ReadHeuristics &heuristics, Asks &out) {
  const auto slot = static_cast<std::uint32_t>(rest >> 8);
  if (slot >= m_slots.size() || !m_slots[slot])
    return std::nullopt;
  auto &read = m_slots[slot]->read;
  const auto end = read.on(static_cast<unsigned>(rest & 0xff), std::move(answer), now, heuristics, m_commands);
  handOver(slot, out);
  if (end == KeyReader::End::Pending)
    return std::nullopt;
  Done done{end, std::move(read), m_slots[slot]->ticket};
  m_slots[slot].reset();
  m_free.push_back(slot);
  return done;
}

void ReadsInFlight::handOver(std::uint32_t slot, Asks &out) {
  for (auto &ask : m_commands)
    out.push_back({tagOf(AskedBy::Reads, static_cast<std::uint64_t>(slot) << 8 | ask.part), std::move(ask.command)});
  m_commands.clear();
}

} // namespace lockhouse
