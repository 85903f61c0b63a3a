// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <string>

namespace lockhouse {

/// One line of the audit log. Bytes from Redis are kept as they are; show them with safeText().
struct AuditRecord {
  std::int64_t seq = 0; ///< 1, 2, 3 … assigned by the log
  std::string id;       ///< "a-000001-1f3c9d2e": seq and the head of the hash, assigned by the log
  WallTime at{};
  std::string who; ///< user@host, pid
  std::string node;
  int db = 0;
  std::string key;
  std::string family;
  std::string holder;
  std::int64_t count = 0;
  std::string action; ///< "release", "shorten"; "release-many", "shorten-many": of `count` locks, which `before` lists
  std::string reason;
  std::string script;       ///< name and SHA-1
  std::string before;       ///< the lock as the plan saw it, JSON
  std::string verdict;      ///< "intent" before the send; a second record with the same subject names the outcome
  std::string subject;      ///< id of the intent record that an outcome belongs to; empty for an intent
  std::string previousHash; ///< hex; of the record before; 64 zeros for the first
  std::string hash;         ///< hex SHA-256 over every field above but id, length-prefixed, previousHash included

  bool operator==(const AuditRecord &) const = default;
};

} // namespace lockhouse
