// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/reply.h"

#include <string>

namespace lockhouse {

/// Whether slots moved to or from a master of a cluster while its keys were looked at, by what it tells of itself (CLUSTER NODES) before and
/// after: a key that goes from one master, which the walk has not come to, to another, which it has passed, is met on neither.
class SlotMoves {
public:
  bool begin();                                              ///< a sweep begins; whether it is to be asked
  bool end();                                                ///< and is at its end; whether it is to be asked again
  bool isAsking() const { return m_stage == Stage::Ending; } ///< the sweep waits for the answer
  void told(const Reply &nodes);
  bool haveMoved() const { return m_haveMoved; }          ///< in the last sweep, as far as this user may know
  bool areKnown() const { return m_mayAsk && m_isKnown; } ///< it was told before and after

private:
  enum class Stage { Idle, Begun, Ending };

  Stage m_stage = Stage::Idle;
  bool m_mayAsk = true;
  bool m_haveMoved = false;
  bool m_isKnown = true; // it was told each time
  std::string m_before;
};

} // namespace lockhouse
