// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/verbs/release_many.h"

#include "app/ctl/text/lock_text.h"
#include "app/ctl/text/risk_lines.h"
#include "app/ctl/text/text_table.h"
#include "core/base/encoding.h"
#include "core/base/safe_text.h"
#include "core/client/release/release_service.h"
#include "core/net/address/digest.h"
#include "core/release/plan/hold_selection.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <future>
#include <mutex>

namespace lockhouse::ctl {
namespace {

constexpr seconds tellEvery(1);

bool isMeant(const std::vector<NodeStatus> &nodes, const NodeId &id, int db) {
  return std::ranges::any_of(nodes, [&](const NodeStatus &node) { return node.id == id && node.db == db; });
}

bool isContended(const LockRecord &lock) { return lock.waiters.value_or(0) > 0; }

std::string unknownWords(std::size_t unknown, std::string_view before) {
  return unknown == 0 ? std::string() : fmt::format("{} {} unknown: sent, but no answer came", before, unknown);
}

/// One request of a ReleaseService's, waited for by the main thread, which hears signals meanwhile. A signal stops it and those that follow.
class Request {
public:
  Request(const Output &output, const SignalWait &signals, std::stop_source &stop, bool isPlan, std::size_t total)
      : m_output(output), m_signals(signals), m_stop(stop), m_isPlan(isPlan) {
    m_progress.total = total;
  }

  ReleaseService::ProgressHandler progress() {
    return [this](BulkProgress progress) {
      const std::scoped_lock guard(m_mutex);
      m_progress = progress;
    };
  }
  ReleaseService::ManyDone done() {
    return [this](std::vector<ReleaseResult> results) {
      const std::scoped_lock guard(m_mutex);
      m_results = std::move(results);
      m_signals.tell();
    };
  }
  std::vector<ReleaseResult> await() {
    for (auto until = SteadyClock::now() + tellEvery;;) {
      const auto woken = m_signals.wait(until);
      if (woken == SignalWait::Woken::Interrupted && m_stop.request_stop())
        m_output.note("stopping after what is under way");
      const std::scoped_lock guard(m_mutex);
      if (m_results)
        return std::move(*m_results);
      if (woken == SignalWait::Woken::TimedOut) {
        m_output.note(progressWords());
        until = SteadyClock::now() + tellEvery;
      }
    }
  }

private:
  std::string progressWords() const {
    const auto &[total, answered, released, refused, unknown] = m_progress;
    if (!m_isPlan)
      return fmt::format("releasing: {} of {} answered, {} released, {} refused{}", answered - unknown, total, released, refused, unknownWords(unknown, ","));
    return answered < total ? fmt::format("planning: {} of {} read, nothing is sent yet", answered, total)
                            : fmt::format("planning: all {} read, the rights to release them are asked for, nothing is sent yet", total);
  }

