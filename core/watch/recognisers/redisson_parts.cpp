// SPDX-License-Identifier: Apache-2.0
// What the recognisers of Redisson's locks share.
#include "core/watch/recognisers/redisson_parts.h"
#include "core/base/safe_text.h"
#include "core/watch/detect/family_matcher.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/name_classifier.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace lockhouse {

void noteListeners(std::uint64_t clients, LockRecord &draft) {
  if (clients == 0)
    return;
  draft.waiters = clients;
  draft.moreMayWait = true;
  draft.evidence.emplace_back(clientsListen);
}

void noteListeners(std::uint64_t clients, std::uint64_t old, LockRecord &draft) {
  noteListeners(clients + old, draft);
  if (old == 0)
    return;
  draft.extras.push_back({std::string(oldClients), std::to_string(old)});
  std::ranges::sort(draft.extras, {}, &MetadataEntry::name);
}

void addOwners(LockRecord &draft) {
  constexpr std::size_t uuidSize = 36, mostNamed = 8;
  std::string instances, threads;
  std::size_t named = 0;
  for (const auto &holder : draft.holders) {
    if (named == mostNamed)
      break;
    const std::string_view owner = holder.id;
    const auto thread = owner.substr(std::min(owner.size(), uuidSize + 1));
    instances.append(named > 0 ? ", " : "").append(owner.substr(0, uuidSize));
    threads.append(named > 0 ? ", " : "").append(thread.substr(0, thread.find(':'))); // behind it: that it writes, or its transaction
    ++named;
  }
  if (named == 0)
    return;
  const std::string_view rest = draft.holders.size() > named ? ", …" : "";
  draft.extras.push_back({"instance", instances.append(rest)});
  draft.extras.push_back({"thread", threads.append(rest)});
}

bool isOfRandomClient(std::string_view owner) { return owner[14] == '4' && std::string_view("89abAB").contains(owner[19]); }

bool isSupported(const KeyFacts &facts) {
  const auto &name = facts.name();
  const bool isHeard = facts.listeners && facts.listeners->lock + facts.listeners->oldLock + facts.listeners->readWrite + facts.listeners->oldReadWrite > 0;
  return (name.lock && !name.attribute && !name.contrary) || facts.fence || !facts.queue.empty() || isHeard;
}

void noteOddCount(std::string_view value, LockRecord &draft) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  const bool isWhole = end == value.data() + value.size();
  Message fact = noCount;
  if (isWhole && error == std::errc{})
    fact = unwrittenCount(count);
  else if (isWhole && error == std::errc::result_out_of_range)
    fact = tooLargeCount(safeText(value, 40));
  if (std::ranges::find(draft.evidence, fact) == draft.evidence.end())
    draft.evidence.push_back(std::move(fact));
}

} // namespace lockhouse
