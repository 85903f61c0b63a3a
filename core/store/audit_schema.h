// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"

namespace lockhouse {

/// What a file must be to be an audit log, made where there is nothing yet: says whether it was made.
Result<bool> prepareAuditSchema(Database &database);

/// What guards the records, as it was made. The words of the first trigger that is gone, or is another's; empty: all is as it was made.
Result<Message> foreignTrigger(Database &database);

/// What SQLite finds wrong in the file, in its words; empty: nothing. Reads all of it.
Result<std::string> faultOf(Database &database);

/// Has the log take a record behind a cut end, whose numbers stay free. In a transaction.
Result<void> allowGap(Database &database);

} // namespace lockhouse
