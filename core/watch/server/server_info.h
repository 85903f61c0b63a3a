// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockhouse {

/// What INFO says of a server, as far as it proves that it is still the same one and whether data changed.
struct InfoReply {
  std::string runId, replicationId, role, version;
  bool isLoading = false;
  bool isCluster = false;
  bool isReadOnly = false;                     ///< a replica that takes no writes
  bool isSaveFailing = false;                  ///< the last RDB snapshot that it tried
  bool isAppendFailing = false;                ///< the last write to its append-only file
  std::uint64_t usedMemory = 0, maxMemory = 0; ///< bytes; 0: not told, or no bound
  bool isCutOff = false;                       ///< a replica that nothing comes to from its master
  std::optional<seconds> cutOffFor;            ///< since when; nothing: INFO does not tell, or the link was never up
  std::string master;                          ///< of a replica: its address
  std::optional<std::uint64_t> goodReplicas;   ///< of one that takes no writes without some: how many there are
  std::optional<milliseconds> wallTime;        ///< since 1970
  std::uint64_t changes = 0;                   ///< rdb_changes_since_last_save
  std::uint64_t lastSave = 0, expired = 0, evicted = 0;
  std::optional<std::uint64_t> blockedClients; ///< by BLPOP and its like, in all databases; nothing: INFO does not tell
  std::uint64_t connectedClients = 0;
  std::vector<int> databases;            ///< that hold keys, in order
  std::optional<std::uint64_t> channels; ///< that somebody listens to, sharded ones too; nothing: INFO does not tell
};

InfoReply parseInfo(std::string_view text);

/// How often a server ran what changes keys, or what is announced of them, without a word to a keyspace feed; of INFO commandstats.
struct SilentCalls {
  std::uint64_t flushes = 0; ///< FLUSHALL, FLUSHDB
  std::uint64_t swaps = 0;   ///< SWAPDB
  std::uint64_t configs = 0; ///< CONFIG SET
  bool operator==(const SilentCalls &) const = default;
};

SilentCalls parseSilentCalls(std::string_view commandstats);

/// How many clients of the database `db` are blocked by a list's or sorted set's blocking command; of CLIENT LIST.
std::uint64_t blockedIn(std::string_view clientList, int db);

/// Judges successive INFO answers: is it the same server, and did data change without a hint?
/// Some commands change keys and raise no notification (SWAPDB), and notifications can be switched off at any time: then the
/// change vector moves while the feed is silent. Two connections race, so silence counts only when the beat after the move is
/// silent too.
class ServerInfo {
public:
  enum class Verdict {
    Same,
    Another, ///< restarted, failed over, or another server behind the same address
    Unhinted ///< data changed and no hint came
  };

  void reset() { *this = {}; }
  /// `hints`: how many came since the beat before, those just before it included: they may announce what only this answer counts.
  Verdict beat(InfoReply info, std::uint64_t hints);

private:
  std::optional<InfoReply> m_last;
  bool m_silentMove = false; // at the last beat data had changed without a hint
};

} // namespace lockhouse
