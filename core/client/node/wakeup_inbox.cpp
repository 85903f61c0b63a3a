// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/wakeup_inbox.h"

#include "core/client/node/acquisition.h"
#include "core/client/node/node_driver.h"
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

void WakeupInbox::subscribed(bool succeeded) { notifyAll({succeeded ? AcquireEvent::Kind::Subscribed : AcquireEvent::Kind::SubscribeFailed}); }

void WakeupInbox::messagesMissed() { notifyAll({AcquireEvent::Kind::Woken}); }

void WakeupInbox::notifyAll(AcquireEvent event) {
  const NodeDriver::ReentrancyGuard guard(m_driver); // none of them is deleted before its end
  const auto now = SteadyClock::now();
  std::vector<Acquisition *> owners;
  owners.reserve(m_owners.size());
  for (const auto &[number, owner] : m_owners)
    owners.push_back(owner);
  for (auto *owner : owners)
    owner->onEvent(event, now);
}

// Anybody may publish here: what is no grant is ignored, and a grant counts only for an owner that waits for it.
void WakeupInbox::messageReceived(std::string_view message) {
  const NodeDriver::ReentrancyGuard guard(m_driver);
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
  if (primitive.word() == Primitive::Word::Hint) // a hint leaves nothing at the server
    return;
  auto name = primitive.owner(m_driver.clientId(), grant.number);
  if (!name)
    return;
  auto &entry = m_driver.entry(primitive, lock);
  if (entry.inheritedNumber != grant.number) // else the owner learned it before this message arrived, and has handed the hold over since
    m_driver.newAcquisition(entry).releaseOrphan({.token = std::move(*name), .until = entry.placesUntil}, now);
  m_driver.leaveEntry(entry);
}

Acquisition *WakeupInbox::owner(std::uint64_t number) const {
  const auto found = m_owners.find(number);
  return found == m_owners.end() ? nullptr : found->second;
}

} // namespace lockhouse
