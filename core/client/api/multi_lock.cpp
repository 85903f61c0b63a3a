// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/multi_lock.h"

#include "core/client/api/client_runtime.h"
#include "core/lock/pages/composition.h"
#include "core/lock/primitives/multi/multi_mutex.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr std::size_t mostNames = 1000; // far below what a script takes as keys at once

std::optional<Error> whatIsWrong(const Primitive &primitive, const std::vector<MultiMember> &members) {
  const auto usage = [](Message what) { return Error{ErrorCode::Usage, std::move(what), {}, {}}; };
  if (members.empty())
    return usage(LH_ENGLISH("a MultiLock needs at least one name"));
  if (members.size() > mostNames)
    return usage(LH_ENGLISH("a MultiLock takes at most %1 names")(mostNames));
  if (std::ranges::any_of(members, [](const MultiMember &member) { return member.name.empty(); }))
    return usage(LH_ENGLISH("a lock's name is empty"));
  if (!primitive.takes(defaultPolicyOf(multiLockInfo())))
    return usage(LH_ENGLISH("a MultiLock cannot be made of %1, which waits in a way of its own")(primitive.info().name));
  return std::nullopt;
}

LockName shownName(const std::vector<MultiMember> &members) {
  std::string all;
  for (const auto &member : members)
    all.append(all.empty() ? "" : " + ").append(member.name.bytes());
  return LockName(std::move(all));
}

// The same for the same names in any order. For one name at the first node it is that name, as for a lock of that name alone.
std::string queueNameOf(std::vector<MultiMember> members) {
  std::ranges::sort(members, [](const MultiMember &a, const MultiMember &b) { return a.node != b.node ? a.node < b.node : a.name < b.name; });
  const auto twice = std::ranges::unique(members);
  members.erase(twice.begin(), twice.end());
  std::string all;
  for (const auto &member : members) {
    if (!all.empty())
      all.push_back('\0');
    if (member.node != 0)
      all.append(std::to_string(member.node)).push_back('\0');
    all.append(member.name.bytes());
  }
  return all;
}

std::vector<std::size_t> nodesOf(const std::vector<MultiMember> &members) {
  std::vector<std::size_t> nodes;
  for (const auto &member : members)
    nodes.push_back(member.node);
  std::ranges::sort(nodes);
  const auto twice = std::ranges::unique(nodes);
  nodes.erase(twice.begin(), twice.end());
  return nodes;
}

} // namespace

std::vector<MultiSession::Part> multiLockParts(const DriverOf &driver, const Primitive &primitive, std::vector<MultiMember> members) {
  std::ranges::sort(members, [&](const MultiMember &a, const MultiMember &b) {
    const auto &left = driver(a.node).address();
    const auto &right = driver(b.node).address();
    return left != right ? left < right : a.name < b.name;
  });
  const auto twice = std::ranges::unique(members);
  members.erase(twice.begin(), twice.end());

  const bool oneNode = std::ranges::all_of(members, [&](const MultiMember &member) { return member.node == members.front().node; });
  std::vector<LockName> names;
  for (const auto &member : members)
    names.push_back(member.name);
  if (members.size() > 1 && oneNode && &primitive == Primitive::find("Mutex") && MultiMutex::sameSlot(names))
    return {{&driver(members.front().node), &multiMutex(), MultiMutex::joined(names)}};
  std::vector<MultiSession::Part> parts;
  for (auto &member : members)
    parts.push_back({&driver(member.node), &primitive, std::move(member.name)});
  return parts;
}

Lock makeMultiLock(std::shared_ptr<ClientRuntime> runtime, DriverOf driver, const Primitive &primitive, std::vector<MultiMember> members, LockOptions options) {
  auto refusal = whatIsWrong(primitive, members);
  auto name = shownName(members);
  auto nodes = nodesOf(members);
  auto queueName = queueNameOf(members);
  auto session = [driver = std::move(driver), &primitive, members = std::move(members)](const LockName &lock, const LockOptions &chosen) {
    auto parts = multiLockParts(driver, primitive, members);
    auto &loop = parts.front().driver->loop();
    return std::make_unique<MultiSession>(loop, std::move(parts), lock, chosen);
  };
  return {{std::move(runtime), std::move(session), &multiLockInfo(), &primitive, std::move(refusal), std::move(nodes), std::move(queueName)},
          std::move(name),
          std::move(options)};
}

} // namespace lockhouse
