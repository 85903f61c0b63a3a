// SPDX-License-Identifier: Apache-2.0
#include "core/base/lockhouse_names.h"

namespace lockhouse::own {
namespace {

constexpr std::string_view house = "lockhouse:";

bool hasHashTag(std::string_view name) {
  const auto open = name.find('{');
  return open != std::string_view::npos && name.find('}', open + 1) != std::string_view::npos && name[open + 1] != '}';
}

} // namespace

bool isHandoffOf(std::string_view hold, std::string_view holder) {
  const auto fence = hold.starts_with(holder) ? hold.substr(holder.size()) : std::string_view{};
  const auto digits = fence.starts_with(':') ? fence.substr(1) : std::string_view{};
  return !holder.empty() && !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
}

std::string companion(std::string_view role, std::string_view lock) {
  const bool tagged = hasHashTag(lock);
  std::string name;
  name.reserve(house.size() + role.size() + lock.size() + 3);
  name.append(house).append(role).append(tagged ? "::" : ":{").append(lock).append(tagged ? "" : "}"); // "a" and "{a}" are two locks
  return name;
}

std::string queueKey(std::string_view lock) { return companion("queue", lock); }
std::string lineKey(std::string_view lock) { return companion("line", lock); }
std::string signalKey(std::string_view lock) { return companion("signal", lock); }
std::string capacityKey(std::string_view lock) { return companion("capacity", lock); }
std::string deadlinesKey(std::string_view lock) { return companion("deadlines", lock); }
std::string fenceKey(std::string_view lock) { return companion("fence", lock); }
std::string listenersKey(std::string_view lock) { return companion("listeners", lock); }
std::string inboxChannel(std::string_view client) { return std::string(house).append("inbox:").append(client); }
std::string inboxOf(std::string_view waiter) {
  const auto token = waiter.substr(waiter.find('/') + 1);
  return inboxChannel(token.substr(0, token.rfind(':')));
}

} // namespace lockhouse::own
