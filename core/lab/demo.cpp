// SPDX-License-Identifier: Apache-2.0
#include "core/lab/demo.h"

#include "core/lab/demo_actors.h"
#include "core/lab/sandbox.h"

#include <array>
#include <deque>
#include <utility>

namespace lockhouse {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t nodeCount = 2;

struct User {
  std::size_t node;
  std::size_t service; // its own connections: to Redis, each service is another client
  DemoUser::Habits habits;
};

constexpr std::size_t serviceCount = 4; // a node

// The services on our own locks. The same key more than once: they contend for it.
constexpr std::array users{
    User{0, 0, {"ReentrantLock", "stock:sku-204", 3, 90s, 150s, 500ms, 900ms}},
    User{0, 0, {"ReentrantLock", "cache:warm:home", 1, 900ms, 2500ms, 100ms, 500ms}},
    User{0, 1, {"ReentrantLock", "cache:warm:home", 1, 900ms, 2500ms, 100ms, 500ms}},
    User{0, 2, {"ReentrantLock", "cache:warm:home", 1, 900ms, 2500ms, 100ms, 500ms}},
    User{0, 3, {"ReentrantLock", "cache:warm:home", 1, 900ms, 2500ms, 100ms, 500ms}},
    User{0, 0, {"Mutex", "lock:coupon:{9}:redeem", 1, 120ms, 500ms, 100ms, 900ms}},
    User{0, 1, {"Mutex", "lock:coupon:{9}:redeem", 1, 120ms, 500ms, 100ms, 900ms}},
    User{0, 2, {"Mutex", "lock:coupon:{9}:redeem", 1, 120ms, 500ms, 100ms, 900ms}},
    User{0, 2, {"Mutex", "lock:geo:tile:881", 1, 200ms, 1200ms, 200ms, 1500ms}},
    User{0, 3, {"Mutex", "lock:库存:同步", 1, 1500ms, 4000ms, 300ms, 900ms}},
    User{1, 0, {"Mutex", "lock:seat:K-12", 1, 100ms, 600ms, 100ms, 700ms}},
    User{1, 1, {"Mutex", "lock:seat:K-12", 1, 100ms, 600ms, 100ms, 700ms}},
    User{1, 2, {"Mutex", "lock:order:8843:ship", 1, 300ms, 1500ms, 200ms, 1200ms}},
    User{1, 3, {"Mutex", "lock:order:8850:ship", 1, 300ms, 1500ms, 200ms, 1200ms}},
    User{1, 0, {"Mutex", "lock:mail:digest", 1, 5s, 12s, 500ms, 2s}},
    User{1, 1, {"ReentrantLock", "config:reload", 1, 2s, 5s, 500ms, 2s}},
    User{1, 2, {"ReentrantLock", "config:reload", 1, 2s, 5s, 500ms, 2s}},
    User{1, 3, {"ReentrantLock", "search:index:zh", 2, 20s, 60s, 1s, 3s}},
};

LockDriver::Options driverOptions(std::size_t service) {
  constexpr std::array names{"web-1", "web-2", "job-1", "job-2"};
  LockDriver::Options options;
  options.connection.clientName = names[service % names.size()];
  return options;
}

// The whole cast on its loop: built, used and destroyed there.
class Troupe {
public:
  Troupe(Loop &loop, const std::vector<Uri> &nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      m_stages.emplace_back(loop, nodes[i], 41 + i);
      for (std::size_t service = 0; service < serviceCount; ++service)
        m_drivers.emplace_back(loop, nodes[i], driverOptions(service));
    }
    m_cast.resize(nodes.size());
    for (const auto &user : users)
      add<DemoUser>(user.node, m_drivers[user.node * serviceCount + user.service], user.habits);
    add<DemoFairQueue>(0, "order:{8841}:pay");
    add<DemoReaders>(1, "report:daily");
    add<DemoSilentHolder>(0, "invoice:settle");
    add<DemoForgetful>(1, "lock:batch:reindex", DemoForgetful::Token::Uuid1Hex, std::nullopt);
    add<DemoForgetful>(1, "lock:session:merge:77", DemoForgetful::Token::Base64, 12000ms);
    add<DemoForeignData>(0);
    add<DemoForeignData>(1);
  }

  void begin() {
    for (auto &driver : m_drivers)
      driver.open();
    for (std::size_t node = 0; node < m_stages.size(); ++node)
      m_stages[node].open([this, node] {
        for (auto &actor : m_cast[node])
          actor->begin();
      });
  }

private:
  template <class Actor, class... Args> void add(std::size_t node, Args &&...args) {
    m_cast[node].push_back(std::make_unique<Actor>(m_stages[node], std::forward<Args>(args)...));
  }

  std::deque<DemoStage> m_stages;
  std::deque<LockDriver> m_drivers;
  std::vector<std::vector<std::unique_ptr<DemoActor>>> m_cast; // one list a node; gone before what they stand on
};

} // namespace

class Demo::Core {
public:
  explicit Core(std::vector<Sandbox> servers) : m_servers(std::move(servers)) {
    for (const auto &server : m_servers)
      nodes.push_back(server.unixUri());
    m_loop.call([this] {
      m_troupe = std::make_unique<Troupe>(m_loop, nodes);
      m_troupe->begin();
    });
  }
  ~Core() {
    m_loop.call([this] { m_troupe.reset(); });
  }
  Core(const Core &) = delete;
  Core &operator=(const Core &) = delete;

  std::vector<Uri> nodes;

private:
  std::vector<Sandbox> m_servers;
  std::unique_ptr<Troupe> m_troupe; // the loop's
  Loop m_loop;
};

Result<std::unique_ptr<Demo>> Demo::start() {
  std::vector<Sandbox> servers;
  for (std::size_t i = 0; i < nodeCount; ++i) {
    // One node tells why a key went, the other is watched as a server nobody has set up for it.
    Sandbox::Options options;
    if (i == 0)
      options.config = {"--notify-keyspace-events", "AKE"};
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

} // namespace lockhouse
