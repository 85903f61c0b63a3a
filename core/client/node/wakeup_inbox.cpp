// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/wakeup_inbox.h"

#include "core/base/lockhouse_names.h"
#include "core/client/node/acquisition.h"
#include "core/lock/primitives/reply_readers.h"

#include <utility>

namespace lockhouse {
namespace {

std::string_view takeWord(std::string_view &rest) {
  const auto space = rest.find(' ');
  const auto word = rest.substr(0, space);
  rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
  return word;
}

} // namespace

bool WakeupInbox::listen() { return m_driver.wakeups().listen(*this, Channel(own::inboxChannel(m_driver.clientId()))); }

void WakeupInbox::stop(SteadyTime now) { m_driver.wakeups().stop(*this, now); }

void WakeupInbox::stands(bool hears) { tellAll({hears ? AcquireEvent::Kind::Subscribed : AcquireEvent::Kind::SubscribeFailed}); }

void WakeupInbox::gap() { tellAll({AcquireEvent::Kind::Woken}); }

void WakeupInbox::tellAll(AcquireEvent event) {
  const NodeDriver::Core::ReentrancyGuard visit(m_driver); // until its end nobody of them ends
  const auto now = SteadyClock::now();
  std::vector<Acquisition *> owners;
  owners.reserve(m_owners.size());
  for (const auto &[number, owner] : m_owners)
    owners.push_back(owner);
  for (auto *owner : owners)
    owner->tell(event, now);
}

// Anybody may publish: what is no grant is not heard, and a grant counts only for who waits for it.
void WakeupInbox::heard(std::string_view message) {
  const NodeDriver::Core::ReentrancyGuard visit(m_driver);
  const auto *primitive = Primitive::find(takeWord(message));
  auto grant = waitersIn(takeWord(message));
  const auto fence = parseFence(takeWord(message));
  if (primitive == nullptr || !grant || !fence)
    return;
  const bool isHint = primitive->word() == Primitive::Word::Hint;
  if (!isHint && primitive->word() != Primitive::Word::OnInbox)
    return;
  grant->fence = isHint ? Fence{} : *fence;
  passedOn(*primitive, LockName(message), *grant, SteadyClock::now());
}

void WakeupInbox::passedOn(const Primitive &primitive, const LockName &lock, const PassedOn &grant, SteadyTime now) {
  auto *waiter = owner(grant.number);
  if (waiter != nullptr && waiter->isPassedOn(primitive, lock, grant, now))
    return;
  if (primitive.word() == Primitive::Word::Hint) // which leaves nothing with the server
    return;
  auto name = primitive.owner(m_driver.clientId(), grant.number);
  if (!name)
    return;
  auto &entry = m_driver.entry(primitive, lock);
  if (entry.inherited != grant.number) // else its own ask had told it before this word came, and it has handed it on
    m_driver.newAcquisition(entry).releaseOrphan({.owner = std::move(*name), .until = entry.placesUntil}, now);
  m_driver.leaveEntry(entry);
}

Acquisition *WakeupInbox::owner(std::uint64_t number) const {
  const auto found = m_owners.find(number);
  return found == m_owners.end() ? nullptr : found->second;
}

} // namespace lockhouse
