// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/detect/family_registry.h"
#include "core/watch/record/lock_snapshot.h"
#include "ui/model/locks/lock_row.h"
#include "ui/widget/parts/line_list.h"

namespace lockhouse::ui {

/// What the sections of the details say of a lock, line by line. Lists are cut, and say so.

using DetailLines = std::vector<LineList::Line>;

constexpr std::size_t mostDetailLines = 12; ///< of holders, of a queue, of a history

DetailLines holderLines(const LockRow &row, SteadyTime now);
DetailLines queueLines(const LockRow &row, SteadyTime now);
/// Every master of a lock that lies on several: what is left of its lease there, or that it does not lie there.
DetailLines memberLines(const LockRow &row, const std::vector<NodeStatus> &nodes, SteadyTime now);
DetailLines familyLines(const LockRow &row, const FamilyRegistry &families);
DetailLines releasingLines(const LockRow &row, const Family *family); ///< what it takes to free it; none once it has gone
QString whyNotReleased(const LockRow &row);                           ///< of what nobody holds; empty: somebody does, or it has gone
DetailLines historyLines(const std::vector<LockChange> &changes);
/// Who holds several locks, where, and what they have in common; and that some are gone by now.
QString selectedSentence(const std::vector<LockRecordPtr> &locks, std::size_t gone = 0);
QString certainty(const LockRecord &record); ///< "certain, 4 facts"

} // namespace lockhouse::ui
