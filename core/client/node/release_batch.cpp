// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/release_batch.h"

#include "core/client/node/node_driver.h"
#include "core/client/node/release_attempt.h"
#include "core/client/node/reply_events.h"

#include <utility>

namespace lockhouse {

void ReleaseBatch::add(ReleaseAttempt &release, std::uint32_t serial) {
  if (m_refused)
    return release.sendAlone(serial);
  auto &entry = release.entry();
  if (m_primitive != &entry.primitive)
    flush();
  m_primitive = &entry.primitive;
  m_gathered.push_back({&release, serial});
  entry.isReleaseInBatch = true;
  if (m_gathered.size() == m_primitive->mostTogether() || m_connection.state() != Connection::State::Ready)
    flush();
  else
    m_connection.flushThisTurn();
}

void ReleaseBatch::flush() {
  if (m_gathered.empty())
    return;
  auto entries = std::exchange(m_gathered, {});
  for (const auto &entry : entries)
    entry.release->entry().isReleaseInBatch = false;
  if (entries.size() == 1)
    return entries.front().release->sendAlone(entries.front().serial);
  std::vector<Primitive::Ask> asks;
  asks.reserve(entries.size());
  for (const auto &entry : entries)
    asks.push_back(entry.release->ask());
  m_gathered.reserve(entries.size());
  m_connection.send(m_primitive->releaseTogether(asks),
                    [this, entries = std::move(entries)](Result<Reply> reply) mutable { answered(entries, std::move(reply)); });
}

void ReleaseBatch::answered(const std::vector<Entry> &entries, Result<Reply> reply) {
  auto &first = *entries.front().release;
  const NodeDriver::ReentrancyGuard guard(first.driver());
  const auto answer = readTogether(first.entry().primitive, reply, entries.size());
  m_refused |= answer == TogetherAnswer::Alone;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto &release = *entries[i].release;
    switch (answer) {
    case TogetherAnswer::Each: release.answered(entries[i].serial, std::move(reply->array()[i])); break;
    case TogetherAnswer::All: release.answered(entries[i].serial, reply); break;
    case TogetherAnswer::Alone: release.sendAlone(entries[i].serial); break;
    }
  }
}

} // namespace lockhouse
