// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/audit_log.h"

namespace lockhouse {

/// 64 zeros: what the first record follows.
const std::string &chainStart();

/// Fills in id and hash of a record whose other fields are set.
void sealRecord(AuditRecord &record, const AuditLog::Digest &digest);

/// Checks that `record` is sound and follows the record with number `lastSeq` and hash `lastHash`. The words of the first thing
/// that is wrong; empty if nothing is.
Message brokenLink(const AuditRecord &record, std::int64_t lastSeq, const std::string &lastHash, const AuditLog::Digest &digest);

} // namespace lockhouse
