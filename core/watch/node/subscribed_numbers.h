// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/reply.h"
#include "core/watch/scan/key_probe.h"
#include "core/watch/scan/tagged_command.h"

#include <array>
#include <unordered_set>

namespace lockhouse {

/// The names of Redisson's semaphores and latches with subscribers. Their keys hold bare numbers, so only a subscriber shows that they are locks.
/// PUBSUB CHANNELS lists their channels, at a node of a cluster SHARDCHANNELS too: with each scan, and each beat if others than our own feed
/// subscribe; the more channels a server has, the less often. Without I/O.
class SubscribedNumbers {
public:
  enum class List : std::uint8_t { Semaphores, Latches, ShardSemaphores, ShardLatches };
  struct Question {
    List list;
    Command command;
  };

  void beginConnection(bool isCluster) { m_mayListSharded = isCluster; }
  /// The names are read again, and the keys of all are reported again.
  std::vector<Question> beginScan(const ReadHeuristics &heuristics);
  /// `channels`: of INFO. Asks only if it is time to.
  std::vector<Question> beat(std::uint64_t channels, const ReadHeuristics &heuristics);
  /// The names that were not known before.
  std::vector<std::string> take(List list, const Result<Reply> &answer, const FamilyRegistry &families);
  void drop() { m_pending = 0; } ///< answers under way are ignored
  bool isAsking() const { return m_pending > 0; }

  bool contains(const std::string &key) const;

private:
  std::array<std::unordered_set<std::string>, 4> m_names; // by list
  unsigned m_pending = 0;                                 // questions
  bool m_mayListSharded = false;                          // a node of a cluster, and SHARDCHANNELS is not refused
  std::uint64_t m_channels = 0;                           // with subscribers, at the last beat
  std::uint64_t m_beatsWaited = 0;                        // since the last question

  std::vector<Question> ask(const ReadHeuristics &heuristics);
};

} // namespace lockhouse
