// SPDX-License-Identifier: Apache-2.0
// The keys beside a lock that its family names.
#include "core/base/safe_text.h"
#include "core/watch/key_content.h"
#include "core/watch/key_read.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr unsigned partsOfOther = 3;   // what it holds, how much, how long
constexpr std::size_t mostOthers = 60; // 256 parts in all

} // namespace

// What a sweep or a hint has met beside it, and the ordinary data that a name of its form has to have.
void KeyRead::askOthers(std::vector<Ask> &out) {
  const auto forms = m_families->besideForms();
  for (std::size_t i = 0; i < std::min(forms.size(), mostBesideForms); ++i) {
    const bool isWitness = forms[i].form->role == Role::Witness && m_facts.type == ValueType::String;
    if ((m_beside.others >> i & 1) == 0 && !isWitness)
      continue;
    const auto key = nameBeside(*forms[i].family, forms[i].form->key, m_key);
    if (!key || m_others.size() >= mostOthers)
      continue;
    const auto first = static_cast<unsigned>(Part::Other) + partsOfOther * static_cast<unsigned>(m_others.size());
    m_others.push_back({.form = forms[i].form, .key = *key, .value = {}, .members = {}, .size = 0, .ttl = {}});
    const auto type = forms[i].form->type;
    if (!isWitness)
      ask(static_cast<Part>(first), forms[i].form->role == Role::Permits ? endOfSorted(*key) : contentOf(type, *key), out); // who lapsed stands first
    ask(static_cast<Part>(first + 1), sizeOf(type, *key), out);
    if (!isWitness)
      ask(static_cast<Part>(first + 2), {"PTTL", *key}, out);
  }
}

void KeyRead::takeOther(unsigned part, const Reply &reply) {
  auto &other = m_others[(part - static_cast<unsigned>(Part::Other)) / partsOfOther];
  switch ((part - static_cast<unsigned>(Part::Other)) % partsOfOther) {
  case 0: takeContent(other.form->type, reply, other.value, other.members); break;
  case 1: other.size = countOf(reply); break;
  default: other.ttl = leaseOf(reply); break;
  }
}

// Once for each of them, however many of its commands failed.
void KeyRead::noteOther(unsigned part, const Reply &reply) {
  if ((part - static_cast<unsigned>(Part::Other)) % partsOfOther != 1)
    return;
  const auto &other = m_others[(part - static_cast<unsigned>(Part::Other)) / partsOfOther];
  if (other.form->role == Role::Witness || reply.failureWord() == "MOVED") // or another master of the cluster has it
    return;
  noteOdd(other.key, reply.failureWord() == "WRONGTYPE");
}

void KeyRead::noteOdd(const std::string &key, bool holdsOther) {
  m_facts.oddities.push_back(fmt::format("{} beside it {}", safeText(key, 120), holdsOther ? "holds something else" : "may not be read by this user"));
}

} // namespace lockhouse
