// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/release_batch.h"

#include "core/client/node/lock_tenure.h"
#include "core/client/node/read_answer.h"

#include <utility>

namespace lockhouse {

void ReleaseBatch::add(LockTenure &tenure, std::uint32_t serial) {
  if (m_refused)
    return tenure.sendReleaseAlone(serial);
  auto &door = tenure.door();
  if (m_primitive != &door.primitive)
    leave();
  m_primitive = &door.primitive;
  m_gathered.push_back({&tenure, serial});
  door.releaseGathered = true;
  if (m_gathered.size() == m_primitive->mostTogether() || m_connection.state() != Connection::State::Ready)
    leave();
  else
    m_connection.leaveThisTurn();
}

void ReleaseBatch::leave() {
  if (m_gathered.empty())
    return;
  auto entries = std::exchange(m_gathered, {});
  for (const auto &entry : entries)
    entry.tenure->door().releaseGathered = false;
  if (entries.size() == 1)
    return entries.front().tenure->sendReleaseAlone(entries.front().serial);
  std::vector<Primitive::Ask> asks;
  asks.reserve(entries.size());
  for (const auto &entry : entries)
    asks.push_back(entry.tenure->askToLeave());
  m_gathered.reserve(entries.size());
  m_connection.send(m_primitive->releaseTogether(asks),
                    [this, entries = std::move(entries)](Result<Reply> reply) mutable { answered(entries, std::move(reply)); });
}

void ReleaseBatch::answered(const std::vector<Entry> &entries, Result<Reply> reply) {
  auto &first = *entries.front().tenure;
  const LockDriver::Core::Visit visit(first.driver());
  const auto answer = readTogether(first.door().primitive, reply, entries.size());
  m_refused |= answer == TogetherAnswer::Alone;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto &tenure = *entries[i].tenure;
    switch (answer) {
    case TogetherAnswer::Each: tenure.releaseAnswered(entries[i].serial, std::move(reply->array()[i])); break;
    case TogetherAnswer::All: tenure.releaseAnswered(entries[i].serial, reply); break;
    case TogetherAnswer::Alone: tenure.sendReleaseAlone(entries[i].serial); break;
    }
  }
}

} // namespace lockhouse
