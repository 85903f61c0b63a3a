// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/sandbox/sandbox.h"
#include "core/net/connection/connection.h"

#include <functional>

namespace lockhouse::test {

/// A Redis Cluster of its own: masters that share the slots among them in ranges, by their order. Blocking.
class Cluster {
public:
  explicit Cluster(std::size_t masters = 3);
  ~Cluster();
  Cluster(const Cluster &) = delete;
  Cluster &operator=(const Cluster &) = delete;

  bool isUp();                                   ///< waits until every master serves its slots
  std::size_t addReplica(std::size_t master);    ///< of a cluster that is up; waits until it follows, and tells its place behind the masters
  std::size_t size() const { return m_masters; } ///< masters
  Uri uri(std::size_t node) const { return m_nodes.at(node).server.tcpUri(); }
  std::size_t ownerOf(std::string_view key);
  Reply at(std::size_t node, std::initializer_list<std::string_view> words);
  Reply operator()(std::initializer_list<std::string_view> words) { return at(ownerOf(words.begin()[1]), words); } ///< at the owner of its first key
  /// The first of "n0", "n1" … that is as wanted.
  static std::string nameWhere(const std::function<bool(const std::string &)> &isWanted);

private:
  struct Node {
    Sandbox server;
    std::string busPort;
    std::unique_ptr<Connection> connection;
  };
  Loop m_loop;
  std::size_t m_masters;
  std::vector<Node> m_nodes;

  std::size_t start();
};

} // namespace lockhouse::test
