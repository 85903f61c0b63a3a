// SPDX-License-Identifier: Apache-2.0
// redis-semaphore's MultiSemaphore writes <id>_0 … <id>_<permits - 1>, one member for each permit of a hold: they come and go together.
// The id is a random UUID, or one with its user's suffix, or his own word.
#include "core/watch/detect/every_claim.h"
#include "core/watch/text/data_names.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <utility>

namespace lockhouse {
namespace {

constexpr std::size_t uuidSize = 36;
constexpr double unleased = 0.7;

// Where the number of a permit begins; the end where there is none.
std::size_t markOf(std::string_view member) {
  constexpr std::size_t mostDigits = 7;
  const auto mark = member.rfind('_');
  const auto number = mark == member.npos ? std::string_view() : member.substr(mark + 1);
  const bool isNumber = !number.empty() && number.size() <= mostDigits && number.find_first_not_of("0123456789") == number.npos;
  return isNumber && mark > 0 ? mark : member.size();
}

// By the surest id that is among its holders: beside random ones there are users' own.
double trustIn(const Form &form, const Family &family, const KeyFacts &facts) {
  double trust = form.confidence;
  for (const auto &each : family.forms)
    if (each.confidence > trust && unexpectedEntriesOf(each, facts, false))
      trust = each.confidence;
  return trust;
}

/// Whose members these are: "web_1" is a permit of "web" only where its first lies there as well.
class Owners {
public:
  explicit Owners(const std::vector<Holder> &members) {
    for (const std::string_view member : members | std::views::transform(&Holder::id))
      if (const auto mark = markOf(member); mark < member.size())
        m_numbers[member.substr(0, mark)].insert(member.substr(mark + 1));
  }
  std::size_t sizeOf(std::string_view member) const {
    const auto mark = markOf(member);
    const auto numbers = mark == uuidSize ? m_numbers.end() : m_numbers.find(member.substr(0, mark));
    return numbers == m_numbers.end() || numbers->second.contains("0") ? mark : member.size();
  }

private:
  std::map<std::string_view, std::set<std::string_view>> m_numbers;
};

// Of one holder: his score is that of his last refresh.
void noteRefresh(const KeyFacts &facts, LockRecord &draft) {
  if (draft.holders.size() != 1 || draft.unread > 0)
    return;
  double last = 0;
  for (const auto &member : facts.members)
    if (member.bytes.starts_with(draft.holders.front().id))
      last = std::max(last, member.score);
  if (last > 0 && last <= static_cast<double>(facts.serverTime.count()))
    draft.renewedAt = facts.seenAt - (facts.serverTime - milliseconds(static_cast<std::int64_t>(last)));
}

} // namespace

std::optional<FamilyMatch> matchRedisSemaphore(const Family &family, const KeyFacts &facts) {
  const auto *form = fittingForm(family, facts);
  if (!form)
    return std::nullopt;
  FamilyMatch match{.draft = draftOf(family, *form, facts), .isByName = true};
  if (match.draft.unexpectedEntries == 0)
    match.draft.confidence = trustIn(*form, family, facts);
  const auto members = std::exchange(match.draft.holders, {});
  const Owners owners(members);
  std::map<std::string, std::size_t, std::less<>> places;
  auto &holds = match.draft.holders;
  for (const auto &member : members) {
    auto id = member.id.substr(0, owners.sizeOf(member.id));
    const auto [place, isNew] = places.emplace(id, holds.size());
    if (isNew)
      holds.emplace_back(member).id = std::move(id);
    else
      ++holds[place->second].count;
  }
  noteRefresh(facts, match.draft);
  if (!facts.ttl) // which its library always gives
    match.draft.confidence = std::min(match.draft.confidence, unleased);
  if (!facts.ttl && facts.name().contrary)
    doubtAsData(match.draft);
  return match;
}

} // namespace lockhouse
