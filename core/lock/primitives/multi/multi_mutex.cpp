// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/multi/multi_mutex.h"

#include "core/base/hash_slot.h"
#include "core/base/random.h"
#include "core/lock/pages/composition.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr MultiMutex kind;

} // namespace

const MultiMutex &multiMutex() { return kind; }

LockName MultiMutex::joined(std::span<const LockName> names) {
  std::string all;
  for (const auto &name : names)
    all.append(std::to_string(name.bytes().size())).append(":").append(name.bytes()).append(",");
  return LockName(std::move(all));
}

std::vector<std::string_view> MultiMutex::parts(const LockName &joined) {
  std::vector<std::string_view> names;
  std::string_view rest = joined.bytes();
  while (!rest.empty()) {
    std::size_t size = 0;
    const auto colon = std::from_chars(rest.data(), rest.data() + rest.size(), size).ptr;
    rest.remove_prefix(std::min(rest.size(), static_cast<std::size_t>(colon - rest.data()) + 1));
    names.push_back(rest.substr(0, size));
    rest.remove_prefix(std::min(rest.size(), size + 1));
  }
  return names;
}

bool MultiMutex::sameSlot(std::span<const LockName> names) {
  return std::ranges::all_of(names, [&](const LockName &name) { return hashSlot(name.bytes()) == hashSlot(names.front().bytes()); });
}

const PrimitiveInfo &MultiMutex::info() const { return multiLockInfo(); }

Result<LockToken> MultiMutex::owner(std::string_view, std::uint64_t) const { return randomToken(); }

Command MultiMutex::acquire(const Ask &ask, bool) const {
  const Digits lease(ask.lease.count());
  const std::array<std::string_view, 2> words{ask.owner.bytes(), lease.text()};
  return Command::evalsha(lock_scripts::multiAcquire, parts(ask.name), words);
}

Command MultiMutex::renew(const Ask &ask) const {
  const Digits lease(ask.lease.count());
  const std::array<std::string_view, 2> words{ask.owner.bytes(), lease.text()};
  return Command::evalsha(lock_scripts::multiRenew, parts(ask.name), words);
}

Command MultiMutex::release(const Ask &ask, bool) const {
  const std::array<std::string_view, 1> words{ask.owner.bytes()};
  return Command::evalsha(lock_scripts::multiRelease, parts(ask.name), words);
}

AcquireAnswer MultiMutex::readAcquire(const Reply &reply) const {
  if (reply.integer() == 1)
    return {AcquireAnswer::Kind::Granted};
  if (reply.isArray())
    return refusal(reply);
  return {isBusy(reply) ? AcquireAnswer::Kind::Busy : AcquireAnswer::Kind::Rejected};
}

RenewAnswer MultiMutex::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer MultiMutex::readRelease(const Reply &reply) const {
  if (reply.integer())
    return reply.integer() == 1 ? ReleaseAnswer::Released : ReleaseAnswer::NotOwner;
  return isBusy(reply) ? ReleaseAnswer::Busy : ReleaseAnswer::Rejected;
}

} // namespace lockhouse
