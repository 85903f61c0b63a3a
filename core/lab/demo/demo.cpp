// SPDX-License-Identifier: Apache-2.0
#include "core/lab/demo/demo.h"

#include "core/client/api/multi_lock.h"
#include "core/client/quorum/quorum_session.h"
#include "core/lab/demo/demo_clients.h"
#include "core/lab/demo/demo_fallback.h"
#include "core/lab/demo/demo_workload.h"
#include "core/lab/sandbox/sandbox.h"
#include "core/lock/formats/stripe.h"
#include "core/lock/pages/composition.h"

#include <array>
#include <deque>
#include <ranges>
#include <utility>

namespace lockhouse {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t nodeCount = 3;
constexpr std::size_t withReplica = 2; // the node that has the fourth server for one

// Who asks again and again does so slowly: the demo is to be looked at, not to be fast.
AcquirePolicy policyOf(const DemoRole &role) {
  if (!role.policy.empty())
    return AcquirePolicy::named(role.policy).value_or(AcquirePolicy{});
  const auto *primitive = Primitive::find(role.primitive); // else it is made of Mutexes
  const auto policy = primitive != nullptr ? primitive->defaultPolicy() : AcquirePolicy::backoff();
  return policy.kind == AcquirePolicy::Kind::Backoff ? AcquirePolicy::backoff(10ms, 160ms) : policy;
}

NodeDriver::Options driverOptions(std::size_t service) {
  constexpr std::array names{"web-1", "web-2", "job-1", "job-2"};
  NodeDriver::Options options;
  options.connection.clientName = names[service % names.size()];
  return options;
}

// The servers began a moment ago, and what is on them is the demo's alone.
QuorumDriver::Options quorumOptions(std::size_t service) { return {.connection = driverOptions(service).connection, .restartGuard = RestartGuard::Off}; }

std::vector<MultiMember> multiMembers(std::string_view keys) {
  std::vector<MultiMember> members;
  for (const auto key : std::views::split(keys, ' '))
    members.push_back({0, LockName(std::string(std::string_view(key)))});
  return members;
}

// All clients of the demo on their loop: built, used and destroyed there.
class DemoClients {
public:
  DemoClients(Loop &loop, const std::vector<Uri> &nodes) : m_loop(loop) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      m_nodes.emplace_back(loop, nodes[i], 41 + i);
      for (std::size_t service = 0; service < demoServices; ++service)
        m_drivers.emplace_back(loop, nodes[i], driverOptions(service));
    }
    for (std::size_t service = 0; service < demoServices; ++service)
      m_quorums.emplace_back(loop, nodes, quorumOptions(service));
    m_clients.resize(nodes.size());
    for (const auto &role : demoRoles())
      add<DemoUser>(role.node, session(role), role.habits);
    add<DemoLatch>(0, m_drivers[1], "import:parts");
    add<DemoFairQueue>(0, "order:{8841}:pay");
    add<DemoReaders>(1, "report:daily");
    add<DemoSilentHolder>(0, "invoice:settle");
    add<DemoForgetful>(1, "lock:batch:reindex", DemoForgetful::Token::Uuid1Hex, std::nullopt);
    add<DemoForgetful>(1, "lock:session:merge:77", DemoForgetful::Token::Base64, 12000ms);
    add<DemoForeignData>(0);
    add<DemoForeignData>(1);
    add<DemoReplica>(withReplica);
    add<DemoFallback>(withReplica, nodes[withReplica], "lock:report:weekly");
  }

  std::vector<Metrics> metrics() const {
    std::vector<Metrics> all;
    for (const auto &driver : m_drivers)
      all.push_back(driver.metrics());
    for (const auto &quorum : m_quorums)
      all.push_back(quorum.metrics());
    return all;
  }

  void begin() {
    for (auto &driver : m_drivers)
      driver.open();
    for (auto &quorum : m_quorums)
      quorum.open();
    for (std::size_t node = 0; node < m_nodes.size(); ++node)
      m_nodes[node].open([this, node] {
        for (auto &client : m_clients[node])
          client->begin();
      });
  }

