// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/stress_options.h"

#include "core/base/safe_text.h"
#include "core/client/api/quorum.h"
#include "core/lock/pages/composition.h"
#include "core/lock/primitives/redisson/count_down_latch_wait.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace lockhouse {
namespace {

constexpr unsigned mostClients = 100'000;
constexpr milliseconds longestPause = std::chrono::hours(1);
constexpr milliseconds shortestLease{10};
constexpr std::uint64_t mostPairs = 1'000'000'000'000;
constexpr milliseconds longestRun = std::chrono::hours(24);

std::unexpected<Error> usage(Message what, Message next) { return fail(ErrorCode::Usage, std::move(what), {}, std::move(next)); }

std::string primitiveNames() {
  std::string all;
  for (const auto &info : primitiveInfos())
    all.append(all.empty() ? "" : ", ").append(info.name);
  return all;
}

Result<void> checkNumbers(const StressOptions &options) {
  if (options.clients < 1 || options.clients > mostClients)
    return usage(LH_MESSAGE("ErrorWords", "%1 clients cannot run")(options.clients), LH_MESSAGE("ErrorWords", "choose 1 to %1")(mostClients));
  if (options.keys > mostClients)
    return usage(LH_MESSAGE("ErrorWords", "%1 keys are too many")(options.keys),
                 LH_MESSAGE("ErrorWords", "choose 1 to %1, or 0 for a key for each client")(mostClients));
  if (options.stripes < 1 || options.stripes > mostClients)
    return usage(LH_MESSAGE("ErrorWords", "%1 stripes cannot be")(options.stripes), LH_MESSAGE("ErrorWords", "choose 1 to %1")(mostClients));
  if (std::min(options.hold, options.think) < milliseconds(0) || std::max(options.hold, options.think) > longestPause)
    return usage(LH_MESSAGE("ErrorWords", "hold and think are out of bounds"), LH_MESSAGE("ErrorWords", "choose 0 to one hour"));
  if (options.lease < shortestLease || options.lease > longestRun)
    return usage(LH_MESSAGE("ErrorWords", "a lease of %1 ms is out of bounds")(options.lease.count()), LH_MESSAGE("ErrorWords", "choose 10 ms to one day"));
  if (options.duration.has_value() == options.count.has_value())
    return usage(LH_MESSAGE("ErrorWords", "a run needs either a duration or a count"), LH_MESSAGE("ErrorWords", "give exactly one of them"));
  if (options.duration && (*options.duration <= milliseconds(0) || *options.duration > longestRun))
    return usage(LH_MESSAGE("ErrorWords", "the duration is out of bounds"), LH_MESSAGE("ErrorWords", "choose up to one day"));
  if (options.count && (*options.count < 1 || *options.count > mostPairs))
    return usage(LH_MESSAGE("ErrorWords", "%1 pairs cannot be run")(*options.count), LH_MESSAGE("ErrorWords", "choose 1 to %1")(mostPairs));
  return {};
}

} // namespace

bool hasStripes(std::string_view primitive) { return primitive == stripedLockInfo().name; }

bool isLatch(std::string_view primitive) { return primitive == CountDownLatchWait().info().name; }

Result<StressOptions> completed(StressOptions options) {
  const auto *info = findPrimitive(options.primitive);
  if (info == nullptr)
    return usage(LH_MESSAGE("ErrorWords", "there is no primitive \"%1\"")(safeText(options.primitive)),
                 LH_MESSAGE("ErrorWords", "choose one of %1")(primitiveNames()));
  if (options.policy.empty())
    options.policy = info->policies.front();
  if (std::ranges::find(info->policies, options.policy) == info->policies.end())
    return usage(LH_MESSAGE("ErrorWords", "%1 has no policy \"%2\"")(info->name, safeText(options.policy)),
                 LH_MESSAGE("ErrorWords", "choose one of %1")(fmt::format("{}", fmt::join(info->policies, ", "))));
  if (options.prefix.empty())
    return usage(LH_MESSAGE("ErrorWords", "a run needs a prefix for its keys"), LH_MESSAGE("ErrorWords", "give one, so that they are told from data"));
  if (auto checked = checkNumbers(options); !checked)
    return std::unexpected(std::move(checked).error());
  return options;
}

Result<void> checkNodes(std::span<const Uri> nodes, const StressOptions &options) {
  if (options.primitive == redLockInfo().name && options.acknowledge.isWanted())
    return usage(LH_MESSAGE("ErrorWords", "a RedLock's nodes are independent: it cannot be acknowledged by replicas"),
                 LH_MESSAGE("ErrorWords", "leave the acknowledgement out, or choose another primitive"));
  if (isLatch(options.primitive) && options.acknowledge.isWanted())
    return usage(LH_MESSAGE("ErrorWords", "nobody holds a latch: there is nothing for replicas to acknowledge"),
                 LH_MESSAGE("ErrorWords", "leave the acknowledgement out, or choose another primitive"));
  if (options.primitive == redLockInfo().name)
    return checkQuorum(nodes);
  if (nodes.size() != 1)
    return usage(LH_MESSAGE("ErrorWords", "%1 runs on one node, not on %2")(options.primitive, nodes.size()),
                 LH_MESSAGE("ErrorWords", "name one, or choose RedLock"));
  return {};
}

} // namespace lockhouse
