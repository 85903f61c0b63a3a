// SPDX-License-Identifier: Apache-2.0
#include "core/lock/machines/quorum_vote.h"

#include "core/base/safe_text.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr std::size_t shownBytes = 80;

Message because(const Message &vote, const Error &why) { return why.what.empty() ? vote : LH_MESSAGE("ErrorWords", "%1: %2")(vote, why.what); }

Message refusalMessage(const NodeVote &vote) {
  if (!vote.holder)
    return vote.timeLeft ? LH_ENGLISH("held by somebody else for %1 ms yet")(vote.timeLeft->count())
                         : Message(LH_MESSAGE("ErrorWords", "held by somebody else"));
  const auto holder = safeText(*vote.holder, shownBytes);
  return vote.timeLeft ? LH_ENGLISH("held by %1 for %2 ms yet")(holder, vote.timeLeft->count()) : LH_ENGLISH("held by %1")(holder);
}

Message messageOf(const NodeVote &vote) {
  switch (vote.vote) {
  case Vote::Pending: return LH_ENGLISH("no answer yet");
  case Vote::Granted: return LH_ENGLISH("granted");
  case Vote::Refused: return refusalMessage(vote);
  case Vote::Silent: return LH_ENGLISH("no answer in time, in doubt");
  case Vote::InDoubt: return because(LH_ENGLISH("in doubt"), vote.why);
  case Vote::Unreachable: return because(LH_MESSAGE("ErrorWords", "no connection"), vote.why);
  case Vote::Barred: return because(LH_ENGLISH("does not vote"), vote.why);
  case Vote::Busy: return because(LH_ENGLISH("busy"), vote.why);
  case Vote::Rejected: return because(LH_ENGLISH("refused to run it"), vote.why);
  }
  return {};
}

} // namespace

Message votesMessage(std::span<const NodeVote> votes) {
  std::vector<Message> all;
  for (const auto &vote : votes)
    all.push_back(LH_MESSAGE("ErrorWords", "%1: %2")(safeText(vote.node.bytes(), shownBytes), messageOf(vote)));
  return Message::joined(std::move(all));
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