private:
  template <class Client, class... Args> void add(std::size_t node, Args &&...args) {
    m_clients[node].push_back(std::make_unique<Client>(m_nodes[node], std::forward<Args>(args)...));
  }

  std::unique_ptr<OwnerSession> session(const DemoRole &role) {
    auto &driver = m_drivers[role.node * demoServices + role.service];
    LockOptions options{.policy = policyOf(role), .mode = role.mode, .acknowledge = role.acknowledge};
    LockName name{std::string(role.key)};
    const auto &mutex = *Primitive::find("Mutex");
    if (role.primitive == redLockInfo().name)
      return std::make_unique<QuorumSession>(m_quorums[role.service], mutex, std::move(name), std::move(options));
    if (role.primitive == multiLockInfo().name) {
      auto parts = multiLockParts([&](std::size_t) -> NodeDriver & { return driver; }, mutex, multiMembers(role.key));
      return std::make_unique<MultiSession>(m_loop, std::move(parts), std::move(name), std::move(options));
    }
    if (role.primitive == "StripedLock")
      return std::make_unique<NodeSession>(driver, mutex, stripeName(LockName(std::string(demoStripes)), stripeOf(role.key, demoStripeCount)),
                                           std::move(options));
    return std::make_unique<NodeSession>(driver, *Primitive::find(role.primitive), std::move(name), std::move(options));
  }

  Loop &m_loop;
  std::deque<DemoNode> m_nodes;
  std::deque<NodeDriver> m_drivers;
  std::deque<QuorumDriver> m_quorums;                              // one for each service
  std::vector<std::vector<std::unique_ptr<DemoClient>>> m_clients; // one list a node, destroyed before what they use
};

} // namespace

class Demo::Core {
public:
  explicit Core(std::vector<Sandbox> servers) : m_servers(std::move(servers)) {
    for (const auto &server : m_servers | std::views::take(nodeCount))
      nodes.push_back(server.unixUri());
    m_loop.call([this] {
      m_clients = std::make_unique<DemoClients>(m_loop, nodes);
      m_clients->begin();
    });
  }
  ~Core() {
    m_loop.call([this] { m_clients.reset(); });
  }
  Core(const Core &) = delete;
  Core &operator=(const Core &) = delete;

  std::vector<Uri> nodes;

  std::vector<Metrics> metrics() {
    std::vector<Metrics> all;
    m_loop.call([&] { all = m_clients->metrics(); });
    return all;
  }

private:
  std::vector<Sandbox> m_servers;         // the last is a replica
  std::unique_ptr<DemoClients> m_clients; // the loop's
  Loop m_loop;
};

Result<std::unique_ptr<Demo>> Demo::start() {
  std::vector<Sandbox> servers;
  for (std::size_t i = 0; i < nodeCount + 1; ++i) {
    Sandbox::Options options;
    // One node tells why a key went, the other is watched as a server nobody has set up for it.
    if (i == 0)
      options.config = {"--notify-keyspace-events", "AKE"};
    if (i == withReplica) { // a replica comes by a port only, and finds none for a second time: so it is never to be given up
      options.tcp = true;
      options.config = {"--repl-timeout", "1000000", "--repl-diskless-sync-delay", "0"};
    }
    if (i == nodeCount)
      options.config = {
          "--replicaof", servers[withReplica].tcpUri().host, std::to_string(servers[withReplica].tcpUri().port), "--repl-timeout", "1000000", "--hz", "1"};
    auto server = Sandbox::start(std::move(options));
    if (!server)
      return std::unexpected(std::move(server).error());
    servers.push_back(std::move(*server));
  }
  return std::unique_ptr<Demo>(new Demo(std::make_unique<Core>(std::move(servers))));
}

Demo::Demo(std::unique_ptr<Core> core) : m_core(std::move(core)) {}
Demo::~Demo() = default;

const std::vector<Uri> &Demo::nodes() const { return m_core->nodes; }
std::vector<Metrics> Demo::metrics() const { return m_core->metrics(); }

} // namespace lockhouse
