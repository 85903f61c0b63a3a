// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/stress/stress_run.h"
#include "core/lock/pages/primitive_info.h"
#include "core/lock/pages/topic_info.h"
#include "core/release/plan/hold_selection.h"
#include "core/store/audit_log.h"
#include "core/watch/detect/family.h"
#include "core/watch/query/lock_json.h"
#include "core/watch/record/lock_change.h"
#include "core/watch/record/lock_snapshot.h"

#include <nlohmann/json.hpp>
#include <span>

namespace lockhouse::ctl {

using Json = nlohmann::ordered_json;

/// The JSON of lockhousectl: a public interface, documented in packaging/man/lockhousectl.1 and by `lockhousectl help json`.
/// Fields keep their names and order; new ones come last.
Json nodeJson(const NodeStatus &node, std::span<const NodeStatus> nodes, SteadyTime now);
Json listJson(const std::vector<NodeStatus> &nodes, std::span<const LockRecordPtr> locks, SteadyTime now, std::size_t leftOut = 0);
Json changeJson(const LockChange &change, SteadyTime now);
Json releaseJson(std::span<const ReleaseResult> results, SteadyTime now, std::span<const UnreadHolds> unread = {}, std::span<const NodeStatus> nodes = {},
                 std::span<const std::string> warnings = {}, const std::optional<std::string> &mark = {});
Json stressJson(const StressReport &report);
Json primitivesJson(std::span<const PrimitiveInfo> primitives, std::span<const TopicInfo> topics);
Json familiesJson(std::span<const Family> families);
Json shapesJson();
Json auditJson(std::span<const AuditRecord> records, const std::optional<AuditLog::End> &verified, const std::optional<Error> &broken = {});

/// One line; bytes that are not UTF-8 never get here, but would be replaced rather than thrown about.
std::string oneLine(const Json &json);

} // namespace lockhouse::ctl
