// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/histogram.h"
#include "core/client/node/owner_session.h"
#include "core/lab/workload/exclusion_check.h"
#include "core/net/loop/loop.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lockhouse {

/// What all virtual clients of a run share: how they behave, and the ledger they write into. Loop thread only.
struct StressFloor {
  StressFloor(Loop &theLoop, std::size_t cells, std::uint32_t capacity) : loop(theLoop), check(cells, capacity) {}

  Loop &loop;
  milliseconds hold{0};
  milliseconds think{0};

  ExclusionCheck check;
  Histogram waits;              ///< how long acquires took that ended in a hold, since the last progress
  std::uint64_t pairs = 0;      ///< acquire + release, both confirmed
  std::uint64_t inDoubt = 0;    ///< acquires and releases whose answer never came
  std::uint64_t lost = 0;       ///< holds that ended without the client's release
  unsigned waiting = 0;         ///< clients that want the lock now
  unsigned active = 0;          ///< clients that have not finished; set by who starts them
  std::optional<Error> failure; ///< the first refusal that asking again cannot cure
  bool stopping = false;
  bool leftFirst = false; ///< clients leave when they begin to give back; so that they can meet inside, nobody stays shorter than a turn of the loop
  bool away = false;      ///< the connection is lost: who fails for want of it waits for its return
  Loop::Task idle;        ///< run when the last client has finished
};

/// One client of a stress run: acquires, holds, releases, thinks, until its quota is done or the floor stops. Loop thread only.
class VirtualClient {
public:
  /// `cells`: of the floor's check, what `session`'s lock guards. `reads`: beside other readers. `quota`: pairs to make; nothing = until stopped.
  VirtualClient(StressFloor &floor, std::vector<std::size_t> cells, bool reads, std::unique_ptr<OwnerSession> session, std::optional<std::uint64_t> quota);
  VirtualClient(const VirtualClient &) = delete;
  VirtualClient &operator=(const VirtualClient &) = delete;

  void start();
  /// Gives back what it holds, or stops wanting it; floor.stopping is set before.
  void stop();
  void connectionLost();
  void connectionReturned(); ///< floor.away is cleared before
  std::uint64_t pairs() const { return m_pairs; }

private:
  enum class Stage : std::uint8_t { Thinking, Away, Acquiring, Holding, Releasing, Finished };

  void acquire();
  void acquired(const AcquireOutcome &outcome);
  void release();
  void released(ReleaseOutcome outcome);
  void lost();
  void refused(const AcquireOutcome &outcome);
  void next();
  void pause(milliseconds length);
  void tryLater();
  void enter();
  void leave();
  void abandon();
  void finish();

  StressFloor &m_floor;
  const std::vector<std::size_t> m_cells;
  const bool m_reads;
  std::optional<Timer> m_timer; // only where there is something to wait for
  std::optional<std::uint64_t> m_quota;
  std::uint64_t m_pairs = 0;
  std::vector<std::uint64_t> m_readings; // of the cells, while inside
  bool m_inside = false;
  SteadyTime m_since{};
  Stage m_stage = Stage::Thinking;
  std::unique_ptr<OwnerSession> m_session; // last: it ends with a call to its handler
};

} // namespace lockhouse
