// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/inbox.h"

#include "core/base/lockhouse_names.h"
#include "core/client/node/lock_tenure.h"
#include "core/lock/primitives/answers.h"

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

bool Inbox::listen() { return m_driver.ears().listen(*this, Channel(own::inboxChannel(m_driver.clientId()))); }

void Inbox::stop(SteadyTime now) { m_driver.ears().stop(*this, now); }

void Inbox::stands(bool hears) { tellAll({hears ? AcquireEvent::Kind::Subscribed : AcquireEvent::Kind::SubscribeFailed}); }

void Inbox::gap() { tellAll({AcquireEvent::Kind::Woken}); }

void Inbox::tellAll(AcquireEvent event) {
  const LockDriver::Core::Visit visit(m_driver); // until its end nobody of them ends
  const auto now = SteadyClock::now();
  std::vector<LockTenure *> owners;
  owners.reserve(m_owners.size());
  for (const auto &[number, owner] : m_owners)
    owners.push_back(owner);
  for (auto *owner : owners)
    owner->tell(event, now);
}

// Anybody may publish: what is no grant is not heard, and a grant counts only for who waits for it.
void Inbox::heard(std::string_view message) {
  const LockDriver::Core::Visit visit(m_driver);
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

void Inbox::passedOn(const Primitive &primitive, const LockName &lock, const PassedOn &grant, SteadyTime now) {
  auto *waiter = owner(grant.number);
  if (waiter != nullptr && waiter->isPassedOn(primitive, lock, grant, now))
    return;
  if (primitive.word() == Primitive::Word::Hint) // which leaves nothing with the server
    return;
  auto name = primitive.owner(m_driver.clientId(), grant.number);
  if (!name)
    return;
  auto &door = m_driver.door(primitive, lock);
  if (door.inherited != grant.number) // else its own ask had told it before this word came, and it has handed it on
    m_driver.newTenure(door).letGo({.owner = std::move(*name), .until = door.placesUntil}, now);
  m_driver.leaveDoor(door);
}

LockTenure *Inbox::owner(std::uint64_t number) const {
  const auto found = m_owners.find(number);
  return found == m_owners.end() ? nullptr : found->second;
}

} // namespace lockhouse
