// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/base/histogram.h"
#include "core/lock/options/outcome.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockhouse {

/// What one client (or driver) has seen of all its locks of one primitive, since it was made. A value; plain numbers, no Redis command.
/// Of a Quorum: of its locks as a whole, under the primitive that they are made of at each node.
/// Each acquire is counted under exactly one outcome when that is told; what is refused with Usage before anything was sent, under none.
struct LockMetrics {
  std::string_view primitive; ///< PrimitiveInfo::name; never a lock's name, of which there is no end

  std::uint64_t acquired = 0;  ///< first counts, re-entries, and readers that became writers
  std::uint64_t contended = 0; ///< asked once, somebody else had it
  std::uint64_t timedOut = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t inDoubt = 0;
  std::uint64_t failed = 0;
  std::uint64_t refusals = 0; ///< answers "somebody else has it": one acquire that waits may get many; of a Quorum, rounds that came to that

  std::array<std::uint64_t, 5> releases{}; ///< by ReleaseOutcome; of handles that ended unreleased too
  std::array<std::uint64_t, 4> lost{};     ///< holds, by LossReason

  std::uint64_t renewals = 0;       ///< answered: the lease runs anew
  std::uint64_t renewalsFailed = 0; ///< unsent, unanswered, refused; tried again while the lease lasts; of a Quorum, those of single nodes
  std::int64_t holds = 0;           ///< now
  std::int64_t waiters = 0;         ///< acquires under way now, those that were only just sent included

  Histogram wait;            ///< from the call of an acquire to its grant; of those that got it
  Histogram hold;            ///< from the grant to the call of the last release, or to the loss
  Histogram handoff;         ///< a lock that somebody of this client waited for: from its release here, or the message of one elsewhere, to his grant
  Histogram renewalLateness; ///< from the time that a renewal was planned for to the answer that confirmed it: round trip, retries, a busy loop

  std::uint64_t releasedAs(ReleaseOutcome outcome) const { return releases.at(static_cast<std::size_t>(outcome)); }
  std::uint64_t lostBy(LossReason reason) const { return lost.at(static_cast<std::size_t>(reason)); }
};

/// One of the nodes that hold a lock together.
struct NodeMetrics {
  NodeId node;
  std::uint64_t commands = 0; ///< sent
  std::uint64_t connects = 0; ///< times its connection was ready; the first counts
  bool connected = false;     ///< it is now, and the node has told who it is
};

struct Metrics {
  std::vector<LockMetrics> locks;  ///< of the primitives used so far, in the order of their first use
  std::uint64_t subscriptions = 0; ///< channels listened to now
  std::uint64_t commands = 0;      ///< sent, of both connections; of a Quorum, to all nodes
  std::uint64_t connects = 0;      ///< times the command connection was ready; the first counts; of a Quorum, of all nodes
  bool connected = false;          ///< it is now; of a Quorum, so many nodes are that they are one
  std::vector<NodeMetrics> nodes;  ///< of a Quorum; else none

  /// Null if that primitive was not used.
  const LockMetrics *of(std::string_view primitive) const;
};

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

struct LabelledMetrics {
  Metrics metrics;
  /// {"service", "orders"}: what tells the clients of one process apart. One that is called as one of ours (node, primitive, outcome, cause,
  /// le), or as one behind it, is written with exported_ before its name.
  MetricLabels labels;
};

/// Prometheus' text, exposition format 0.0.4 (content type `text/plain; version=0.0.4`): each family once with HELP and TYPE, every
/// sample of every client below it; times in seconds; histograms with _bucket, _sum and _count, their bounds the powers of two of a
/// nanosecond from 16 us to 69 s (exact: an edge of a bucket is an edge of a Histogram step).
/// What a Quorum has sent and whether it is connected stands there node by node, under the label "node", and once more as a whole only
/// in quorum_connected.
/// Label values are escaped; bytes of a label's name that the format does not allow become '_'.
/// Source: Prometheus documentation, "Exposition formats", text-based format.
std::string prometheusText(std::span<const LabelledMetrics> clients);
std::string prometheusText(const Metrics &metrics, MetricLabels labels = {});

} // namespace lockhouse
