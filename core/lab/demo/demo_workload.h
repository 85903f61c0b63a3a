// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/demo/demo_clients.h"
#include "core/lock/options/lock_options.h"

#include <span>
#include <string_view>

namespace lockhouse {

/// One user of one of our own locks in the demo: at which node, which service of it, which lock, and how it behaves.
struct DemoRole {
  std::size_t node;           ///< of a RedLock none counts: it is at all of them
  std::size_t service;        ///< its own connections: to Redis, each service is another client
  std::string_view primitive; ///< a name of primitiveInfos()
  std::string_view key;       ///< of a MultiLock several, with a blank between them; of a StripedLock the key whose stripe is meant
  DemoUser::Habits habits;
  LockMode mode = {};
  std::string_view policy = {}; ///< empty = the default
  ReplicaAck acknowledge = {};  ///< at node 2, which has a replica
};

constexpr std::size_t demoServices = 4;                   ///< of a node
constexpr std::string_view demoStripes = "lock:accounts"; ///< the base of the demo's striped lock
constexpr std::uint64_t demoStripeCount = 4;

/// Every primitive has users who contend for it, but FallbackLock and CountDownLatch, which have actors of their own.
std::span<const DemoRole> demoRoles();

} // namespace lockhouse
