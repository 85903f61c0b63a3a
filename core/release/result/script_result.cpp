// SPDX-License-Identifier: Apache-2.0
#include "core/release/result/script_result.h"

#include "core/base/ascii.h"
#include "core/base/message.h"
#include "core/base/safe_text.h"
#include "core/release/check/required_acl.h"
#include "core/release/plan/remove_member.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ranges>

namespace lockhouse {
namespace {

using namespace std::string_view_literals;
constexpr std::array temporary{"BUSY"sv, "LOADING"sv, "MASTERDOWN"sv, "CLUSTERDOWN"sv, "TRYAGAIN"sv, "MOVED"sv, "ASK"sv, "UNKILLABLE"sv};
constexpr std::array writesRefused{"READONLY"sv, "MISCONF"sv, "NOREPLICAS"sv, "OOM"sv};

bool wasKilled(std::string_view text) { return text.contains("Script killed by user"); } // before it wrote: later nobody can

Verdict ofServerError(std::string_view text) {
  if (wasKilled(text))
    return Verdict::Unreachable;
  const auto word = text.substr(0, text.find(' '));
  if (word == "CROSSSLOT")
    return Verdict::Unreleasable;
  if (std::ranges::find(writesRefused, word) != writesRefused.end())
    return Verdict::ReadOnly;
  return std::ranges::find(temporary, word) != temporary.end() ? Verdict::Unreachable : Verdict::NotAllowed;
}

std::string_view textAt(const Reply::Array &words, std::size_t i) {
  return i < words.size() ? words[i].text().value_or(std::string_view{}) : std::string_view{};
}

// What the script could not do, in words of its own behind one another.
bool lacks(const Reply::Array &words, std::string_view word) {
  return std::ranges::any_of(std::views::split(textAt(words, 3), ' '), [word](const auto &each) { return std::string_view(each.begin(), each.end()) == word; });
}

// Nobody was reached by PUBLISH; those of a cluster listen elsewhere.
Message deafWords(std::string_view woken, bool mayNot) {
  if (woken.empty())
    return mayNot ? LH_MESSAGE("PlanWords", "released; no client was told, and those of a cluster could not be: this user may not SPUBLISH")
                  : LH_MESSAGE("PlanWords", "released; no client was told, and those of a cluster could not be told by SPUBLISH at this node");
  const auto name = safeText(woken, 80);
  return mayNot ? LH_MESSAGE("PlanWords", "released, but %1 was not told: if it is a client of a cluster, this user would have to be allowed to SPUBLISH")(name)
                : LH_MESSAGE("PlanWords", "released, but %1 was not told: if it is a client of a cluster, it could not be told by SPUBLISH at this node")(name);
}

Message wokenWords(const Reply::Array &words) {
  const auto listeners = textAt(words, 1);
  const auto woken = textAt(words, 2);
  const bool mayNot = lacks(words, "unsharded");
  if (listeners.empty())
    return LH_MESSAGE("PlanWords", "released");
  if (listeners == "0" && (mayNot || lacks(words, "unspoken")))
    return deafWords(woken, mayNot);
  if (!woken.empty() && listeners == "0")
    return LH_MESSAGE(
        "PlanWords",
        "released, but %1 was not listening at this node: it goes on when it looks again, or the next one does when its place or its lease lapses")(
        safeText(woken, 80));
  if (!woken.empty())
    return LH_MESSAGE("PlanWords", "released; %1 was woken")(safeText(woken, 80));
  if (listeners == "0")
    return LH_MESSAGE("PlanWords", "released; no client listens at this node");
  return listeners == "1" ? LH_MESSAGE("PlanWords", "released; %1 client was told")(safeText(listeners, 20))
                          : LH_MESSAGE("PlanWords", "released; %1 clients were told")(safeText(listeners, 20));
}

std::optional<std::uint64_t> othersLeft(const Reply::Array &words) {
  const auto others = textAt(words, 6);
  return others.empty() ? std::nullopt : std::optional(numberIn(others));
}

std::optional<ScriptResult::Line> lineOf(const Reply::Array &words) {
  constexpr std::size_t fromLine = 7;
  if (words.size() < fromLine + 2)
    return std::nullopt;
  ScriptResult::Line line{numberIn(textAt(words, fromLine)), std::string(textAt(words, fromLine + 1)), {}};
  for (std::size_t i = fromLine + 2; i < words.size(); ++i)
    line.letIn.emplace_back(textAt(words, i));
  return line;
}

constexpr auto oldUntold = LH_MESSAGE("PlanWords", "clients of Redisson of 2016 wait on a channel of their own, and this user may not PUBLISH there");

Message releasedWords(const Reply::Array &words, const ReleasePlan &plan) {
  std::vector<Message> said{wokenWords(words)};
  if (lacks(words, "old"))
    said.emplace_back(oldUntold);
  if (lacks(words, "untold"))
    said.push_back(LH_MESSAGE("PlanWords", "nothing was published where this user may not, and it only may be that somebody listens there"));
  if (lacks(words, "unpushed"))
    said.push_back(LH_MESSAGE("PlanWords", "nothing was pushed where this user may not, and it only may be that somebody is blocked there"));
  if (lacks(words, "unasked"))
    said.push_back(LH_MESSAGE("PlanWords", "not all who wait for it could be told: they try again by themselves"));
  if (const auto left = textAt(words, 4); !left.empty())
    said.push_back(LH_MESSAGE("PlanWords", "%1 beside it holds something else and was left")(safeText(left, 120)));
  if (const auto free = textAt(words, 5); !free.empty())
    said.push_back(LH_MESSAGE("PlanWords", "%1 was free already: it was not pushed a second time")(safeText(free, 80)));
  if (const auto others = othersLeft(words).value_or(0); others > 0)
    said.push_back(othersStay(others));
  std::ranges::move(leftUnpushed(plan), std::back_inserter(said));
  return Message::joined(std::move(said));
}

Message changedWords(const Reply::Array &words, std::string_view family) {
  if (textAt(words, 3) == "queue")
    return LH_MESSAGE("PlanWords", "changed: clients queue for it, so it is a fair lock now: plan it anew");
  if (textAt(words, 3) == "shared")
    return LH_MESSAGE("PlanWords", "changed: others may hold it too now, and share its time to live; release the hold");
  if (textAt(words, 3) == "again")
    return acquiredAgain(family);
  if (words.size() < 2)
    return holdsNoLonger;
  const auto holder = textAt(words, 1).empty() ? std::string("\"\"") : safeText(textAt(words, 1), 80);
  if (words.size() == 2)
    return nowHeldBy(holder);
  return nowHeldWithCount(holder, safeText(textAt(words, 2), 20));
}

// Its own clients' scripts are refused there too, wherever they name more than the lock.
Message severalSlots(const ReleasePlan &plan) {
  return LH_MESSAGE("PlanWords",
                    "refused: the names of %1 and of the keys beside it put them into several slots of this cluster, where no script may touch them together")(
      named(plan.lock.key.bytes()));
}

// Its readers and its writer are keys of their own: that one is gone does not tell that the other is.
Message overWords(const ReleasePlan &plan) {
  const auto key = safeText(plan.keys.front(), 120);
  return plan.keys.front().ends_with(".readers") ? LH_MESSAGE("PlanWords", "changed: %1 is gone, and this hold with it; a writer may hold the lock by now")(key)
                                                 : LH_MESSAGE("PlanWords", "changed: %1 is gone, and this hold with it; readers may hold the lock by now")(key);
}

// Of a command inside the script, which the server names only since Redis 7.2: "no permissions to run the 'del' command".
std::optional<Message> lackedRights(std::string_view failure, const ReleasePlan &plan) {
  if (!failure.contains("The user executing the script can't") && !failure.starts_with("ERR ACL failure in"))
    return std::nullopt;
  const auto needed = requiredAclOf(plan);
  const auto isNamed = [failure](const Command &command) {
    std::string name(command.name());
    std::ranges::transform(name, name.begin(), lowered);
    return failure.contains("'" + name + "'");
  };
  const bool isAnyNamed = std::ranges::any_of(needed, isNamed);
  std::vector<std::string> rights;
  for (const auto &command : needed)
    if (!isAnyNamed || isNamed(command))
      rights.push_back(shortly(command));
  if (rights.empty())
    return std::nullopt;
  return LH_MESSAGE("PlanWords", "this user lacks rights inside the script, which needs all of these: %1")(fmt::format("{}", fmt::join(rights, ", ")));
}

// As the plan says it.
constexpr auto refusedByReplica =
    LH_MESSAGE("PlanWords", "this node is a replica that takes no writes, so this was refused: the lock has to be released at its master");

// The scripts end a refusal with it themselves, where they have changed nothing.
Error errorOfScript(const Reply &reply, std::string_view node) {
  constexpr std::string_view untouched = "; nothing was changed";
  auto error = errorOf(reply, node);
  if (const auto said = error.what.verbatimText(); said.ends_with(untouched))
    error.what = Message::joined({Message::verbatim(std::string(said.substr(0, said.size() - untouched.size()))), nothingWasChanged});
  return error;
}

ScriptResult answerOf(Error error) {
  const bool doubt = error.code == ErrorCode::InDoubt || error.code == ErrorCode::Timeout || error.code == ErrorCode::Protocol;
  if (doubt)
    error.next = LH_MESSAGE("ErrorWords", "the release was sent and may have happened: look again, and plan it anew where this hold is still there: the plan "
                                          "says whether another's could be taken for it");
  return {verdictOf(error), Message::joined({error.message(), doubt ? Message() : nothingWasChanged}), doubt};
}

} // namespace

bool tellsHolder(const Message &detail) {
  return std::ranges::any_of(detail.parts(), [](const Message &part) {
    return part.is(nowHeldBy) || part.is(nowHeldWithCount) || part.is(nowHeldByMore) || part.is(nowHeldByAtMost) || part.is(countChanged);
  });
}

Message acquiredAgain(std::string_view family) {
  return family == "mlanett-redis-lock" ? LH_MESSAGE("PlanWords", "changed: extended or acquired again since it was seen") // its time is the end of its lease
                                        : LH_MESSAGE("PlanWords", "changed: acquired again since it was seen");
}

ScriptResult answerOf(const Result<Reply> &reply, const ReleasePlan &plan, std::string_view node) {
  if (!reply)
    return answerOf(reply.error());
  if (reply->isFailure()) {
    if (auto lacked = lackedRights(reply->failure(), plan))
      return {Verdict::NotAllowed,
              Error{ErrorCode::NotPermitted, std::move(*lacked), std::string(node), LH_MESSAGE("ErrorWords", "ask for an ACL rule that allows it")}.message()};
    const auto error = errorOfScript(*reply, node);
    if (error.code == ErrorCode::ReadOnly)
      return {Verdict::ReadOnly, Message::joined({refusedByReplica, nothingWasChanged})};
    if (verdictOf(error) == Verdict::ReadOnly || wasKilled(reply->failure())) // said of its first write, before that is done
      return {verdictOf(error), Message::joined({error.message(), nothingWasChanged})};
    return {verdictOf(error), reply->failureWord() == "CROSSSLOT" ? Message::joined({severalSlots(plan), nothingWasChanged}) : error.message()};
  }
  const auto &words = reply->array();
  const auto word = textAt(words, 0);
  if (word == "released")
    return {Verdict::Released, releasedWords(words, plan), false, othersLeft(words), lineOf(words)};
  if (word == "shortened")
    return {Verdict::Shortened, Message::joined({LH_MESSAGE("PlanWords", "shortened; unless its holder renews it, it ends then"),
                                                 textAt(words, 1) == "old" ? Message(oldUntold) : Message()})};
  if (word == "kept")
    return {Verdict::Kept, LH_MESSAGE("PlanWords", "kept: it ends sooner anyway, in %1")(milliseconds(static_cast<std::int64_t>(numberIn(textAt(words, 1)))))};
  if (word == "changed")
    return {Verdict::Changed, changedWords(words, plan.family)};
  if (word == "already-free" && plan.family == "distributedlock-rw")
    return {Verdict::Changed, overWords(plan)};
  if (word == "already-free")
    return {Verdict::AlreadyFree, keyIsGone};
  if (word == "not-a-lock")
    return {Verdict::NotALock, LH_MESSAGE("PlanWords", "not a lock of the family %1 any more: the key is a %2")(plan.family, safeText(textAt(words, 1), 20))};
  return answerOf(Error{ErrorCode::Protocol, LH_MESSAGE("ErrorWords", "the script gave an answer of an unknown form"), std::string(node), {}});
}

std::optional<std::uint64_t> clearedBy(const Result<Reply> &reply) {
  const bool isCleared = reply && !reply->isFailure() && textAt(reply->array(), 0) == "cleared";
  return isCleared ? std::optional(numberIn(textAt(reply->array(), 1))) : std::nullopt;
}

ScriptResult afterClearing(ScriptResult answer, std::uint64_t places) {
  if (places > 0 && answer.line)
    answer.line->dropped += places;
  if (places == 0 || answer.verdict == Verdict::Released)
    return answer;
  answer.detail = Message::joined({answer.detail.without(nothingWasChanged), LH_MESSAGE("PlanWords", "%1 places of its queue were dropped by then")(places)});
  return answer;
}

Verdict verdictOf(const Error &error) {
  switch (error.code) {
  case ErrorCode::NotPermitted:
  case ErrorCode::AuthFailed:
  case ErrorCode::Storage: // no audit record, no release
  case ErrorCode::Usage: return Verdict::NotAllowed;
  case ErrorCode::ReadOnly: return Verdict::ReadOnly;
  case ErrorCode::Server: return ofServerError(error.what.verbatimText());
  case ErrorCode::TooLong: return Verdict::Unreleasable;
  default: return Verdict::Unreachable;
  }
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
  case Verdict::Released: return "released";
  case Verdict::Changed: return "changed";
  case Verdict::AlreadyFree: return "already-free";
  case Verdict::NotALock: return "not-a-lock";
  case Verdict::ReadOnly: return "read-only";
  case Verdict::NotAllowed: return "not-allowed";
  case Verdict::Unreachable: return "unreachable";
  case Verdict::Unreleasable: return "unreleasable";
  case Verdict::Shortened: return "shortened";
  case Verdict::Kept: return "kept";
  case Verdict::Stopped: return "stopped";
  }
  return "";
}

} // namespace lockhouse
