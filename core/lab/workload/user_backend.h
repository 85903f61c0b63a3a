// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/client.h"
#include "core/client/api/striped_lock.h"
#include "core/lab/workload/stress_backend.h"
#include "core/lab/workload/user_session.h"
#include "core/lab/workload/workers.h"

namespace lockhouse {

/// The backend of what only users of the library have, StripedLock and FallbackLock: a Client with a loop of its own, and
/// threads for calls that block. Answers come through the loop of the run.
/// FallbackLock waits on threads: as many clients wait for the lock as there are threads, and the others wait for a thread. It never falls back here: the
/// run handles an outage itself.
class UserBackend final : public StressBackend {
public:
  UserBackend(Loop &loop, Uri node, const StressOptions &options, std::vector<LockName> names);
  ~UserBackend() override;

  void onState(StateHandler handler) override { m_onState = std::move(handler); }
  void open() override;
  std::uint64_t commandsSent() const override { return m_client ? m_client->commandsSent() : 0; }
  bool isSettled() const override { return m_settled; }
  void whenSettled(Loop::Task task) override;
  std::unique_ptr<OwnerSession> session(std::span<const std::size_t> resources, LockMode mode) override;

private:
  void opened(Result<Client> client);
  void heard(const LogEvent &event);
  std::unique_ptr<UserLock> userLock(const LockName &name);
  Lock lockNamed(LockName name) const;

  Loop &m_loop;
  Uri m_node;
  const StressOptions m_options;
  const std::vector<LockName> m_names;
  StateHandler m_onState;
  std::shared_ptr<Unanswered> m_unanswered = std::make_shared<Unanswered>();
  bool m_settled = false;
  std::shared_ptr<char> m_alive = std::make_shared<char>(); // tells tasks of the loop whether this exists
  std::optional<StripedLock> m_striped;
  std::optional<Client> m_client;
  Workers m_waiting; // also connects
  Workers m_leaving; // separate: a release must never wait behind those that wait for the lock
};

} // namespace lockhouse
