// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/release/result/script_result.h"
#include "core/store/audit_record.h"

#include <span>

namespace lockhouse {

/// What the audit log keeps of a release before it is sent: who, when, which lock as `record` shows it, why, by which script.
AuditRecord intentRecord(const ReleasePlan &plan, const LockRecord &record, const std::string &reason);

/// What it keeps of the same release afterwards. `intent` is the record as it was stored.
AuditRecord outcomeRecord(AuditRecord intent, const ScriptResult &answer);

/// The same of several that are sent together, in one record: action "release-many" or "shorten-many", count is how many they are, before
/// lists each of them with what its script compares; key is empty, and so are node, family and holder where they differ. All have plans.
AuditRecord intentOfMany(std::span<const ReleaseResult *const> results, const std::string &reason);

/// What came of them: the verdict that all have, or "mixed"; before lists those whose verdict is not the most frequent one, with that one.
AuditRecord outcomeOfMany(AuditRecord intent, std::span<const ReleaseResult *const> results);

/// Says in `result`, and in the `detail` that will be its own, that the log has no outcome of it, and why.
void tellUnrecorded(ReleaseResult &result, Message &detail, const Error &why);

} // namespace lockhouse
