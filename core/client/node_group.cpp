// SPDX-License-Identifier: Apache-2.0
#include "core/client/node_group.h"

#include "core/client/lock_driver.h"
#include "core/client/lock_room.h"
#include "core/client/multi_session.h"
#include "core/lock/composition.h"

#include <algorithm>
#include <future>
#include <utility>

namespace lockhouse {

/// The room of locks at several nodes.
class NodeGroup::Core final : public LockRoom {
public:
  Core(std::vector<Uri> nodes, const ClientOptions &options) : LockRoom(options.wait, options.closeLimit) {
    loop().call([&] {
      for (auto &node : nodes)
        m_drivers.push_back(std::make_unique<LockDriver>(loop(), std::move(node), LockDriver::Options{.connection = options.connection}));
    });
  }
  ~Core() override { close(); }

  LockDriver &driver(std::size_t node) { return *m_drivers[node]; }
  std::size_t size() const { return m_drivers.size(); }

  Result<void> open() {
    std::vector<std::future<Result<void>>> answers;
    loop().call([&] {
      for (const auto &driver : m_drivers) {
        auto answer = std::make_shared<std::promise<Result<void>>>();
        answers.push_back(answer->get_future());
        driver->onState([answer](Connection::State state, const Error *why) mutable {
          if (!answer || state == Connection::State::Connecting)
            return;
          if (state == Connection::State::Ready)
            answer->set_value({});
          else
            answer->set_value(std::unexpected(why != nullptr ? *why : Error{ErrorCode::Unreachable, "no connection", {}, {}}));
          answer.reset();
        });
        driver->open();
      }
    });
    Result<void> all;
    for (auto &answer : answers)
      if (auto result = answer.get(); all && !result)
        all = std::move(result);
    return all;
  }

private:
  std::uint64_t sent() const override {
    std::uint64_t all = 0;
    for (const auto &driver : m_drivers)
      all += driver->commandsSent();
    return all;
  }

  void whenSettled(Loop::Task task) override {
    // Together in a task of their own, which may outlive this room by a turn of the loop.
    auto last = std::make_shared<std::pair<std::size_t, Loop::Task>>(m_drivers.size(), std::move(task));
    for (const auto &driver : m_drivers)
      driver->whenSettled([last] {
        if (--last->first == 0)
          last->second();
      });
  }

  void endConnections() override { m_drivers.clear(); }
  void abandonConnections() noexcept override {
    for (auto &driver : m_drivers)
      static_cast<void>(driver.release());
  }

  std::vector<std::unique_ptr<LockDriver>> m_drivers;
};

Result<NodeGroup> NodeGroup::connect(std::vector<Uri> nodes, ClientOptions options) {
  if (nodes.empty())
    return fail(ErrorCode::Usage, "no node is named", {}, "name at least one");
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t earlier = 0; earlier < i; ++earlier)
      if (nodes[i].address() == nodes[earlier].address())
        return fail(ErrorCode::Usage, "the node is named twice", nodes[i].address(), "name each server once");
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
    Error refusal{ErrorCode::Usage, "a name is at a node that is not there", {}, "count the nodes from 0, in the order of connect()"};
    return {{m_core, {}, &multiLockInfo(), &primitive, std::move(refusal)}, LockName("?"), std::move(options)};
  }
  return makeMultiLock(
      m_core, [core = m_core.get()](std::size_t node) -> LockDriver & { return core->driver(node); }, primitive, std::move(members), std::move(options));
}

std::size_t NodeGroup::size() const { return m_core->size(); }

std::uint64_t NodeGroup::commandsSent() const { return m_core->commandsSent(); }

} // namespace lockhouse
