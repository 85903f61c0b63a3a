// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/release_answer.h"
#include "core/store/audit_record.h"

namespace lockhouse {

/// What the audit log keeps of a release before it is sent: who, when, which lock as `record` shows it, why, by which script.
AuditRecord intentRecord(const ReleasePlan &plan, const LockRecord &record, const std::string &reason);

/// What it keeps of the same release afterwards. `intent` is the record as it was stored.
AuditRecord outcomeRecord(AuditRecord intent, const ReleaseAnswer &answer);

} // namespace lockhouse
