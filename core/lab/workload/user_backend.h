// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/client.h"
#include "core/client/api/striped_lock.h"
#include "core/lab/workload/stress_backend.h"
#include "core/lab/workload/user_session.h"
#include "core/lab/workload/workers.h"

namespace lockhouse {

/// The ground of what exists for users of the library only, StripedLock and FallbackLock: a Client with a loop of its own, and
/// threads for calls that block. Answers come over by the run's loop.
/// FallbackLock waits on threads: of its clients so many are in line at a time as there are threads, the others wait for one. It does not fall back in a run,
/// which bears an outage itself.
class UserBackend final : public StressBackend {
public:
  UserBackend(Loop &loop, Uri node, const StressOptions &options, std::vector<LockName> names);
  ~UserBackend() override;

  void onState(StateHandler handler) override { m_onState = std::move(handler); }
  void open() override;
  std::uint64_t commandsSent() const override { return m_client ? m_client->commandsSent() : 0; }
  bool isSettled() const override { return m_settled; }
  void whenSettled(Loop::Task task) override;
  std::unique_ptr<OwnerSession> session(std::span<const std::size_t> cells, LockMode mode) override;

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
  std::shared_ptr<char> m_alive = std::make_shared<char>(); // for what others tell the loop when this has ended
  std::optional<StripedLock> m_striped;
  std::optional<Client> m_client;
  Workers m_waiting; // also connects
  Workers m_leaving; // of its own: who gives back must never wait for those who wait for him
};

} // namespace lockhouse
