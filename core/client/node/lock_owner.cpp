// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/lock_owner.h"

#include "core/client/node/node_driver.h"

#include <utility>

namespace lockhouse {

LockOwner::LockOwner(NodeDriver &itsDriver, LockEntry &itsEntry, LocalWaitQueue::Waiter &itsWaiter)
    : driver(itsDriver), entry(itsEntry), waiter(itsWaiter), queue(&entry.waitQueue), metrics(entry.stats) {
  ++entry.users;
}

LockOwner::~LockOwner() { driver.leaveEntry(entry); }

Result<void> LockOwner::rename() {
  const auto fresh = driver.nextNumber();
  auto name = driver.newToken(primitive(), fresh);
  if (!name)
    return std::unexpected(std::move(name.error()));
  token = std::move(*name);
  number = fresh;
  isInherited = false;
  served.clear();
  upgrades = {};
  return {};
}

Primitive::Ask LockOwner::ask(std::int64_t count, milliseconds atLeast) const {
  return {.name = entry.name,
          .owner = token,
          .lease = std::max(lease, atLeast),
          .count = count,
          .mode = mode,
          .policy = policy,
          .fence = fence,
          .served = served,
          .server = driver.server(),
          .upgrades = upgrades.begun,
          .settledUpgrades = upgrades.settled,
          .upgrading = upgrades.isUnderWay,
          .listener = listener};
}

void LockOwner::sendGuarded(Command command, Connection::Handler handler) const {
  if (primitive().isGuardedByWatch())
    driver.watchTransaction().run(entry.name.bytes(), token.bytes(), std::move(command), std::move(handler));
  else
    driver.send(std::move(command), std::move(handler));
}

} // namespace lockhouse
