// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/node_group.h"

#include "core/client/api/multi_lock.h"
#include "core/client/api/node_runtime.h"
#include "core/lock/pages/composition.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

Result<NodeGroup> NodeGroup::connect(std::vector<Uri> nodes, ClientOptions options) {
  if (nodes.empty())
    return fail(ErrorCode::Usage, LH_ENGLISH("no node is named"), {}, LH_ENGLISH("name at least one"));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t earlier = 0; earlier < i; ++earlier)
      if (nodes[i].address() == nodes[earlier].address())
        return fail(ErrorCode::Usage, LH_ENGLISH("the node is named twice"), nodes[i].address(), LH_ENGLISH("name each server once"));
  auto runtime = std::make_shared<NodeRuntime>(std::move(nodes), options);
  if (auto opened = runtime->open(); !opened)
    return std::unexpected(std::move(opened.error()));
  return NodeGroup(std::move(runtime));
}

Result<NodeGroup> NodeGroup::connect(std::span<const std::string> uris, ClientOptions options) {
  auto nodes = parseUris(uris);
  if (!nodes)
    return std::unexpected(std::move(nodes.error()));
  return connect(std::move(*nodes), std::move(options));
}

NodeGroup::NodeGroup(std::shared_ptr<NodeRuntime> runtime) : m_runtime(std::move(runtime)) {}

NodeGroup::~NodeGroup() {
  if (m_runtime)
    m_runtime->close();
}

NodeGroup::NodeGroup(NodeGroup &&) noexcept = default;

NodeGroup &NodeGroup::operator=(NodeGroup &&other) noexcept {
  const NodeGroup old(std::exchange(m_runtime, std::exchange(other.m_runtime, {})));
  return *this;
}

Lock NodeGroup::multiLock(const std::vector<Place> &places, LockOptions options) const {
  return multiLock(*Primitive::find("Mutex"), places, std::move(options));
}

Lock NodeGroup::multiLock(const Primitive &primitive, const std::vector<Place> &places, LockOptions options) const {
  std::vector<MultiMember> members;
  for (const auto &place : places)
    members.push_back({place.node, place.name});
  if (std::ranges::any_of(members, [&](const MultiMember &member) { return member.node >= m_runtime->size(); })) {
    Error refusal{ErrorCode::Usage, LH_ENGLISH("a name is at a node that is not there"), {}, LH_ENGLISH("count the nodes from 0, in the order of connect()")};
    return {{m_runtime, {}, &multiLockInfo(), &primitive, std::move(refusal)}, LockName("?"), std::move(options)};
  }
  return makeMultiLock(
      m_runtime, [runtime = m_runtime.get()](std::size_t node) -> NodeDriver & { return runtime->driver(node); }, primitive, std::move(members),
      std::move(options));
}

std::size_t NodeGroup::size() const { return m_runtime->size(); }

std::vector<LabelledMetrics> NodeGroup::metrics() const {
  std::vector<LabelledMetrics> all;
  for (auto &seen : m_runtime->metrics())
    all.push_back({std::move(seen), {{"node", m_runtime->address(all.size())}}});
  return all;
}

std::uint64_t NodeGroup::commandsSent() const { return m_runtime->commandsSent(); }

} // namespace lockhouse