  const Output &m_output;
  const SignalWait &m_signals;
  std::stop_source &m_stop;
  bool m_isPlan;
  std::mutex m_mutex;
  BulkProgress m_progress;
  std::optional<std::vector<ReleaseResult>> m_results;
};

bool wouldBeDone(const ReleaseResult &result) { return !result.verdict && result.plan && !result.plan->refusal; }

// Of a hold that cannot be planned: as it was read.
std::optional<std::int64_t> countMeant(const ReleaseResult &result) {
  if (result.plan)
    return result.plan->expectCount;
  if (!result.now)
    return std::nullopt;
  const auto there = std::ranges::find(result.now->holders, result.holder, &Holder::id);
  return there == result.now->holders.end() ? std::nullopt : std::optional(there->count);
}

std::string whatWords(const ReleaseResult &result, std::string_view would) {
  if (result.verdict || !result.plan)
    return fmt::format("{}: {}", result.verdict ? name(*result.verdict) : "no plan", result.detail.english());
  if (result.plan->refusal)
    return result.plan->refusal->english();
  if (!result.plan->next)
    return std::string(would);
  const auto next = keyWords(*result.plan->next, 48);
  return result.plan->isNextUnheard ? fmt::format("{}; {} alone may take it next, and nobody was seen to listen for it", would, next)
                                    : fmt::format("{}; {} gets it next", would, next);
}

// What tells this hold from the next one by the same holder, or under another type: fence, time, and of a long token its length and SHA-1.
std::string tellingApart(const ReleaseResult &result) {
  const auto fence = fenceSeen(result);
  auto words = fmt::format("{} {:?}", fence ? std::to_string(fence->value) : "", result.plan ? result.plan->expectTime.value_or("") : "");
  if (result.now)
    words += fmt::format(" {}", name(result.now->type));
  const auto isCut = [&](const Holder &holder) { return holder.bytes > 0 && holder.id == holderMeant(result); };
  if (result.plan && result.plan->args.size() > 1 && result.now && std::ranges::any_of(result.now->holders, isCut))
    words += " " + result.plan->args[1];
  return words;
}

} // namespace

std::vector<ReleaseIntent> manyIntents(const Arguments &arguments, const LockSnapshot &snapshot, const std::vector<NodeStatus> &nodes,
                                       const FamilyRegistry &families) {
  std::vector<LockRecordPtr> locks;
  const auto now = SteadyClock::now();
  std::ranges::copy_if(snapshot.locks, std::back_inserter(locks), [&](const LockRecordPtr &lock) {
    return !lock->isDoubtful() && (!arguments.filter || arguments.filter->matches(*lock, now, families));
  });
  std::ranges::stable_sort(locks, {}, [](const LockRecordPtr &lock) { return lock->waiters.value_or(0); });
  std::vector<ReleaseIntent> intents;
  for (const auto &lock : locks) {
    auto holds = placedHoldsOf(*lock, arguments.holder);
    if (!arguments.holder && !lock->isHeld() && lock->number)
      holds.push_back({lock->id, {}}); // of whom nobody is named: its verdict says what can be done
    // What others hold of it stays.
    const auto isLetThrough = [&](const PlacedHold &hold) {
      return !arguments.filter || hold.holder.id.empty() || arguments.filter->means(*lock, hold.holder, families);
    };
    for (const auto &hold : holds)
      if (isMeant(nodes, hold.lock.node, hold.lock.db) && isLetThrough(hold))
        intents.push_back({hold.lock, hold.holder.id, {}, arguments.reason, arguments.shortenTo});
    if (arguments.holder && isMeant(nodes, lock->id.node, lock->id.db))
      for (const auto &hold : unreadHoldsOf(*lock, *arguments.holder))
        intents.push_back({lock->id, hold, {}, arguments.reason, arguments.shortenTo, 0, true});
  }
  return intents;
}

std::vector<LockRecordPtr> hidingLocks(const Arguments &arguments, const LockSnapshot &snapshot, const std::vector<NodeStatus> &nodes,
                                       const FamilyRegistry &families) {
  const auto now = SteadyClock::now();
  const auto &filter = arguments.filter;
  const auto hides = [&](const LockRecord &lock) {
    if (arguments.holder)
      return (!filter || filter->matches(lock, now, families) || filter->mayMatchUnread(lock, now, families)) && mayHideHoldsOf(lock, *arguments.holder);
    return filter && filter->mayMatchUnread(lock, now, families);
  };
  std::vector<LockRecordPtr> locks;
  std::ranges::copy_if(snapshot.locks, std::back_inserter(locks),
                       [&](const LockRecordPtr &lock) { return !lock->isDoubtful() && isMeant(nodes, lock->id.node, lock->id.db) && hides(*lock); });
  return locks;
}

std::vector<LockRecordPtr> doubtfulLocks(const Arguments &arguments, const LockSnapshot &snapshot, const std::vector<NodeStatus> &nodes) {
  std::vector<LockRecordPtr> locks;
  std::ranges::copy_if(snapshot.locks, std::back_inserter(locks), [&](const LockRecordPtr &lock) {
    return lock->isDoubtful() && arguments.holder && !arguments.filter && isMeant(nodes, lock->id.node, lock->id.db) &&
           !holdsOf(*lock, arguments.holder).empty();
  });
  return locks;
}

std::vector<std::string> unreadWords(const Arguments &arguments, std::span<const LockRecordPtr> hiding, std::span<const UnreadHolds> unread) {
  const auto whereOf = [](const LockId &lock) { return fmt::format("{} on {} db {}", keyWords(lock.key.bytes(), 80), safeText(lock.node.bytes()), lock.db); };
  const auto *again = arguments.shortenTo ? "" : arguments.apply ? ": run this again for them" : " after --apply: run that again for them";
  std::vector<std::string> words;
  for (const auto &[lock, holds] : unread)
    words.push_back(fmt::format("{} has {} holds beyond what is read at once, which stay{}", whereOf(lock), holds, again));
  for (const auto &lock : hiding)
    words.push_back(fmt::format("{} has {} holds that were not read: whether some of them are of {} is not known", whereOf(lock->id), lock->unread,
                                arguments.holder ? "this holder" : "a holder that the filter names"));
  return words;
}

std::string markOf(std::span<const ReleaseResult> planned, std::optional<milliseconds> shortenTo) {
  const auto action = shortenTo ? fmt::format("shorten to {}", shortenTo->count()) : std::string("release");
  constexpr std::size_t digits = 12;
  std::vector<std::string> holds;
  for (const auto &result : planned)
    if (wouldBeDone(result))
      holds.push_back(fmt::format("{} {:?} {} {:?} {:?} {} {}", action, result.lock.node.bytes(), result.lock.db, result.lock.key.bytes(), holderMeant(result),
                                  countMeant(result).value_or(0), tellingApart(result)));
  std::ranges::sort(holds);
  return fmt::format("{}-{}", holds.size(), hex(sha256(fmt::format("{}", fmt::join(holds, "\n")))).substr(0, digits));
}

std::optional<std::string> markTold(const Arguments &arguments, std::span<const ReleaseResult> planned) {
  return !arguments.apply && arguments.many && std::ranges::any_of(planned, wouldBeDone) ? std::optional(markOf(planned, arguments.shortenTo)) : std::nullopt;
}

ReleaseResults runMany(const Arguments &arguments, Session &session, std::vector<ReleaseIntent> intents, const Output &output, const SignalWait &signals) {
  ReleaseService keeper(session.loop(), session.watcher(), arguments.nodes, connectionOptions(), arguments.auditPath);
  std::vector<char> presumed;
  for (const auto &intent : intents)
    presumed.push_back(intent.isPresumed);
  std::stop_source stop;
  Request planning(output, signals, stop, true, intents.size());
  keeper.planMany(std::move(intents), stop.get_token(), planning.progress(), planning.done());
  auto results = planning.await();
  std::erase_if(results, [&, i = std::size_t{0}](const ReleaseResult &result) mutable { return presumed[i++] && result.verdict == Verdict::Changed; });
  auto unread = arguments.holder ? std::vector<UnreadHolds>() : unreadHolds(results); // of a holder all are presumed, or hidden
  if (!arguments.apply || results.empty())
    return {std::move(results), std::move(unread)};
  if (const auto mark = markOf(results, arguments.shortenTo); arguments.expected.value_or(mark) != mark)
    return {{},
            {},
            {},
            fmt::format(
                "nothing has been changed: --expect says {}, and it would be {} now, a number of holds and a mark of which they are; look at the --plan again",
                keyWords(*arguments.expected, 40), mark)};
  keeper.unlock();
  // Those that somebody waits for only when the others are free on every node.
  const auto contended = std::ranges::find_if(results, [](const ReleaseResult &result) { return result.now && isContended(*result.now); });
  std::vector<ReleaseResult> last(std::make_move_iterator(contended), std::make_move_iterator(results.end()));
  results.erase(contended, results.end());
  Request first(output, signals, stop, false, results.size());
  keeper.applyMany(std::move(results), arguments.reason, stop.get_token(), first.progress(), first.done());
  auto all = first.await();
  Request second(output, signals, stop, false, last.size());
  keeper.applyMany(std::move(last), arguments.reason, stop.get_token(), second.progress(), second.done());
  std::ranges::move(second.await(), std::back_inserter(all));
  return {std::move(all), std::move(unread), keeper.auditTrouble()};
}

std::string unwatchedWords(const Arguments &arguments, Session &session) {
  ReleaseService keeper(session.loop(), session.watcher(), arguments.nodes, connectionOptions(), arguments.auditPath);
  std::promise<std::vector<std::string>> found;
  keeper.findUnwatchedMasters([&found](std::vector<std::string> masters) { found.set_value(std::move(masters)); });
  const auto masters = found.get_future().get();
  return masters.empty() ? std::string()
                         : fmt::format("masters of this cluster that are not watched: {}; what lies there is not among these and stays: name them too (--url)",
                                       safeText(fmt::format("{}", fmt::join(masters, ", ")), 400));
}

std::string manyText(const ReleaseResults &many, const Arguments &arguments, bool colour) {
  const auto &results = many.results;
  const bool applied = arguments.apply;
  const auto *would = arguments.shortenTo ? "would be shortened" : "would be freed";
  TextTable table({{"LOCK"}, {"FAMILY"}, {"NODE"}, {"DB", true}, {"HOLDER"}, {"COUNT", true}, {applied ? "VERDICT" : "PLAN"}});
  std::size_t good = 0, unknown = 0;
  for (const auto &result : results) {
    const auto &holder = holderMeant(result);
    const auto count = countMeant(result);
    table.add({{keyWords(result.lock.key.bytes(), 60)},
               {result.family},
               {safeText(result.lock.node.bytes(), 48)},
               {std::to_string(result.lock.db)},
               {result.plan || !holder.empty() ? keyWords(holder, 48) : "-"},
               {count ? std::to_string(*count) : "-"},
               {whatWords(result, would)}});
    unknown += result.inDoubt;
    good += applied ? isAsAsked(result.verdict) : wouldBeDone(result);
  }
  auto what = applied ? fmt::format("{} of {} done.", good, results.size())
                      : fmt::format("Nothing has been changed: {} of {} {} by --apply, which looks again for what is meant.", good, results.size(), would);
  if (const auto mark = markTold(arguments, results))
    what += fmt::format(" Give --expect {} with it, and nothing is done where they are not the same holds by then.", *mark);
  std::uint64_t unread = 0;
  for (const auto &lock : many.unread)
    unread += lock.holds;
  if (unread > 0)
    what += fmt::format(" {} other holds were not read and stay.", unread);
  if (const auto words = unknownWords(unknown, ""); !words.empty())
    what += words + ".";
  return table.text(colour) + "\n" + what + "\n" + riskLines(results);
}

} // namespace lockhouse::ctl
