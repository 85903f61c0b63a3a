// SPDX-License-Identifier: Apache-2.0
#include "core/client/inbox.h"

#include "core/base/lockhouse_names.h"
#include "core/client/lock_tenure.h"

#include <charconv>
#include <optional>
#include <vector>

namespace lockhouse {
namespace {

std::string_view takeWord(std::string_view &rest) {
  const auto space = rest.find(' ');
  const auto word = rest.substr(0, space);
  rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
  return word;
}

std::optional<std::uint64_t> number(std::string_view digits) {
  std::uint64_t value = 0;
  const auto *end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
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
  const auto owner = number(takeWord(message));
  const auto fence = number(takeWord(message));
  if (primitive != nullptr && primitive->word() == Primitive::Word::OnInbox && owner && fence)
    passedOn(*primitive, LockName(message), {*owner, {*fence}}, SteadyClock::now());
}

void Inbox::passedOn(const Primitive &primitive, const LockName &lock, const PassedOn &grant, SteadyTime now) {
  const auto found = m_owners.find(grant.number);
  if (found == m_owners.end() || !found->second->isPassedOn(primitive, lock, grant, now))
    giveBack(primitive, lock, grant.number);
}

void Inbox::giveBack(const Primitive &primitive, const LockName &lock, std::uint64_t number) {
  const auto owner = primitive.owner(m_driver.clientId(), number);
  if (!owner)
    return;
  const Primitive::Ask ask{lock, *owner, milliseconds(0), 0};
  m_driver.send(primitive.release(ask, false), [this, &primitive, lock](const Result<Reply> &reply) {
    if (!reply || m_driver.isEnding())
      return;
    const LockDriver::Core::Visit visit(m_driver);
    for (const auto &grant : primitive.readPassedOn(*reply))
      passedOn(primitive, lock, grant, SteadyClock::now());
  });
}

} // namespace lockhouse
