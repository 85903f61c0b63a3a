// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/text/text_table.h"
#include "core/watch/record/lock_snapshot.h"

#include <span>
#include <string_view>

namespace lockhouse::ctl {

/// A key for a person: safe text, in quotation marks where it is empty, or begins or ends with a blank, so that it is seen.
std::string keyWords(std::string_view key, std::size_t most = 256);
/// Locks and nodes as aligned text for a person. Everything from outside is escaped.
std::string locksText(std::span<const LockRecordPtr> locks, SteadyTime now, bool colour);
/// "127.0.0.1:6379 live, 12 keys looked at", or why it is not.
std::string nodeLine(const NodeStatus &node);
/// One lock at length, a sentence first.
std::string lockPage(const LockRecord &record, SteadyTime now);
/// Its node, and how many more.
std::string nodeWords(const LockRecord &record);
/// "expires in 12.4 s", "never expires".
std::string leaseWords(const LockRecord &record, SteadyTime now);
/// The first holder, and how many more; "-" for none.
std::string holderWords(const LockRecord &record);

} // namespace lockhouse::ctl
