// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/client.h"
#include "core/lab/workload/user_session.h"
#include "core/lab/workload/workers.h"
#include "tests/contract/world/place_driver.h"

namespace lockhouse::test {

/// A Client with a loop of its own, and what exists as its user's call only, as owners on the suite's loop.
class UserDriver final : public PlaceDriver {
public:
  UserDriver(Loop &loop, Place place, const NodeDriver::Options &options);
  ~UserDriver() override;

  std::unique_ptr<OwnerSession> session(const Primitive &primitive, LockName name, LockOptions options) override;
  bool isReady() const override { return m_client.has_value(); }
  bool isSettled() override;
  std::uint64_t commandsSent() const override { return m_client ? m_client->commandsSent() : 0; }

private:
  Loop &m_loop;
  Making m_making;
  ReplicaAck m_acknowledge;
  std::shared_ptr<Unanswered> m_unanswered = std::make_shared<Unanswered>();
  std::shared_ptr<std::atomic<bool>> m_found; // of the look at whether it is settled
  std::optional<Client> m_client;
  Workers m_waiting{64};
  Workers m_leaving{16}; // of its own: who gives back must never wait for those who wait for him
};

} // namespace lockhouse::test
