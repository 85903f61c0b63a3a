// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/user_backend.h"

#include "core/client/api/client_runtime.h"
#include "core/lab/workload/user_lock.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

constexpr std::size_t mostWaiting = 64;
constexpr std::size_t mostLeaving = 16;
constexpr milliseconds closeLimit{500};
constexpr milliseconds never = std::chrono::hours(24); // longer than any outage in a run

} // namespace

UserBackend::UserBackend(Loop &loop, Uri node, const StressOptions &options, std::vector<LockName> names)
    : m_loop(loop), m_node(std::move(node)), m_options(options), m_names(std::move(names)), m_waiting(std::min<std::size_t>(options.clients, mostWaiting)),
      m_leaving(std::min<std::size_t>(options.clients, mostLeaving)) {}

// Before the threads end: what they wait for is answered by the client when it closes, and by the wishes of the sessions, which have gone.
UserBackend::~UserBackend() {
  m_striped.reset();
  m_client.reset();
}

void UserBackend::open() {
  ClientOptions options;
  options.connection = stressConnection();
  options.closeLimit = closeLimit;
  options.log = [&loop = m_loop, this, alive = std::weak_ptr(m_alive)](const LogEvent &event) {
    loop.post([this, alive, event] {
      if (!alive.expired())
        heard(event);
    });
  };
  m_waiting.run([&loop = m_loop, this, alive = std::weak_ptr(m_alive), options = std::move(options)]() mutable {
    auto client = std::make_shared<Result<Client>>(Client::connect(m_node, std::move(options)));
    loop.post([this, alive, client] {
      if (!alive.expired())
        opened(std::move(*client));
    });
  });
}

void UserBackend::opened(Result<Client> client) {
  if (!client)
    return m_onState(Connection::State::Down, &client.error());
  m_client.emplace(std::move(*client));
  if (hasStripes(m_options.primitive))
    m_striped.emplace(lockNamed(LockName(m_names.back())), m_options.stripes);
  m_onState(Connection::State::Ready, nullptr);
}

void UserBackend::heard(const LogEvent &event) {
  if (!m_client)
    return;
  if (event.kind == LogEvent::Kind::ConnectionBack)
    return m_onState(Connection::State::Ready, nullptr);
  if (event.kind != LogEvent::Kind::ConnectionLost)
    return;
  const Error why{ErrorCode::Unreachable, Message::verbatim(event.text), {}, {}};
  m_onState(Connection::State::Down, &why);
}

void UserBackend::whenSettled(Loop::Task task) {
  m_unanswered->whenNone([this, alive = std::weak_ptr(m_alive), last = std::make_shared<Loop::Task>(std::move(task))] {
    if (alive.expired())
      return;
    m_client->mutex(m_names.front()).runtime().onceSettled([&loop = m_loop, this, alive, last] {
      loop.post([this, alive, last] {
        if (alive.expired())
          return;
        m_settled = true;
        (*last)();
      });
    });
  });
}

std::unique_ptr<OwnerSession> UserBackend::session(std::span<const std::size_t> resources, LockMode) {
  const auto &name = m_names[resources.front()];
  return std::make_unique<UserSession>(m_loop, userLock(name), name, m_unanswered);
}

std::unique_ptr<UserLock> UserBackend::userLock(const LockName &name) {
  if (m_striped)
    return userLockOf(m_striped->lockFor(name.bytes()));
  return userLockOf(FallbackLock(lockNamed(name), {.after = never}), m_waiting, m_leaving);
}

Lock UserBackend::lockNamed(LockName name) const { return m_client->mutex(std::move(name), stressLock(m_options)); }

} // namespace lockhouse
