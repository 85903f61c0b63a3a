// SPDX-License-Identifier: Apache-2.0
#include "core/lock/machines/quorum_vote.h"

#include "core/base/safe_text.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr std::size_t shownBytes = 80;

std::string because(std::string text, const Error &why) {
  if (!why.what.empty())
    text.append(": ").append(why.what);
  return text;
}

std::string refusalText(const NodeVote &vote) {
  auto text = vote.holder ? "held by " + safeText(*vote.holder, shownBytes) : std::string("held by somebody else");
  if (vote.timeLeft)
    text.append(" for ").append(std::to_string(vote.timeLeft->count())).append(" ms yet");
  return text;
}

std::string voteText(const NodeVote &vote) {
  switch (vote.vote) {
  case Vote::Pending: return "no answer yet";
  case Vote::Granted: return "granted";
  case Vote::Refused: return refusalText(vote);
  case Vote::Silent: return "no answer in time, in doubt";
  case Vote::InDoubt: return because("in doubt", vote.why);
  case Vote::Unreachable: return because("no connection", vote.why);
  case Vote::Barred: return because("does not vote", vote.why);
  case Vote::Busy: return because("busy", vote.why);
  case Vote::Rejected: return because("refused to run it", vote.why);
  }
  return {};
}

} // namespace

std::string votesText(std::span<const NodeVote> votes) {
  std::string text;
  for (const auto &vote : votes)
    text.append(text.empty() ? "" : "; ").append(safeText(vote.node.bytes(), shownBytes)).append(": ").append(voteText(vote));
  return text;
}

const NodeVote *leadingRefusal(std::span<const NodeVote> votes) {
  const NodeVote *leader = nullptr;
  std::ptrdiff_t most = 0;
  for (const auto &vote : votes) {
    if (vote.vote != Vote::Refused)
      continue;
    const auto alike = std::ranges::count_if(votes, [&](const NodeVote &other) { return other.vote == Vote::Refused && other.holder == vote.holder; });
    if (alike > most || (alike == most && leader->holder == vote.holder && vote.timeLeft > leader->timeLeft)) {
      leader = &vote;
      most = alike;
    }
  }
  return leader;
}

} // namespace lockhouse
