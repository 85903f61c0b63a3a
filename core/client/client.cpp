// SPDX-License-Identifier: Apache-2.0
#include "core/client/client.h"

#include "core/client/fallback_line.h"
#include "core/client/lock.h"
#include "core/client/lock_hold.h"

#include <unistd.h>

#include <algorithm>
#include <future>
#include <utility>
#include <vector>

namespace lockhouse {

Client::Core::Core(Uri node, ClientOptions options) : m_options(std::move(options)), m_process(::getpid()), m_loop(std::make_unique<Loop>(m_options.wait)) {
  m_node = node.address();
  m_loop->call([&] {
    m_loopThread = std::this_thread::get_id();
    m_driver = std::make_unique<LockDriver>(*m_loop, std::move(node),
                                            LockDriver::Options{.connection = m_options.connection, .log = m_options.log, .owners = m_options.owners});
  });
}

Client::Core::~Core() { close(); }

Result<void> Client::Core::open() {
  auto answer = std::make_shared<std::promise<Result<void>>>();
  auto first = answer->get_future();
  m_loop->call([&] {
    m_driver->onState([this, answer](Connection::State state, const Error *why) mutable {
      connectionChanged(state);
      if (!answer || state == Connection::State::Connecting)
        return;
      if (state == Connection::State::Ready)
        answer->set_value({});
      else
        answer->set_value(std::unexpected(why != nullptr ? *why : Error{ErrorCode::Unreachable, "no connection", {}, {}}));
      answer.reset();
    });
    m_driver->open();
  });
  return first.get();
}

bool Client::Core::isForeign() const { return ::getpid() != m_process; }

bool Client::Core::post(Loop::Task task) {
  if (isForeign()) // before the door: a thread that is not here may have held it during the fork
    return false;
  const std::scoped_lock guard(m_door);
  if (m_closed)
    return false;
  m_loop->post(std::move(task));
  return true;
}

void Client::Core::close() {
  if (isForeign()) {
    // The loop's thread did not come along: to end either would be to wait for it.
    static_cast<void>(m_driver.release());
    static_cast<void>(m_loop.release());
    return;
  }
  {
    const std::scoped_lock guard(m_door);
    if (m_closed)
      return;
    m_sent = m_driver->commandsSent();
    m_closed = true;
  }
  // Whatever was posted is in the inbox before this; nothing comes after it.
  auto settled = std::make_shared<std::promise<void>>();
  auto done = settled->get_future();
  m_loop->call([&] {
    endHolds();
    m_driver->whenSettled([settled] { settled->set_value(); });
  });
  done.wait_for(std::min<milliseconds>(m_options.closeLimit, longestTime));
  m_loop->call([&] {
    keepMetrics();
    m_driver.reset();
  });
  m_loop.reset();
}

void Client::Core::keepMetrics() {
  auto seen = m_driver->metrics();
  const std::scoped_lock guard(m_door);
  m_seen = std::move(seen);
}

Metrics Client::Core::metrics() {
  if (isForeign())
    return {};
  if (isLoopThread() && m_driver)
    return m_driver->metrics();
  auto answer = std::make_shared<std::promise<Metrics>>();
  auto seen = answer->get_future();
  if (post([this, answer] { answer->set_value(m_driver->metrics()); }))
    return seen.get();
  const std::scoped_lock guard(m_door);
  return m_seen;
}

void Client::Core::connectionChanged(Connection::State state) {
  const auto since = m_goneSince.load(std::memory_order_relaxed); // written here only
  if (state == Connection::State::Ready)
    m_goneSince.store(0, std::memory_order_release);
  else if (since == 0)
    m_goneSince.store(SteadyClock::now().time_since_epoch().count(), std::memory_order_release);
}

SteadyClock::duration Client::Core::goneFor() const {
  const auto since = m_goneSince.load(std::memory_order_acquire);
  return since == 0 ? SteadyClock::duration::zero() : SteadyClock::now().time_since_epoch() - SteadyClock::duration(since);
}

std::shared_ptr<FallbackLine> Client::Core::fallbackLine(const LockName &name) {
  const std::scoped_lock guard(m_lineMutex);
  if (const auto known = m_lines[name.bytes()].lock())
    return known;
  std::erase_if(m_lines, [](const auto &entry) { return entry.second.expired(); });
  auto line = std::make_shared<FallbackLine>();
  m_lines[name.bytes()] = line;
  return line;
}

void Client::Core::tell(LogEvent event) {
  if (!m_options.log)
    return;
  event.node = NodeId(m_node);
  post([this, told = std::move(event)] { m_options.log(told); });
}

std::uint64_t Client::Core::commandsSent() {
  if (isForeign())
    return 0;
  const std::scoped_lock guard(m_door);
  return m_closed ? m_sent : m_driver->commandsSent();
}

void Client::Core::enter(LockHold &hold) { m_holds.emplace(&hold, hold.weak_from_this()); }

void Client::Core::leave(LockHold &hold) { m_holds.erase(&hold); }

void Client::Core::endHolds() {
  // What one of them tells its caller may end another one, so all are kept until the last has ended.
  std::vector<std::shared_ptr<LockHold>> holds;
  for (const auto &[raw, weak] : m_holds)
    if (auto hold = weak.lock())
      holds.push_back(std::move(hold));
  for (const auto &hold : holds)
    hold->closeDown();
}

Result<Client> Client::connect(std::string_view uri, ClientOptions options) {
  auto node = parseUri(uri);
  if (!node)
    return std::unexpected(std::move(node.error()));
  return connect(std::move(*node), std::move(options));
}

Result<Client> Client::connect(Uri node, ClientOptions options) {
  auto core = std::make_shared<Core>(std::move(node), std::move(options));
  if (auto opened = core->open(); !opened)
    return std::unexpected(std::move(opened.error()));
  return Client(std::move(core));
}

Client::Client(std::shared_ptr<Core> core) : m_core(std::move(core)) {}

Client::~Client() {
  if (m_core)
    m_core->close();
}

Client::Client(Client &&) noexcept = default;

Client &Client::operator=(Client &&other) noexcept {
  const Client old(std::exchange(m_core, std::exchange(other.m_core, {})));
  return *this;
}

Lock Client::lock(const Primitive &primitive, LockName name, LockOptions options) const { return {m_core, primitive, std::move(name), std::move(options)}; }

Lock Client::mutex(LockName name, LockOptions options) const { return lock(*Primitive::find("Mutex"), std::move(name), std::move(options)); }

Lock Client::reentrantLock(LockName name, LockOptions options) const { return lock(*Primitive::find("ReentrantLock"), std::move(name), std::move(options)); }

Metrics Client::metrics() const { return m_core->metrics(); }

std::uint64_t Client::commandsSent() const { return m_core->commandsSent(); }

} // namespace lockhouse
