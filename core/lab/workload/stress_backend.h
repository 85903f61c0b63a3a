// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/owner_session.h"
#include "core/lab/workload/stress_options.h"
#include "core/lock/options/lock_options.h"
#include "core/net/connection/connection.h"

#include <memory>
#include <span>
#include <vector>

namespace lockhouse {

/// What the clients of a stress run use: the driver of its nodes, and how a client's lock is made. Loop thread only.
class StressBackend {
public:
  /// Ready: locks can be taken. Down, with why: they cannot, or cannot any more.
  using StateHandler = Connection::StateHandler;

  /// `options` as completed() and fitting the nodes, see checkNodes(). `names`: of the locks, by the numbers of the resources.
  static std::unique_ptr<StressBackend> make(Loop &loop, std::vector<Uri> nodes, const StressOptions &options, std::vector<LockName> names);
  virtual ~StressBackend() = default;
  StressBackend(const StressBackend &) = delete;
  StressBackend &operator=(const StressBackend &) = delete;

  virtual void onState(StateHandler handler) = 0; ///< set before open()
  virtual void open() = 0;
  virtual std::uint64_t commandsSent() const = 0;
  virtual bool isSettled() const = 0;
  virtual void whenSettled(Loop::Task task) = 0;
  /// One owner of the lock of this resource, or of a MultiLock of several. `mode`: what kind of hold it wants.
  virtual std::unique_ptr<OwnerSession> session(std::span<const std::size_t> resources, LockMode mode) = 0;
  /// Keys that outlive the locks for a time: the run deletes them at its end.
  virtual std::vector<std::string> lasting() const { return {}; }
  /// Violations that the backend counts itself, if its sessions do not exclude each other.
  virtual std::uint64_t violations() const { return 0; }

protected:
  StressBackend() = default;
};

ConnectionOptions stressConnection();

/// What every lock of a run is made with.
LockOptions stressLock(const StressOptions &options);

/// What kind of hold a client wants: every tenth is a writer among readers; each takes one of four permits.
LockMode stressMode(const StressOptions &options, unsigned client);

} // namespace lockhouse
