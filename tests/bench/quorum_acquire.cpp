// SPDX-License-Identifier: Apache-2.0
// Usage: quorum_acquire [PAIRS]
// The median of a RedLock's acquire over five nodes against that of the same lock over one, in turns within one run: on the bare
// loopback, where five sends cost this machine five times the work, and behind proxies that make a way of some milliseconds of it.
// Beside it what the machine itself makes of it: the same SET written to five sockets and the third answer awaited, against one.
// Then with one of the five black-holed: one that the others outvote, and one whose vote decides, once and again. One JSON line
// each.
#include "core/lab/sandbox/sandbox.h"
#include "core/lockhouse.h"
#include "tests/server/lab/raw_redis.h"
#include "tests/support/proxy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <span>
#include <sys/socket.h>
#include <unistd.h>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

constexpr milliseconds nodeTimeout{200};
constexpr std::size_t nodes = 5;

using Times = std::vector<std::chrono::nanoseconds>;

double medianOf(Times &times) {
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return static_cast<double>(times[times.size() / 2].count()) / 1000;
}

Result<Quorum> connect(std::vector<Uri> uris) { return Quorum::connect(std::move(uris), {.restartGuard = RestartGuard::Off, .nodeTimeout = nodeTimeout}); }

/// One acquire and release; how long the acquire took. Nothing if it failed.
std::optional<std::chrono::nanoseconds> pair(const Lock &lock) {
  const auto began = SteadyClock::now();
  auto held = lock.acquire();
  const auto took = SteadyClock::now() - began;
  if (!held) {
    fmt::print(stderr, "{}\n", held.error().sentence());
    return std::nullopt;
  }
  held->release();
  return took;
}

bool compare(const char *what, const Quorum &one, const Quorum &five, int pairs) {
  const auto lockOfOne = one.redLock(LockName("bench:one"));
  const auto lockOfFive = five.redLock(LockName("bench:five"));
  Times ofOne;
  Times ofFive;
  for (int i = 0; i < pairs; ++i) {
    const auto single = pair(lockOfOne);
    const auto quorum = pair(lockOfFive);
    if (!single || !quorum)
      return false;
    if (i >= pairs / 10) { // the first ones teach the servers the scripts
      ofOne.push_back(*single);
      ofFive.push_back(*quorum);
    }
  }
  const auto single = medianOf(ofOne);
  const auto quorum = medianOf(ofFive);
  fmt::print(R"({{"what":"{}","nodes":{},"acquire_p50_us":{{"one":{:.1f},"five":{:.1f}}},"ratio":{:.2f}}})"
             "\n",
             what, nodes, single, quorum, quorum / single);
  std::fflush(stdout);
  return true;
}

