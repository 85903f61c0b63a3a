// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_record.h"

#include <nlohmann/json_fwd.hpp>

namespace lockhouse {

/// A lock as JSON, the form that lockhousectl prints and the audit log keeps. Durations count from `now`, in milliseconds.
/// Bytes that are not UTF-8 appear twice: as safe text under their name, exactly under their name with "_b64" behind it.
nlohmann::ordered_json lockJson(const LockRecord &record, SteadyTime now);

/// Puts `bytes` under `field` of `object`, and under `field`_b64 too when they are not UTF-8.
void putBytes(nlohmann::ordered_json &object, const char *field, std::string_view bytes);

} // namespace lockhouse
