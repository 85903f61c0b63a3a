// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/family.h"

#include <algorithm>

namespace lockhouse {
namespace {

Message wordsOf(char releaseClass) {
  switch (releaseClass) {
  case 'A': return LH_MESSAGE("PlanWords", "deleting it is enough: who waits looks again by himself");
  case 'B': return LH_MESSAGE("PlanWords", "who waits listens to a channel and has to be told there");
  case 'C': return LH_MESSAGE("PlanWords", "who waits is blocked on a list and has to be woken by a push");
  case 'D': return LH_MESSAGE("PlanWords", "one holder of several is taken out; the others stay");
  case 'E': return LH_MESSAGE("PlanWords", "a number is corrected: nobody is named as its holder");
  case 'F': return LH_MESSAGE("PlanWords", "its holder's renewal may make the deleted key anew");
  case 'G': return LH_MESSAGE("PlanWords", "an evicted holder deletes whatever lies there when he leaves, the next owner's lock too");
  case 'J': return LH_MESSAGE("PlanWords", "a job hangs on it that goes on without it");
  default: return {};
  }
}

std::vector<Message> messagesOf(std::span<const std::string> advice) {
  std::vector<Message> messages;
  for (const auto &sentence : advice)
    messages.push_back(Message::ofFamily("PlanWords", sentence));
  return messages;
}

} // namespace

bool hasLeasePerHolder(const Family &family, ValueType type) {
  const auto isNamedIn = [](const std::optional<Pattern> &pattern) { return pattern && pattern->captures("until"); };
  const bool haveSeveral = type == ValueType::Hash || type == ValueType::Set || type == ValueType::List;
  return haveSeveral && std::ranges::any_of(family.forms, [&](const Form &form) {
           return form.type == type && !form.isLone && (isNamedIn(form.element) || isNamedIn(form.content));
         });
}

Message evidenceOf(const Form &form) { return Message::ofFamily("Evidence", form.evidence); }

std::vector<Message> releaseClassMessages(std::string_view classes, Waits waits) {
  std::vector<Message> messages;
  for (const char letter : classes)
    if (letter != 'A' || !classes.contains('J')) // it is deleted so, but that is not enough
      messages.push_back(letter == 'A' && waits == Waits::Never ? Message(LH_MESSAGE("PlanWords", "deleting it is enough: nobody waits for it"))
                                                                : wordsOf(letter));
  return messages;
}

std::vector<Message> adviceOf(const Family &family) { return messagesOf(family.advice); }

std::vector<Message> adviceOf(const ReleaseWay &way) { return messagesOf(way.advice); }

std::vector<Message> adviceOf(const Family &family, const ReleaseWay &way) {
  auto all = adviceOf(family);
  std::ranges::move(adviceOf(way), std::back_inserter(all));
  return all;
}

ReleaseWay releaseWayOf(const Family &family, std::string_view lock, HoldMode mode) {
  const auto isNamed = [&](const Form &form) { return form.mode == mode && form.key && form.key->matches(lock); };
  const auto isOfAnyName = [&](const Form &form) { return form.mode == mode && !form.key; };
  const auto &forms = family.forms;
  const bool haveOwn = std::ranges::any_of(forms, [](const Form &form) { return !form.releaseClass.empty() || !form.advice.empty(); });
  auto form = haveOwn ? std::ranges::find_if(forms, isNamed) : forms.end();
  if (haveOwn && form == forms.end())
    form = std::ranges::find_if(forms, isOfAnyName);
  if (haveOwn && form == forms.end())
    form = std::ranges::find(forms, mode, &Form::mode);
  if (form == forms.end())
    return {family.releaseClass, {}};
  return {form->releaseClass.empty() ? family.releaseClass : form->releaseClass, form->advice};
}

std::optional<std::string> companionName(const Family &family, const Pattern &derived, std::string_view lock) {
  for (const auto &form : family.forms) {
    Captures captures;
    if (form.key && !form.key->matches(lock, &captures))
      continue;
    captures.set("lock", lock);
    if (auto name = derived.filled(captures))
      return name;
  }
  return std::nullopt;
}

std::vector<std::string> companionNames(const Family &family, const Pattern &derived, std::string_view lock, std::size_t most) {
  constexpr std::size_t mostWays = 1024; // as many as a name has bytes
  std::vector<std::string> names;
  for (const auto &form : family.forms) {
    auto ways = form.key ? form.key->everyMatch(lock, mostWays) : std::vector<Captures>(1);
    for (auto way = ways.rbegin(); way != ways.rend() && names.size() < most; ++way) {
      way->set("lock", lock);
      auto name = derived.filled(*way);
      if (name && std::ranges::find(names, *name) == names.end())
        names.push_back(std::move(*name));
    }
    if (!names.empty())
      break;
  }
  return names;
}

bool isLine(const Family &family, const Form &form) {
  const bool isInOrder = form.type == ValueType::List || form.score == ScoreMeaning::Order;
  const bool hasQueue = std::ranges::find(family.companion, Role::Queue, &CompanionKey::role) != family.companion.end();
  return family.isUsers && family.waits == Waits::Queued && isInOrder && !form.isWaiting && !hasQueue;
}

std::vector<std::string> memberKeys(const Family &family, std::string_view lock) {
  std::vector<std::string> keys;
  for (const auto &companion : family.companion)
    if (auto key = companion.role == Role::Vote ? companionName(family, companion.key, lock) : std::nullopt)
      keys.push_back(std::move(*key));
  return keys;
}

bool mayBeOf(Role role, ValueType type) {
  switch (role) {
  case Role::Queue: return type == ValueType::List || type == ValueType::SortedSet;
  case Role::Deadlines: return type == ValueType::SortedSet || type == ValueType::Hash;
  case Role::Counter:
  case Role::Vote: return type == ValueType::String;
  case Role::Permits: return type == ValueType::SortedSet;
  case Role::Readers: return type == ValueType::Set;
  case Role::Signal: return type == ValueType::List;
  default: return true;
  }
}

std::string_view name(Role role) {
  switch (role) {
  case Role::Queue: return "queue";
  case Role::Deadlines: return "deadlines";
  case Role::Counter: return "fence";
  case Role::Permits: return "permits";
  case Role::Readers: return "readers";
  case Role::Signal: return "signal";
  case Role::Vote: return "member";
  case Role::Support: return "witness";
  case Role::Part: return "part";
  }
  return "";
}

std::string_view name(Waits waits) {
  switch (waits) {
  case Waits::Unseen: return "unseen";
  case Waits::Never: return "never";
  case Waits::Listening: return "channel";
  case Waits::Queued: return "queue";
  case Waits::Blocked: return "blocked";
  }
  return "";
}

std::string_view name(ScoreMeaning meaning) {
  switch (meaning) {
  case ScoreMeaning::None: return "none";
  case ScoreMeaning::Until: return "until";
  case ScoreMeaning::UntilSeconds: return "until_s";
  case ScoreMeaning::Since: return "since";
  case ScoreMeaning::SinceSeconds: return "since_s";
  case ScoreMeaning::Order: return "order";
  }
  return "";
}

} // namespace lockhouse
