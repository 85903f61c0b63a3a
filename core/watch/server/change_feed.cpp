// SPDX-License-Identifier: Apache-2.0
#include "core/watch/server/change_feed.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

constexpr unsigned triesBeforePolling = 3;
constexpr seconds openingTimeout(10);
constexpr seconds retryWhilePolling(10);

// Of the letters of notify-keyspace-events: E names the channel by event; the rest are all the ways in which a lock may come or go,
// being overwritten by a set and evicted among them.
bool coversLocks(std::string_view flags) {
  const auto has = [&](char c) { return flags.find(c) != flags.npos; };
  return has('E') && (has('A') || (has('g') && has('$') && has('l') && has('s') && has('h') && has('z') && has('x') && has('e')));
}

} // namespace

ChangeFeed::ChangeFeed(milliseconds barrierEvery, std::uint64_t seed) : m_every(barrierEvery), m_backoff(milliseconds(50), seconds(5), seed) {}

void ChangeFeed::open(SteadyTime now, FeedActions &out) {
  m_state = State::Opening;
  m_kind = FeedKind::None;
  m_isConnected = false;
  m_pingPending = m_isSecond = false;
  m_provenPing.reset();
  m_openAt = SteadyTime::max();
  m_nextPing = now + openingTimeout; // until it is ready, when to give up
  out.open = true;
}

void ChangeFeed::close(FeedActions &out) {
  out.close = m_state != State::Closed || m_isConnected;
  m_state = State::Closed;
  m_kind = FeedKind::None;
  m_isConnected = m_pingPending = false;
  m_openAt = SteadyTime::max();
}

void ChangeFeed::onUp(const std::optional<Error> &trackingRefused, SteadyTime now, FeedActions &out) {
  m_isConnected = true;
  m_why = trackingRefused;
  if (!trackingRefused)
    return ready(FeedKind::Tracking, now);
  m_state = State::Probing;
  out.subscribeAll = true;
}

void ChangeFeed::onSubscribed(const Result<void> &answer, SteadyTime now, FeedActions &out) {
  if (m_state != State::Probing)
    return;
  if (answer) {
    out.askFlags = true;
    return;
  }
  m_why = Error{ErrorCode::NotPermitted,
                LH_MESSAGE("ErrorWords", "changes are not announced to this user, so the server is polled"),
                {},
                LH_MESSAGE("ErrorWords", "permit CLIENT ID, CLIENT TRACKING and SUBSCRIBE to __redis__:invalidate")};
  out.close = true;
  m_isConnected = false;
  ready(FeedKind::Poll, now);
}

bool ChangeFeed::isTold(const Result<Reply> &flags) { return flags && flags->array().size() == 2 && flags->array()[1].text(); }

bool ChangeFeed::announcesTooLittle(const Result<Reply> &flags) { return !isTold(flags) || !coversLocks(*flags->array()[1].text()); }

void ChangeFeed::onFlags(const Result<Reply> &answer, SteadyTime now) {
  if (m_state != State::Probing)
    return;
  if (!isTold(answer)) {
    m_why = Error{ErrorCode::NotPermitted,
                  LH_MESSAGE("ErrorWords",
                             "tracking is refused, and whether keyspace notifications tell of every lock is not shown to this user, so the server is polled"),
                  {},
                  LH_MESSAGE("ErrorWords", "permit CLIENT TRACKING, or CONFIG GET and INFO")};
    return ready(FeedKind::Poll, now);
  }
  if (announcesTooLittle(answer)) {
    m_why = Error{ErrorCode::Server,
                  LH_MESSAGE("ErrorWords", "tracking is refused and keyspace notifications are off, so the server is polled"),
                  {},
                  LH_MESSAGE("ErrorWords", "permit CLIENT TRACKING, or set notify-keyspace-events to AE")};
    return ready(FeedKind::Poll, now);
  }
  ready(FeedKind::Keyspace, now);
}

void ChangeFeed::ready(FeedKind kind, SteadyTime now) {
  m_state = State::Ready;
  m_kind = kind;
  m_failures = 0;
  m_backoff.reset();
  m_nextPing = now;
}

bool ChangeFeed::onDown(const Error &why, SteadyTime now, FeedActions &out) {
  if (m_state == State::Closed || (m_state == State::Ready && m_kind == FeedKind::Poll && !m_isConnected))
    return false;
  const bool wasReady = m_state == State::Ready;
  close(out);
  ++m_failures;
  m_openAt = now + m_backoff.next();
  if (!wasReady && m_failures >= triesBeforePolling) {
    m_why = Error{why.code, LH_MESSAGE("ErrorWords", "no second connection for the change feed, so the server is polled: %1")(why.what), why.where, why.next};
    m_state = State::Ready;
    m_kind = FeedKind::Poll;
    m_openAt = now + retryWhilePolling;
  }
  return wasReady;
}

std::optional<SteadyTime> ChangeFeed::onPong(std::uint64_t number, SteadyTime now) {
  if (!m_pingPending || number != m_ping)
    return std::nullopt;
  m_pingPending = false;
  m_isSecond = !m_isSecond; // the second of a pair goes out at once: its PONG proves what was there when the first was sent
  m_nextPing = m_isSecond ? now : std::max(now, m_pingSent + m_every);
  return std::exchange(m_provenPing, m_pingSent);
}

bool ChangeFeed::tick(SteadyTime now, FeedActions &out) {
  if (now >= m_openAt) {
    open(now, out);
    return false;
  }
  const bool silent = (m_pingPending && now >= m_pingSent + 3 * m_every) || ((m_state == State::Opening || m_state == State::Probing) && now >= m_nextPing);
  if (silent)
    return onDown({ErrorCode::Timeout,
                   LH_MESSAGE("ErrorWords", "the change feed does not answer"),
                   {},
                   LH_MESSAGE("ErrorWords", "check whether the server is overloaded or stopped")},
                  now, out);
  if (m_state == State::Ready && m_isConnected && m_kind != FeedKind::Poll && !m_pingPending && now >= m_nextPing) {
    m_pingPending = true;
    m_pingSent = now;
    out.ping = ++m_ping;
  }
  return false;
}

SteadyTime ChangeFeed::dueAt() const {
  auto due = m_openAt;
  if (m_pingPending)
    due = std::min(due, m_pingSent + 3 * m_every);
  else if (m_state == State::Opening || m_state == State::Probing || (m_state == State::Ready && m_isConnected && m_kind != FeedKind::Poll))
    due = std::min(due, m_nextPing);
  return due;
}

void ChangeFeed::degrade(Error why) {
  m_kind = FeedKind::Poll;
  m_pingPending = false;
  m_why = std::move(why);
}

} // namespace lockhouse
