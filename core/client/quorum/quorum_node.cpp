// SPDX-License-Identifier: Apache-2.0
#include "core/client/quorum/quorum_node.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace lockhouse {
namespace {

/// The value of one line of INFO; empty if there is none.
std::string_view infoValue(std::string_view info, std::string_view field) {
  for (std::size_t at = info.find(field); at != std::string_view::npos; at = info.find(field, at + 1)) {
    if (at != 0 && info[at - 1] != '\n')
      continue;
    const auto value = info.substr(at + field.size());
    return value.substr(0, value.find_first_of("\r\n"));
  }
  return {};
}

std::optional<seconds> uptimeIn(std::string_view info) {
  const auto text = infoValue(info, "uptime_in_seconds:");
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || number < 0 || number > seconds(std::chrono::hours(24 * 3650)).count())
    return std::nullopt;
  return seconds(number);
}

std::optional<Error> whatIsUnfit(std::string_view info, const std::string &address) {
  const auto unfit = [&](Message what, Message next) { return Error{ErrorCode::Usage, std::move(what), address, std::move(next)}; };
  if (infoValue(info, "role:") == "slave")
    return unfit(LH_ENGLISH("it is a replica, and a quorum is of independent masters"), LH_ENGLISH("name its master, or leave it out"));
  if (infoValue(info, "cluster_enabled:") == "1" || infoValue(info, "redis_mode:") == "cluster")
    return unfit(LH_ENGLISH("it is a node of a cluster, and a quorum is of independent masters"), LH_ENGLISH("name servers that run on their own"));
  if (infoValue(info, "redis_mode:") == "sentinel")
    return unfit(LH_ENGLISH("it is a sentinel, which keeps no keys"), LH_ENGLISH("name the masters"));
  return std::nullopt;
}

} // namespace

QuorumNode::QuorumNode(Loop &loop, Uri uri, const QuorumDriverOptions &options)
    : m_options(options), m_address(uri.address()), m_log(options.log, m_address), m_connection(loop, std::move(uri), options.connection) {
  m_connection.onState([this](Connection::State state, const Error *why) { stateChanged(state, why); });
  m_connection.onScriptsFlushed([this] { m_log.scriptsFlushed(); });
}

void QuorumNode::stateChanged(Connection::State state, const Error *why) {
  m_log.connection(state, why);
  if (state == Connection::State::Ready) {
    m_connection.send({"INFO"}, [this](const Result<Reply> &reply) { readInfo(reply); });
    return;
  }
  const bool wasReady = std::exchange(m_ready, false);
  if (why != nullptr)
    m_why = *why;
  else if (wasReady)
    m_why = {ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "the connection was lost"), m_address, {}};
  if (m_onAway && (wasReady || state == Connection::State::Down))
    m_onAway();
}

void QuorumNode::readInfo(const Result<Reply> &reply) {
  if (!reply) // the connection is lost again: the next one starts anew
    return;
  const auto info = reply->isFailure() ? std::string_view() : reply->text().value_or("");
  const auto runId = infoValue(info, "run_id:");
  const bool restarted = !m_runId.empty() && !runId.empty() && runId != m_runId;
  if (!runId.empty())
    m_runId = runId;
  m_unfit = whatIsUnfit(info, m_address);
  if (restarted)
    m_log.serverRestarted();
  noteUptime(info, restarted);
  m_ready = true;
  if (m_onReady)
    m_onReady(restarted);
}

void QuorumNode::noteUptime(std::string_view info, bool restarted) {
  const auto now = SteadyClock::now();
  if (m_options.restartGuard == RestartGuard::Off || (m_options.restartGuard == RestartGuard::Seen && !restarted))
    return;
  const auto uptime = uptimeIn(info);
  if (!uptime && !m_unfit)
    m_unfit = Error{ErrorCode::NotPermitted, LH_ENGLISH("it does not tell by INFO how long it has been up, so it may have forgotten a lock"), m_address,
                    LH_ENGLISH("allow INFO to this user, or turn the restart guard off")};
  m_upSince = uptime ? now - *uptime : now;
  // Another server may be at this address now: it has been up for long, and has none of the keys.
  if (restarted)
    m_upSince = std::max(m_upSince, m_repliedAt);
}

void QuorumNode::setTwin(const std::string *address) {
  m_twin.reset();
  if (address != nullptr)
    m_twin = Error{ErrorCode::Usage, LH_ENGLISH("it is the same server as %1")(*address), m_address, LH_ENGLISH("name each server once")};
}

NodeStanding QuorumNode::standing() const {
  NodeStanding standing{.node = NodeId(m_address), .answered = m_ready};
  standing.isTwin = m_ready && m_twin;
  standing.isUnfit = m_ready && unfit();
  standing.why = m_ready ? whyNot(m_options.longestLease, SteadyClock::now()) : std::optional(m_why);
  return standing;
}

std::optional<Error> QuorumNode::whyNot(milliseconds lease, SteadyTime now) const {
  if (auto reason = unfit())
    return reason;
  if (m_options.restartGuard == RestartGuard::Off || m_upSince == SteadyTime::min())
    return std::nullopt;
  const auto votesFrom = m_upSince + std::max(m_options.longestLease, lease);
  if (now >= votesFrom)
    return std::nullopt;
  const auto left = std::chrono::ceil<seconds>(votesFrom - now);
  return Error{ErrorCode::Unreachable, LH_ENGLISH("it restarted less than the longest lease ago and may have forgotten a lock; it votes in %1 s")(left.count()),
               m_address, LH_ENGLISH("wait, or turn the restart guard off if it keeps every write")};
}

void QuorumNode::expectReply() {
  if (m_awaited++ == 0)
    m_awaitedSince = SteadyClock::now();
}

void QuorumNode::sendGuarded(const LockName &name, const LockToken &owner, Command command, Connection::Handler handler) {
  expectReply();
  m_watchTransaction.run(name.bytes(), owner.bytes(), std::move(command), std::move(handler));
}

void QuorumNode::send(Command command, Connection::Handler handler) {
  expectReply();
  m_connection.send(std::move(command), std::move(handler));
}

void QuorumNode::replied() {
  if (m_awaited > 0)
    --m_awaited;
  m_awaitedSince = SteadyClock::now();
  m_repliedAt = m_ready ? m_awaitedSince : m_repliedAt;
}

} // namespace lockhouse
