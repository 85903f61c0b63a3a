// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/detect/family.h"
#include "core/watch/record/lock_change.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace lockhouse::ui {

/// One lock as the table keeps it: the record, its state now, and the texts that are costly to make.
struct LockRow {
  LockRecordPtr record; ///< never null
  LockState state = LockState::Held;
  std::optional<SteadyTime> releasedAt;    ///< it has gone from Redis; the row fades, then goes
  std::optional<ChangeCause> cause;        ///< why it has gone, where that was told
  std::optional<SteadyTime> sinceByHolder; ///< as his bytes tell, where his arrival was not watched
  QString key, family, node, holder;
  Waits waits = Waits::Unseen; ///< as its family has it
  const Family *kin = nullptr; ///< the family; null: unknown
  QStringList otherNodes;      ///< of a lock that lies on several masters: the letters behind the first, in order

  /// How long it has been held at `now`; nothing for a free lock.
  std::optional<std::chrono::nanoseconds> heldFor(SteadyTime now) const {
    if (!record->isHeld())
      return {};
    return releasedAt.value_or(now) - sinceByHolder.value_or(record->heldSince);
  }
  /// The re-entrancy depth of one holder, how many there are of several.
  std::int64_t count() const { return depthOf(*record); }
};

} // namespace lockhouse::ui
