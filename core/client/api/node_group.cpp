// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/node_group.h"

#include "core/client/api/multi_session.h"
#include "core/client/api/node_runtime.h"
#include "core/lock/pages/composition.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

/// The room of locks at several nodes.
class NodeGroup::Core final : public NodeRuntime {
public:
  using NodeRuntime::NodeRuntime;
};

Result<NodeGroup> NodeGroup::connect(std::vector<Uri> nodes, ClientOptions options) {
  if (nodes.empty())
    return fail(ErrorCode::Usage, LH_ENGLISH("no node is named"), {}, LH_ENGLISH("name at least one"));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t earlier = 0; earlier < i; ++earlier)
      if (nodes[i].address() == nodes[earlier].address())
        return fail(ErrorCode::Usage, LH_ENGLISH("the node is named twice"), nodes[i].address(), LH_ENGLISH("name each server once"));
  auto core = std::make_shared<Core>(std::move(nodes), options);
  if (auto opened = core->open(); !opened)
    return std::unexpected(std::move(opened.error()));
  return NodeGroup(std::move(core));
}

Result<NodeGroup> NodeGroup::connect(std::span<const std::string> uris, ClientOptions options) {
  auto nodes = parseUris(uris);
  if (!nodes)
    return std::unexpected(std::move(nodes.error()));
  return connect(std::move(*nodes), std::move(options));
}

NodeGroup::NodeGroup(std::shared_ptr<Core> core) : m_core(std::move(core)) {}

NodeGroup::~NodeGroup() {
  if (m_core)
    m_core->close();
}

NodeGroup::NodeGroup(NodeGroup &&) noexcept = default;

NodeGroup &NodeGroup::operator=(NodeGroup &&other) noexcept {
  const NodeGroup old(std::exchange(m_core, std::exchange(other.m_core, {})));
  return *this;
}

Lock NodeGroup::multiLock(const std::vector<Place> &places, LockOptions options) const {
  return multiLock(*Primitive::find("Mutex"), places, std::move(options));
}

Lock NodeGroup::multiLock(const Primitive &primitive, const std::vector<Place> &places, LockOptions options) const {
  std::vector<MultiMember> members;
  for (const auto &place : places)
    members.push_back({place.node, place.name});
  if (std::ranges::any_of(members, [&](const MultiMember &member) { return member.node >= m_core->size(); })) {
    Error refusal{ErrorCode::Usage, LH_ENGLISH("a name is at a node that is not there"), {}, LH_ENGLISH("count the nodes from 0, in the order of connect()")};
    return {{m_core, {}, &multiLockInfo(), &primitive, std::move(refusal)}, LockName("?"), std::move(options)};
  }
  return makeMultiLock(
      m_core, [core = m_core.get()](std::size_t node) -> NodeDriver & { return core->driver(node); }, primitive, std::move(members), std::move(options));
}

std::size_t NodeGroup::size() const { return m_core->size(); }

std::vector<LabelledMetrics> NodeGroup::metrics() const {
  std::vector<LabelledMetrics> all;
  for (auto &seen : m_core->metrics())
    all.push_back({std::move(seen), {{"node", m_core->address(all.size())}}});
  return all;
}

std::uint64_t NodeGroup::commandsSent() const { return m_core->commandsSent(); }

} // namespace lockhouse
