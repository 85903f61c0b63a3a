// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cluster.h"

#include "tests/support/eventually.h"
#include "tests/support/open_connection.h"
#include "tests/support/socket_fd.h"

#include <future>
#include <stdexcept>

namespace lockhouse::test {
namespace {

constexpr std::size_t slots = 16384;

// Another process may take the port of the bus before the server does: the odds are those of every test with a port.
Sandbox startNode(const std::string &busPort) {
  auto server = Sandbox::start(
      {.tcp = true,
       .config = {"--cluster-enabled", "yes", "--cluster-port", busPort, "--cluster-config-file", "nodes.conf", "--repl-diskless-sync-delay", "0"}});
  if (!server)
    throw std::runtime_error(server.error().sentence());
  return std::move(*server);
}

} // namespace

std::size_t Cluster::start() {
  auto bus = std::to_string(SocketFd::listenOnLoopback().port());
  auto server = startNode(bus);
  m_nodes.push_back({std::move(server), std::move(bus), nullptr});
  auto &node = m_nodes.back();
  node.connection = openConnection(m_loop, node.server.unixUri());
  return m_nodes.size() - 1;
}

Cluster::Cluster(std::size_t masters) : m_masters(masters) {
  for (std::size_t i = 0; i < masters; ++i) {
    start();
    at(i, {"CLUSTER", "ADDSLOTSRANGE", std::to_string(i * slots / masters), std::to_string((i + 1) * slots / masters - 1)});
    at(i, {"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
  }
  for (std::size_t i = 1; i < masters; ++i)
    at(0, {"CLUSTER", "MEET", "127.0.0.1", std::to_string(uri(i).port), m_nodes[i].busPort});
}

Cluster::~Cluster() {
  m_loop.call([this] {
    for (auto &node : m_nodes)
      node.connection.reset();
  });
}

bool Cluster::isUp() {
  const auto known = "cluster_known_nodes:" + std::to_string(size());
  return eventually([&] {
    for (std::size_t i = 0; i < size(); ++i) {
      const auto info = at(i, {"CLUSTER", "INFO"});
      if (!info.text().value_or("").contains("cluster_state:ok") || !info.text().value_or("").contains(known))
        return false;
    }
    return true;
  });
}

std::size_t Cluster::addReplica(std::size_t master) {
  const auto replica = start();
  const auto id = std::string(at(master, {"CLUSTER", "MYID"}).text().value_or(""));
  at(replica, {"CLUSTER", "MEET", "127.0.0.1", std::to_string(uri(master).port), m_nodes[master].busPort});
  const bool isTaken = eventually([&] { return at(replica, {"CLUSTER", "REPLICATE", id}).isOk(); }); // once they have met
  if (!isTaken || !eventually([&] { return at(replica, {"INFO", "replication"}).text().value_or("").contains("master_link_status:up"); }))
    throw std::runtime_error("a replica does not follow its master");
  return replica;
}

std::size_t Cluster::ownerOf(std::string_view key) {
  const auto slot = static_cast<std::size_t>(at(0, {"CLUSTER", "KEYSLOT", key}).integer().value_or(0));
  std::size_t owner = 0;
  while ((owner + 1) * slots / size() <= slot)
    ++owner;
  return owner;
}

Reply Cluster::at(std::size_t node, std::initializer_list<std::string_view> words) {
  std::promise<Result<Reply>> answer;
  m_loop.post([&] { m_nodes.at(node).connection->send(Command(words), [&answer](Result<Reply> reply) { answer.set_value(std::move(reply)); }); });
  auto reply = answer.get_future().get();
  if (!reply)
    throw std::runtime_error(reply.error().sentence());
  return std::move(*reply);
}

std::string Cluster::nameWhere(const std::function<bool(const std::string &)> &isWanted) {
  for (int i = 0;; ++i)
    if (const auto name = "n" + std::to_string(i); isWanted(name))
      return name;
}

} // namespace lockhouse::test
