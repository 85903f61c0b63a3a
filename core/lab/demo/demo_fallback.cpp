// SPDX-License-Identifier: Apache-2.0
#include "core/lab/demo/demo_fallback.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace lockhouse {
namespace {

using namespace std::chrono_literals;

constexpr const char *user = "reporter";

ClientOptions clientOptions() {
  ClientOptions options;
  options.connection.clientName = "report-1";
  options.connection.backoffCap = 500ms; // back soon after the way is
  options.wait = Loop::Wait::Asleep;
  options.closeLimit = 300ms;
  return options;
}

} // namespace

DemoFallback::DemoFallback(DemoNode &node, Uri address, std::string name)
    : m_node(node), m_socket(address.path), m_name(std::move(name)), m_way(std::move(address)), m_timer(node.loop()) {
  m_way.path = (std::filesystem::path(m_socket).parent_path() / user).string();
  m_way.user = user;
  m_way.password = user;
}

DemoFallback::~DemoFallback() {
  m_thread.request_stop();
  m_wake.notify_all();
}

void DemoFallback::begin() {
  m_node.send({"ACL", "SETUSER", user, "on", std::string(">") + user, "~*", "&*", "+@all"}, [this](std::int64_t) {
    mend();
    m_thread = std::jthread([this](const std::stop_token &stop) { serve(stop); });
  });
}

void DemoFallback::cutLater() {
  m_timer.after(m_node.between(8s, 18s), [this] { cut(); });
}

void DemoFallback::cut() {
  std::error_code ignored;
  std::filesystem::remove(m_way.path, ignored);
  m_node.send({"CLIENT", "KILL", "USER", user});
  m_timer.after(m_node.between(5s, 8s), [this] { mend(); });
}

void DemoFallback::mend() {
  std::error_code ignored; // then it stays away until the next time
  std::filesystem::create_symlink(m_socket, m_way.path, ignored);
  cutLater();
}

void DemoFallback::serve(const std::stop_token &stop) {
  auto client = Client::connect(m_way, clientOptions());
  while (!client && rest(1s, stop))
    client = Client::connect(m_way, clientOptions());
  if (!client)
    return;
  const FallbackLock lock(client->mutex(LockName(m_name), {.lease = 10s}), {.after = 1s});
  const std::jthread other([&] { work(lock, 2, stop); });
  work(lock, 1, stop);
}

void DemoFallback::work(const FallbackLock &lock, std::uint64_t seed, const std::stop_token &stop) {
  Jitter dice(seed);
  const auto between = [&dice](milliseconds least, milliseconds most) {
    return least + milliseconds(static_cast<milliseconds::rep>(dice.unit() * static_cast<double>((most - least).count())));
  };
  do {
    auto held = lock.acquire(stop);
    if (held && rest(between(500ms, 1800ms), stop))
      tell(held->scope());
  } while (rest(between(200ms, 900ms), stop)); // whoever holds has let go before, without waiting for the answer
}

bool DemoFallback::rest(milliseconds length, const std::stop_token &stop) {
  std::unique_lock guard(m_mutex);
  m_wake.wait_for(guard, stop, length, [] { return false; });
  return !stop.stop_requested();
}

void DemoFallback::tell(HoldScope scope) {
  m_node.loop().post([this, alive = std::weak_ptr(m_alive), key = std::string("report:made:").append(name(scope))] {
    if (!alive.expired())
      m_node.send({"INCR", key});
  });
}

} // namespace lockhouse
