// SPDX-License-Identifier: Apache-2.0
#include "core/client/inbox.h"

#include "core/base/lockhouse_names.h"
#include "core/client/lock_tenure.h"
#include "core/lock/answers.h"

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

Inbox::Inbox(LockDriver::Core &driver) : m_driver(driver), m_soon(driver.loop()) {}

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
  const auto fence = fenceOf(takeWord(message));
  if (primitive == nullptr || primitive->word() != Primitive::Word::OnInbox || !grant || !fence)
    return;
  grant->fence = *fence;
  passedOn(*primitive, LockName(message), *grant, SteadyClock::now());
}

void Inbox::passedOn(const Primitive &primitive, const LockName &lock, const PassedOn &grant, SteadyTime now) {
  const auto found = m_owners.find(grant.number);
  if (found != m_owners.end() && found->second->isPassedOn(primitive, lock, grant, now))
    return;
  auto owner = primitive.owner(m_driver.clientId(), grant.number);
  if (!owner)
    return;
  const auto fence = grant.fence.value;
  auto &door = m_driver.door(primitive, lock);
  letGo(primitive, lock, {std::move(*owner), fence, fence, door.placesUntil, grant.behind}, now);
  m_driver.leaveDoor(door);
}

void Inbox::handOn(const Primitive &primitive, const LockName &lock, HandedOn what, SteadyTime now) {
  while (!what.behind.empty()) {
    const auto number = what.behind.front();
    auto *heir = waiting(primitive, lock, number);
    if (heir == nullptr) {
      what.behind.erase(what.behind.begin());
      continue;
    }
    auto rest = what;
    rest.behind.erase(rest.behind.begin());
    if (heir->inherits(rest, now))
      return;
    break; // the lease is over, or somebody else has it
  }
  letGo(primitive, lock, std::move(what), now);
}

void Inbox::letGo(const Primitive &primitive, const LockName &lock, HandedOn what, SteadyTime now) {
  what.behind = waitingOf(primitive, lock, std::move(what.behind));
  auto &door = m_driver.door(primitive, lock);
  m_driver.newTenure(door).letGo(std::move(what), now);
  m_driver.leaveDoor(door);
}

std::vector<std::uint64_t> Inbox::waitingOf(const Primitive &primitive, const LockName &lock, std::vector<std::uint64_t> behind) const {
  std::erase_if(behind, [&](std::uint64_t number) { return waiting(primitive, lock, number) == nullptr; });
  return behind;
}

void Inbox::wakeSoon(const Primitive &primitive, const LockName &lock, std::vector<std::uint64_t> behind) {
  m_soon.post([this, &primitive, lock, numbers = std::move(behind)] {
    const LockDriver::Core::Visit visit(m_driver);
    for (const auto number : numbers)
      if (auto *waiter = waiting(primitive, lock, number))
        waiter->tell({AcquireEvent::Kind::Woken}, SteadyClock::now());
  });
}

LockTenure *Inbox::waiting(const Primitive &primitive, const LockName &lock, std::uint64_t number) const {
  const auto found = m_owners.find(number);
  return found != m_owners.end() && found->second->awaits(primitive, lock) ? found->second : nullptr;
}

} // namespace lockhouse
