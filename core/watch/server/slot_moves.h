// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/reply.h"

#include <string>

namespace lockhouse {

/// Whether slots moved to or from a master of a cluster during a scan, by its own line in CLUSTER NODES before and after. If a key moves from a
/// master before the scan reads it to a master after the scan passed it, neither scan finds it.
class SlotMoves {
public:
  bool begin();                                              ///< a scan begins; true: ask for the slots
  bool end();                                                ///< it has read everything; true: ask for the slots again
  bool isAsking() const { return m_stage == Stage::Ending; } ///< the scan waits for the answer
  void take(const Reply &nodes);
  bool haveMoved() const { return m_haveMoved; }          ///< in the last scan, as far as this user may know
  bool areKnown() const { return m_mayAsk && m_isKnown; } ///< it was reported before and after

private:
  enum class Stage { Idle, Begun, Ending };

  Stage m_stage = Stage::Idle;
  bool m_mayAsk = true;
  bool m_haveMoved = false;
  bool m_isKnown = true; // it was reported each time
  std::string m_before;
};

} // namespace lockhouse
