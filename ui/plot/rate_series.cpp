// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/rate_series.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace lockhouse::ui {
namespace {

using Nanoseconds = std::chrono::nanoseconds;

bool isHeldBy(const LockRecord &lock, const Holder &holder) {
  return std::ranges::any_of(lock.holders, [&](const Holder &other) { return other.id == holder.id && other.mode == holder.mode; });
}

unsigned arrivals(const LockChange &change) {
  if (!change.after || (!change.before && !change.after->heldSinceExact))
    return 0;
  return static_cast<unsigned>(
      std::ranges::count_if(change.after->holders, [&](const Holder &holder) { return !change.before || !isHeldBy(*change.before, holder); }));
}

std::uint64_t joined(const LockChange &change) {
  if (!change.before || !change.after)
    return 0;
  const LockRecord &before = *change.before, &after = *change.after;
  if (!after.queue.empty()) {
    std::unordered_set<std::string_view> waited;
    for (const Waiter &waiter : before.queue)
      waited.insert(waiter.id);
    return static_cast<std::uint64_t>(std::ranges::count_if(after.queue, [&](const Waiter &waiter) { return !waited.contains(waiter.id); }));
  }
  return before.waiters && after.waiters && *after.waiters > *before.waiters ? *after.waiters - *before.waiters : 0;
}

std::optional<Nanoseconds> endedHold(const LockChange &change, SteadyTime at) {
  if (!change.before || change.before->holders.size() != 1 || !change.before->heldSinceExact || at < change.before->heldSince)
    return std::nullopt;
  if (change.after && isHeldBy(*change.after, change.before->holders.front()))
    return std::nullopt;
  return at - change.before->heldSince;
}

double inSeconds(Nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

} // namespace

Traffic trafficOf(const LockChange &change, SteadyTime at) {
  if (change.kind == ChangeKind::Stale || change.kind == ChangeKind::Live)
    return {};
  return {arrivals(change), joined(change), endedHold(change, at)};
}

void RateSeries::cover(SteadyTime now, bool known) {
  const std::int64_t second = m_acquired.bucketOf(now);
  if (m_known)
    advanceTo(known ? second : second - 1);
  if (!m_known || !known) {
    for (TimeSeries *series : {&m_acquired, &m_contended, &m_holdP50, &m_holdP99})
      series->set(second, TimeSeries::gap);
    m_holds = {};
  }
  m_known = known;
}

void RateSeries::take(std::span<const LockChange> changes, SteadyTime now, WallTime wallNow) {
  cover(now, m_known);
  for (const LockChange &change : changes) {
    const SteadyTime at = std::min(now, now - std::chrono::duration_cast<Nanoseconds>(wallNow - change.at));
    const std::int64_t second = m_acquired.bucketOf(at);
    if (std::isnan(m_acquired.at(second)))
      continue;
    const Traffic traffic = trafficOf(change, at);
    m_acquired.add(second, traffic.acquired);
    m_contended.add(second, static_cast<double>(traffic.contended));
    if (traffic.heldFor && second > *m_acquired.newestBucket() - holdWindow.count())
      m_holds[static_cast<std::size_t>(second) % m_holds.size()].add(*traffic.heldFor);
  }
}

void RateSeries::advanceTo(std::int64_t second) {
  const std::int64_t newest = m_acquired.newestBucket().value_or(second);
  const auto length = static_cast<std::int64_t>(m_acquired.length());
  for (std::int64_t next = std::max(newest + 1, second - length + 1); next <= second; ++next) {
    closeSecond(next - 1);
    m_acquired.set(next, 0);
    m_contended.set(next, 0);
    m_holds[static_cast<std::size_t>(next) % m_holds.size()] = {};
  }
}

void RateSeries::closeSecond(std::int64_t second) {
  Histogram window;
  for (const Histogram &holds : m_holds)
    window.merge(holds);
  const bool some = window.count() > 0;
  m_holdP50.set(second, some ? inSeconds(window.quantile(0.5)) : TimeSeries::gap);
  m_holdP99.set(second, some ? inSeconds(window.quantile(0.99)) : TimeSeries::gap);
}

} // namespace lockhouse::ui
