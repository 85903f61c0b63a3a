// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/keyspace_scan.h"

#include "core/base/redisson_names.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr std::uint32_t scanIndex = 0xffffffff;
constexpr std::size_t mostPages = 6;           // at full speed: with fewer, the server or this thread is idle part of the time
constexpr std::size_t mostUnserved = 200;      // of those that are reported; the next scan finds the others
constexpr std::size_t mostBytes = 1024 * 1024; // of commands in flight for one page: names may be 100 KB long

// The cost of a page for an idle server, measured on Redis 7.0: SCAN COUNT 500 about 0.25 ms, a read with its parsing about 1 µs.
constexpr std::chrono::nanoseconds scanCost(250'000);
constexpr std::chrono::nanoseconds probeCost(1'000);

constexpr std::uint64_t tagFor(std::uint32_t serial, std::uint32_t index) {
  return tagOf(AskedBy::KeyspaceScan, static_cast<std::uint64_t>(serial & 0xffffff) << 32 | index);
}

// Whether the probes that led to this verdict weighed the key, or others with this kind of name.
bool isKnownLight(Probe asked, Probe verdict, std::string_view key, const ReadHeuristics &heuristics) {
  if (verdict == Probe::SortedSetLock)
    return heuristics.types.guess(key).isLight;
  return asked == Probe::HashWeight || asked == Probe::Owners || asked == Probe::Field;
}

Refusals reasonOf(std::string_view failureWord) {
  const bool isRight = failureWord == "NOPERM", isDown = failureWord == "CLUSTERDOWN";
  return {.rights = isRight, .clusterDown = isDown, .slotsMove = !isRight && !isDown};
}

} // namespace

void KeyspaceScan::start(bool paced, SteadyTime now, Asks &out) {
  stop();
  m_isRunning = true;
  m_isPaced = paced;
  m_atEnd = false;
  m_cursor = "0";
  m_error.reset();
  m_wasCutOff = false;
  m_tally = {};
  m_due = now;
  advance(true, now, out);
}

void KeyspaceScan::stop() {
  m_isRunning = m_scanPending = false;
  m_pages.clear(); // late answers find no page
  m_found.clear();
}

std::optional<SteadyTime> KeyspaceScan::dueAt() const { return m_isRunning && m_isPaced && m_pages.empty() && !m_atEnd ? std::optional(m_due) : std::nullopt; }

void KeyspaceScan::advance(bool room, SteadyTime now, Asks &out) {
  m_hasRoom = room;
  if (!m_isRunning || m_scanPending || m_atEnd || !room)
    return;
  if (m_isPaced ? m_pages.empty() && now >= m_due : m_pages.size() < mostPages)
    scan(now, out);
}

void KeyspaceScan::scan(SteadyTime now, Asks &out) {
  auto &page = m_pages.emplace_back();
  page.serial = ++m_serial & 0xffffff;
  page.sentAt = now;
  page.pending = 1;
  m_scanPending = true;
  Command command{"SCAN", m_cursor, "COUNT"};
  command.arg(static_cast<std::int64_t>(m_count));
  out.push_back({tagFor(page.serial, scanIndex), std::move(command)});
}

void KeyspaceScan::on(std::uint64_t rest, Result<Reply> answer, SteadyTime now, ReadHeuristics &heuristics, Asks &out) {
  const auto serial = static_cast<std::uint32_t>(rest >> 32);
  const auto index = static_cast<std::uint32_t>(rest);
  const auto found = std::ranges::find(m_pages, serial, &Page::serial);
  if (found == m_pages.end())
    return;
  auto &page = *found;
  --page.pending;
  if (index == scanIndex)
    onScan(page, std::move(answer), now, heuristics, out); // may add a page: references stay, iterators do not
  else
    onProbe(page, index, answer, heuristics, out);
  if (!m_isRunning || page.pending > 0 || page.next < page.keys.size())
    return;
  finish(page, now);
  std::erase_if(m_pages, [&](const Page &done) { return done.serial == serial; });
  m_isRunning = !(m_atEnd && m_pages.empty());
  if (!m_isPaced) // among many answers at once, advance() would come late
    advance(m_hasRoom, now, out);
}

void KeyspaceScan::onScan(Page &page, Result<Reply> answer, SteadyTime now, const ReadHeuristics &heuristics, Asks &out) {
  m_scanPending = false;
  if (!answer) {
    m_wasCutOff = true;
    return abort(answer.error());
  }
  if (answer->isFailure())
    return abort(errorOf(*answer, {}));
  auto &halves = answer->array();
  if (halves.size() != 2 || !halves[0].bulk() || !halves[1].isArray())
    return abort({ErrorCode::Protocol, LH_MESSAGE("ErrorWords", "the answer to SCAN is none"), {}, {}});
  if (m_cursor != "0" && *halves[0].bulk() == m_cursor)
    return abort(
        {ErrorCode::Protocol, LH_MESSAGE("ErrorWords", "SCAN stays where it is"), {}, LH_MESSAGE("ErrorWords", "check that a Redis server answers there")});
  m_cursor = *halves[0].bulk();
  m_atEnd = m_cursor == "0";
  page.keys = std::move(halves[1].array());
  page.probes.resize(page.keys.size());
  m_tally.keys += page.keys.size();
  // The next page is asked for before the probes of this one, so that its names are here when these probes are answered.
  if (!m_isPaced)
    advance(m_hasRoom, now, out);
  probeKeys(page, heuristics, out);
}

void KeyspaceScan::probeKeys(Page &page, const ReadHeuristics &heuristics, Asks &out) {
  for (; page.next < page.keys.size() && page.bytes < mostBytes; ++page.next) {
    const auto *key = page.keys[page.next].bulk();
    if (!key) {
      ++m_tally.tooLong;
      continue;
    }
    if (isCompanionKey(*key, *heuristics.families))
      continue;
    page.probes[page.next] = firstProbe(*key, heuristics);
    if (isVerdict(page.probes[page.next]))
      m_found.push_back({*key, lockType(page.probes[page.next]), {}});
    else
      ask(page, page.next, *key, out);
  }
}

// A companion key is no lock itself. A queue or a fence names the key of its lock.
bool KeyspaceScan::isCompanionKey(std::string_view key, const FamilyRegistry &families) {
  const auto [part, lock] = redisson::partOf(key);
  if (part == redisson::Part::None) {
    bool isCertain = false;
    for (auto &owner : families.ownersOf(key)) {
      m_found.push_back({std::move(owner.lock), ValueType::Unknown, {.others = std::uint64_t{1} << owner.form}});
      isCertain |= owner.isCertain;
    }
    return isCertain;
  }
  for (auto &owner : families.usersOwnersOf(key))
    m_found.push_back({std::move(owner.lock), ValueType::Unknown, {.others = std::uint64_t{1} << owner.form}});
  if (part == redisson::Part::Queue || part == redisson::Part::Fence) {
    const Companion companion{.queue = part == redisson::Part::Queue, .fence = part == redisson::Part::Fence};
    m_found.push_back({std::string(lock), ValueType::Unknown, companion});
    if (key.ends_with('}') && !lock.ends_with('}')) // the lock may be called {name}: see PartOf
      m_found.push_back({"{" + std::string(lock) + "}", ValueType::Unknown, companion});
  }
  return true;
}

void KeyspaceScan::ask(Page &page, std::size_t index, std::string_view key, Asks &out) {
  ++page.pending;
  ++page.asked;
  page.bytes += key.size();
  out.push_back({tagFor(page.serial, static_cast<std::uint32_t>(index)), probeCommand(page.probes[index], key)});
}

void KeyspaceScan::onProbe(Page &page, std::size_t index, const Result<Reply> &answer, ReadHeuristics &heuristics, Asks &out) {
  if (index >= page.probes.size() || !page.keys[index].bulk())
    return;
  const auto &key = *page.keys[index].bulk();
  page.bytes -= key.size();
  auto &probe = page.probes[index];
  const auto asked = probe;
  probe = judge(probe, key, answer, heuristics);
  switch (probe) {
  case Probe::StringLock:
  case Probe::HashLock:
  case Probe::ListLock:
  case Probe::SetLock:
  case Probe::SortedSetLock: m_found.push_back({key, lockType(probe), {.light = isKnownLight(asked, probe, key, heuristics)}}); break;
  case Probe::Refused:
    m_tally.refused.add(key, reasonOf(answer->failureWord()));
    if (reasonOf(answer->failureWord()).slotsMove && m_unserved.size() < mostUnserved)
      m_unserved.push_back(key);
    break;
  case Probe::Failed: return abort(!answer ? answer.error() : errorOf(*answer, {}));
  case Probe::NoLock:
  case Probe::Absent: break;
  default: ask(page, index, key, out); break;
  }
  if (page.next < page.keys.size())
    probeKeys(page, heuristics, out);
}

void KeyspaceScan::finish(const Page &page, SteadyTime now) {
  if (!m_isPaced)
    return;
  const auto commands = page.asked + 1;
  const auto each = (now - page.sentAt) / static_cast<std::int64_t>(commands);
  if (page.asked * 2 >= m_count) // small pages are all round trip
    m_best = m_best.count() == 0 ? each : std::min(m_best, each);
  const double slow =
      m_best.count() == 0 ? 1 : std::clamp(static_cast<double>(each.count()) / static_cast<double>(std::max<std::int64_t>(1, m_best.count())), 1.0, 20.0);
  const auto cost = static_cast<double>((scanCost + probeCost * static_cast<std::int64_t>(commands)).count());
  m_due = now + std::chrono::nanoseconds(static_cast<std::int64_t>(cost * slow * (1 / m_share - 1)));
}

void KeyspaceScan::abort(Error error) {
  stop();
  m_error = std::move(error);
}

} // namespace lockhouse
