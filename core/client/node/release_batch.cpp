// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/release_batch.h"

#include "core/client/node/acquisition.h"
#include "core/client/node/reply_events.h"

#include <utility>

namespace lockhouse {

void ReleaseBatch::add(Acquisition &acquisition, std::uint32_t serial) {
  if (m_refused)
    return acquisition.sendReleaseAlone(serial);
  auto &entry = acquisition.entry();
  if (m_primitive != &entry.primitive)
    leave();
  m_primitive = &entry.primitive;
  m_gathered.push_back({&acquisition, serial});
  entry.releaseGathered = true;
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
    entry.acquisition->entry().releaseGathered = false;
  if (entries.size() == 1)
    return entries.front().acquisition->sendReleaseAlone(entries.front().serial);
  std::vector<Primitive::Ask> asks;
  asks.reserve(entries.size());
  for (const auto &entry : entries)
    asks.push_back(entry.acquisition->askToLeave());
  m_gathered.reserve(entries.size());
  m_connection.send(m_primitive->releaseTogether(asks),
                    [this, entries = std::move(entries)](Result<Reply> reply) mutable { answered(entries, std::move(reply)); });
}

void ReleaseBatch::answered(const std::vector<Entry> &entries, Result<Reply> reply) {
  auto &first = *entries.front().acquisition;
  const NodeDriver::Core::ReentrancyGuard visit(first.driver());
  const auto answer = readTogether(first.entry().primitive, reply, entries.size());
  m_refused |= answer == TogetherAnswer::Alone;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto &acquisition = *entries[i].acquisition;
    switch (answer) {
    case TogetherAnswer::Each: acquisition.releaseAnswered(entries[i].serial, std::move(reply->array()[i])); break;
    case TogetherAnswer::All: acquisition.releaseAnswered(entries[i].serial, reply); break;
    case TogetherAnswer::Alone: acquisition.sendReleaseAlone(entries[i].serial); break;
    }
  }
}

} // namespace lockhouse
