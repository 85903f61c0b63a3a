// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/node_watcher.h"

#include <algorithm>

namespace lockhouse {
namespace {

// What our commands cost a server, measured on Redis 7.0; only to tell a person how much we load it.
std::chrono::nanoseconds costOf(const Command &command) {
  const auto name = command.name();
  if (name == "SCAN")
    return std::chrono::microseconds(250);
  if (name == "PUBSUB")
    return std::chrono::nanoseconds(1200 + 70 * static_cast<long>(command.size())); // a channel each
  return name == "INFO" ? std::chrono::microseconds(150) : std::chrono::nanoseconds(1200);
}

// Who asks for one lock wants all that is known of it.
Companion allCompanions(const ReadHeuristics &lore) {
  return {.queue = true, .fence = true, .listeners = lore.mayCountListeners, .sharded = lore.mayCountSharded, .numbers = lore.mayCount(), .others = everyOther};
}

// Of keys, and of nothing that may end or doubt what was read of others.
bool isOfKeys(const WatchEvent &event) {
  const auto *answer = std::get_if<watching::Answered>(&event);
  return answer && (askerOf(answer->tag) == AskedBy::KeyspaceScan || askerOf(answer->tag) == AskedBy::Reads);
}

} // namespace

NodeWatcher::NodeWatcher(Options options, ChangeLog &log)
    : m_options(std::move(options)), m_cache(log), m_backoff(milliseconds(100), seconds(5), m_options.seed), m_feed(m_options.barrierEvery, m_options.seed + 1),
      m_scan(m_options.share), m_budget(m_options.followShare) {
  m_queued.max_load_factor(0.4F); // each key that is read is looked for, and hardly one is there
  m_status.id = m_options.id;
  m_status.address = m_options.address;
  m_status.db = m_options.db;
  if (m_options.families)
    m_lore.families = m_options.families.get();
}

void NodeWatcher::on(WatchEvent event, Moment now, WatchActions &out) {
  take(std::move(event), now, out);
  goOn(now, out);
}

void NodeWatcher::take(WatchEvent event, Moment now, WatchActions &out) {
  const auto asked = out.asks.size();
  if (!isOfKeys(event))
    takeDone(out); // as it came before
  std::visit([&](auto &what) { handle(what, now, out); }, event);
  addCost(std::span(out.asks).subspan(asked));
}

void NodeWatcher::goOn(Moment now, WatchActions &out) {
  const auto asked = out.asks.size();
  takeDone(out);
  if (m_phase == Phase::Epoch) {
    takeFound(now, out);
    markUnread(now);
    pump(now, out);
    m_scan.advance(hasRoomToScan(), now.steady, out.asks);
    checkScan(now, out);
    checkBarrier(now, out);
  }
  if (m_refusedSince.hasChanged()) {
    m_status.refusedSince = m_refusedSince.told();
    changed();
  }
  addCost(std::span(out.asks).subspan(asked));
}

void NodeWatcher::addCost(std::span<const TaggedCommand> asks) {
  for (const auto &ask : asks)
    m_beat.cost += costOf(ask.command);
}

void NodeWatcher::handle(watching::CommandsUp, Moment now, WatchActions &out) { greet(now, out); }

void NodeWatcher::handle(const watching::CommandsDown &event, Moment now, WatchActions &out) {
  if (event.why.code == ErrorCode::Protocol && (m_scan.isRunning() || m_scan.wasCutOff()))
    m_scan.shrinkPages();
  breakEpoch(event.why, now, out);
  m_phase = Phase::Offline;
  m_retryAt = SteadyTime::max();
  m_status.state = NodeState::Down;
  m_status.feed = FeedKind::None;
  changed();
}

void NodeWatcher::handle(watching::Answered &event, Moment now, WatchActions &out) {
  const auto rest = restOf(event.tag);
  switch (askerOf(event.tag)) {
  case AskedBy::KeyspaceScan: return m_scan.on(rest, std::move(event.reply), now.steady, m_lore, out.asks);
  case AskedBy::Reads:
    if (auto done = m_reads.on(rest, std::move(event.reply), now.steady, m_lore, out.asks)) {
      if (done->ticket.request != 0) {
        takeDone(out);
        return answerRead(*done, now, out);
      }
      m_done.emplace_back(std::move(*done), now);
    }
    return;
  case AskedBy::Vitals:
    switch (static_cast<Question>(rest)) {
    case Question::Info: return onInfo(event.reply, now, out);
    case Question::Time: return onTime(event.reply, now);
    case Question::Calls: return onCalls(event.reply, now, out);
    case Question::SubscriberCounts:
    case Question::ShardListeners: return onListeners(static_cast<Question>(rest) == Question::ShardListeners, event.reply, now, out);
    case Question::Blocked: return onBlocked(event.reply, now, out);
    case Question::SemaphoreChannels:
    case Question::LatchChannels:
    case Question::ShardSemaphoreChannels:
    case Question::ShardLatchChannels: return onChannels(static_cast<Question>(rest), event.reply, now, out);
    case Question::ClusterName:
    case Question::ClusterSlots: return onCluster(static_cast<Question>(rest), event.reply);
    case Question::OwnSlots:
      if (event.reply)
        m_slotMoves.told(*event.reply);
      return;
    }
    return;
  case AskedBy::Feed: return onFlags(event.reply, now, out);
  case AskedBy::Others: return onOthersListeners(rest, event.reply, out);
  }
}

void NodeWatcher::handle(const watching::FeedUp &event, Moment now, WatchActions &out) {
  m_feed.onUp(event.trackingRefused, now.steady, out.feed);
  onFeedReady(now, out);
}

void NodeWatcher::handle(const watching::FeedSubscribed &event, Moment now, WatchActions &out) {
  m_feed.onSubscribed(event.result, now.steady, out.feed);
  if (out.feed.askFlags)
    out.asks.push_back({tagOf(AskedBy::Feed, 0), {"CONFIG", "GET", "notify-keyspace-events"}});
  onFeedReady(now, out);
}

void NodeWatcher::handle(const watching::FeedDown &event, Moment now, WatchActions &out) {
  if (m_feed.onDown(event.why, now.steady, out.feed) && m_phase == Phase::Epoch)
    return breakEpoch(event.why, now, out);
  onFeedReady(now, out);
}

void NodeWatcher::handle(const watching::FeedPong &event, Moment now, WatchActions &) {
  const auto proven = m_feed.onPong(event.number, now.steady);
  if (proven && m_phase == Phase::Epoch && !m_barrier && m_unread.empty() && m_readQueue.closeGeneration())
    m_barrier = proven;
}

void NodeWatcher::handle(const watching::KeysInvalidated &event, Moment now, WatchActions &out) {
  for (const auto &key : *event.keys)
    if (const auto *name = key.bulk())
      hint(*name, now, out);
}

// FLUSHALL or FLUSHDB of any database, DEBUG RELOAD, a replica's full resynchronisation: anything may be different.
void NodeWatcher::handle(watching::AllInvalidated, Moment now, WatchActions &out) {
  if (m_phase != Phase::Epoch)
    return;
  ++m_beat.hints;
  m_beat.lastHint = now.steady;
  onFlush(now, out);
}

void NodeWatcher::onFlush(Moment now, WatchActions &out) {
  m_cache.noteAll(ChangeCause::Flushed, now.steady);
  m_readQueue.hintAll();
  m_unexplained.clear(); // what a read saw of it before the word of it came
  startScan(Haste::Flush, now, out);
}

void NodeWatcher::handle(const watching::KeyEvent &event, Moment now, WatchActions &out) {
  if (event.elsewhere) {
    ++m_beat.hints; // the change vector is of all databases
    m_beat.lastHint = now.steady;
    return;
  }
  if (event.event == "expired")
    m_cache.note(event.key, ChangeCause::Expired, now.steady);
  else if (event.event == "evicted")
    m_cache.note(event.key, ChangeCause::Evicted, now.steady);
  else if (event.event == "del" || event.event == "unlink")
    m_cache.note(event.key, ChangeCause::Deleted, now.steady);
  hint(event.key, now, out);
}

void NodeWatcher::handle(watching::Tick, Moment now, WatchActions &out) {
  if (now.steady >= m_retryAt)
    greet(now, out);
  if (m_phase == Phase::Feeding || m_phase == Phase::Epoch) {
    if (m_feed.tick(now.steady, out.feed) && m_phase == Phase::Epoch)
      return breakEpoch({ErrorCode::Timeout, LH_MESSAGE("ErrorWords", "the change feed does not answer"), m_options.address,
                         LH_MESSAGE("ErrorWords", "check whether the server is overloaded or stopped")},
                        now, out);
    onFeedReady(now, out);
  }
  if (m_phase != Phase::Epoch)
    return;
  for (const auto &key : m_cache.endedBy(now.steady))
    if (!mark(key, {.urgent = true}, now, out))
      return;
  if (m_options.background && now.steady >= m_beat.due)
    beat(now, out);
  if (now.steady >= m_nextScan)
    startScan(Haste::None, now, out);
}

void NodeWatcher::handle(watching::ReadWanted &event, Moment now, WatchActions &out) {
  if (m_phase == Phase::Offline) {
    const auto why = m_status.error.value_or(Error{ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "not connected"), m_options.address, {}});
    return out.readsDone.push_back({event.request, std::unexpected(why)});
  }
  const ReadsInFlight::Ticket ticket{.mark = {}, .epoch = m_epoch, .request = event.request};
  auto key = std::move(event.key).bytes();
  for (auto &owner : m_lore.families->ownersOf(key))
    if (owner.isCertain) { // asked for by another of its keys
      key = std::move(owner.lock);
      break;
    }
  m_reads.start(std::move(key), {ValueType::Unknown, allCompanions(m_lore), {}}, ticket, now.steady, m_lore, out.asks);
}

void NodeWatcher::handle(const watching::ReleaseExpected &event, Moment now, WatchActions &) {
  for (const auto &key : event.keys)
    m_cache.expectRelease(key, now.steady);
}

SteadyTime NodeWatcher::wakeAt() const {
  auto at = m_retryAt;
  if (m_phase == Phase::Feeding || m_phase == Phase::Epoch)
    at = std::min(at, m_feed.dueAt());
  if (m_phase != Phase::Epoch)
    return at;
  // What waits for room and not for time would only make us spin.
  const auto deferred = hasRoomToRead() ? m_readQueue.nextDeferred() : std::nullopt;
  const auto page = hasRoomToScan() ? m_scan.dueAt() : std::nullopt;
  const auto read = hasRoomToRead() && m_readQueue.waiting() > 0 ? std::optional(m_budget.restsUntil()) : std::nullopt;
  for (const auto due : {m_cache.nextEnd(), deferred, page, read})
    if (due)
      at = std::min(at, *due);
  if (m_options.background && !m_beat.pending)
    at = std::min(at, m_beat.due);
  return std::min(at, m_nextScan);
}

} // namespace lockhouse
