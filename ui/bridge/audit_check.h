// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"

#include <cstdint>
#include <optional>

namespace lockhouse::ui {

/// Unread: it could not be opened, so that nothing is known of its chain.
enum class AuditStanding { Sound, Unread, NotSound };

/// What a walk over the audit log's whole chain came to.
struct AuditCheck {
  WallTime at{};                      ///< when it ended
  std::uint64_t records = 0;          ///< that are there and sound; 0 too where there is no log yet
  std::optional<Error> why;           ///< the first broken link, or why the log cannot be read
  bool isUnread = false;              ///< the latter
  std::optional<std::int64_t> misfit; ///< the record at which the chain breaks, see AuditLog::misfit()
  std::size_t unanswered = 0;         ///< of a sound log: how many of what was asked have no outcome in it
};

} // namespace lockhouse::ui