/// SET NX PX at some nodes by bare sockets, and how long it takes until more than half have answered.
class RawSets {
public:
  explicit RawSets(std::span<const Uri> uris) {
    for (const auto &uri : uris) {
      const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(uri.port);
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      const int on = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      m_isUp &= ::connect(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0; // NOLINT
      m_sockets.push_back({socket, POLLIN, 0});
    }
  }
  ~RawSets() {
    for (const auto &each : m_sockets)
      ::close(each.fd);
  }
  RawSets(const RawSets &) = delete;
  RawSets &operator=(const RawSets &) = delete;

  bool isUp() const { return m_isUp; }
  std::chrono::nanoseconds take() {
    const auto began = SteadyClock::now();
    send("*6\r\n$3\r\nSET\r\n$9\r\nbench:raw\r\n$40\r\n0123456789abcdef0123456789abcdef01234567\r\n$2\r\nNX\r\n$2\r\nPX\r\n$5\r\n30000\r\n");
    const auto early = await(m_sockets.size() / 2 + 1);
    const auto took = SteadyClock::now() - began;
    await(m_sockets.size() - early);
    send("*2\r\n$3\r\nDEL\r\n$9\r\nbench:raw\r\n");
    await(m_sockets.size());
    return took;
  }

private:
  void send(std::string_view words) {
    for (const auto &each : m_sockets)
      m_isUp &= ::send(each.fd, words.data(), words.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(words.size());
  }
  /// Each answer is one small packet.
  std::size_t await(std::size_t answers) {
    std::size_t came = 0;
    std::array<char, 64> text{};
    while (m_isUp && came < answers && ::poll(m_sockets.data(), m_sockets.size(), 5000) > 0)
      for (const auto &each : m_sockets)
        if (each.revents != 0)
          came += ::recv(each.fd, text.data(), text.size(), 0) > 0 ? 1U : 0U;
    m_isUp &= came >= answers;
    return came;
  }

  std::vector<pollfd> m_sockets;
  bool m_isUp = true;
};

bool compareRaw(std::span<const Uri> uris, int pairs) {
  RawSets one(uris.first(1));
  RawSets five(uris);
  Times ofOne;
  Times ofFive;
  for (int i = 0; i < pairs && one.isUp() && five.isUp(); ++i) {
    ofOne.push_back(one.take());
    ofFive.push_back(five.take());
  }
  if (!one.isUp() || !five.isUp())
    return false;
  const auto single = medianOf(ofOne);
  const auto quorum = medianOf(ofFive);
  fmt::print(R"({{"what":"loopback, bare sockets, the third answer of five","p50_us":{{"one":{:.1f},"five":{:.1f}}},"ratio":{:.2f}}})"
             "\n",
             single, quorum, quorum / single);
  std::fflush(stdout);
  return true;
}

double millisecondsOf(std::chrono::nanoseconds length) { return static_cast<double>(length.count()) / 1e6; }

/// With one node that swallows everything. Two of the others have the lock from somebody else, so that its vote is waited for, once:
/// a node that owes answers is not asked. Then the slowest of some acquires where the others decide.
bool blackHole(const Quorum &five, test::Proxy &hole, std::span<Sandbox> servers) {
  for (const auto which : {1U, 2U})
    test::RawRedis(servers[which].unixUri().path)({"SET", "bench:taken", "of another"});
  hole.blackHole(true);
  const auto refused = [&] {
    const auto began = SteadyClock::now();
    const bool granted = five.redLock(LockName("bench:taken")).tryAcquire().has_value();
    return granted ? std::chrono::nanoseconds::max() : SteadyClock::now() - began;
  };
  const auto first = refused();
  const auto again = refused();
  std::chrono::nanoseconds outvoted{};
  for (int i = 0; i < 50; ++i) {
    const auto took = pair(five.redLock(LockName("bench:hole")));
    if (!took)
      return false;
    outvoted = std::max(outvoted, *took);
  }
  fmt::print(
      R"({{"what":"one of five black-holed","node_timeout_ms":{},"its_vote_decides_ms":{{"first":{:.1f},"again":{:.1f}}},"others_decide_max_ms":{:.1f}}})"
      "\n",
      nodeTimeout.count(), millisecondsOf(first), millisecondsOf(again), millisecondsOf(outvoted));
  return first != std::chrono::nanoseconds::max() && again != std::chrono::nanoseconds::max();
}

} // namespace

int main(int argc, char **argv) {
  const int pairs = argc > 1 ? std::max(std::atoi(argv[1]), 10) : 2000;
  std::vector<Sandbox> servers;
  std::deque<test::Proxy> proxies;
  std::vector<Uri> bare;
  std::vector<Uri> far;
  for (std::size_t i = 0; i < nodes; ++i) {
    auto server = Sandbox::start({.tcp = true, .config = {}});
    if (!server) {
      fmt::print(stderr, "{}\n", server.error().sentence());
      return 1;
    }
    servers.push_back(std::move(*server));
    bare.push_back(servers.back().tcpUri());
    proxies.emplace_back(bare.back()).setDelay(1ms);
    far.push_back(proxies.back().uri());
  }
  const auto one = connect({bare.front()});
  const auto five = connect(bare);
  const auto oneFar = connect({far.front()});
  const auto fiveFar = connect(far);
  if (!one || !five || !oneFar || !fiveFar) {
    fmt::print(stderr, "the nodes do not answer\n");
    return 1;
  }
  return compareRaw(bare, pairs) && compare("loopback", *one, *five, pairs) && compare("1 ms each way", *oneFar, *fiveFar, pairs / 4) &&
                 blackHole(*fiveFar, proxies[0], servers)
             ? 0
             : 1;
}
