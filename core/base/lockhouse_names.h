// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// How the names of what lies beside a lock of our own are derived from the lock's: "lockhouse:<role>:{name}". A name that has a hash
/// tag of its own is put in without further braces and behind another colon, "lockhouse:<role>::a{b}c", so that all keys of a lock are
/// in its slot of a Redis Cluster, and no two locks share one.
/// Not promised: that for names with a '}' outside of a hash tag, whose slot no other key can be made to share.
/// Source: Redis Cluster specification, hash tags.
namespace lockhouse::own {

std::string queueKey(std::string_view lock);     ///< zset: waiter's token, score = its place
std::string lineKey(std::string_view lock);      ///< list or zset: waiters' tokens of the queue locks, in their order
std::string signalKey(std::string_view lock);    ///< list: pushed to when a blocking lock is free
std::string capacityKey(std::string_view lock);  ///< string: how many permits a semaphore has, while one is held
std::string deadlinesKey(std::string_view lock); ///< hash: waiting client → epoch ms by the server's clock until which its places last
std::string fenceKey(std::string_view lock);     ///< string: the fence of the last hold
std::string listenersKey(std::string_view lock); ///< zset: waiters, "client:number", told by inbox when the lock is free; score = epoch ms until then
/// Where a client is told of what was granted to its waiters, or may be free: "<primitive> <numbers> <fence> <lock>".
std::string inboxChannel(std::string_view client);
/// The inbox of the client of a waiter: "client:number", or "kind/client:number" of a lock that several may hold.
std::string inboxOf(std::string_view waiter);

/// Whether `holder` is how the library prints who has `hold`, the value of a HandoffLock, which the fence ends: "client:number".
bool isHandoffOf(std::string_view hold, std::string_view holder);

/// For roles to come; see the functions above.
std::string companion(std::string_view role, std::string_view lock);

} // namespace lockhouse::own
