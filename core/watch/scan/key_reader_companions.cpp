// SPDX-License-Identifier: Apache-2.0
// The keys beside a lock that its family names.
#include "core/base/ascii.h"
#include "core/base/safe_text.h"
#include "core/watch/detect/key_content.h"
#include "core/watch/scan/key_reader.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr unsigned partsOfOther = 3;   // what it holds, how much, how long
constexpr std::size_t mostOthers = 60; // 256 parts in all

// Nothing beside it makes a lock of it for a family whose locks are of other types; one with more evidence than its forms looks at it itself.
bool mayMatch(const Family &family, ValueType type) {
  return family.recognise || type == ValueType::None || std::ranges::find(family.forms, type, &Form::type) != family.forms.end();
}

} // namespace

// What a sweep or a hint has met beside it, and the ordinary data that a name of its form has to have.
void KeyReader::findOthers() {
  m_others.clear();
  m_wrong.clear();
  const auto forms = m_families->companionKeys();
  for (std::size_t i = 0; i < std::min(forms.size(), mostCompanionKeys); ++i) {
    if ((m_companions.others >> i & 1) == 0 && !isCompanionEvidence(*forms[i].form))
      continue;
    if (!mayMatch(*forms[i].family, m_facts.type))
      continue;
    const auto key = companionName(*forms[i].family, forms[i].form->key, m_key);
    if (key && m_others.size() < mostOthers)
      m_others.push_back({.form = forms[i].form, .key = *key, .value = {}, .members = {}, .size = 0, .ttl = {}});
  }
}

void KeyReader::askOthers(std::vector<TaggedCommand> &out) {
  for (std::size_t i = 0; i < m_others.size(); ++i) {
    const auto &[form, key] = std::tie(m_others[i].form, m_others[i].key);
    const auto first = static_cast<unsigned>(Part::Other) + partsOfOther * static_cast<unsigned>(i);
    if (heavy(key))
      noteOdd(key, Odd::Heavy);
    if (isCounted(m_others[i]))
      ask(static_cast<Part>(first + 1), form->field.empty() ? sizeOf(form->type, key) : Command{"HSTRLEN", key, form->field}, out);
    else
      ask(static_cast<Part>(first), form->role == Role::Permits ? endOfSorted(key) : contentOf(form->type, key), out); // who lapsed stands first
    if (!isCompanionEvidence(*form))
      ask(static_cast<Part>(first + 2), {"PTTL", key}, out);
  }
}

// Not fetched.
bool KeyReader::isCounted(const CompanionFacts &other) const { return isCompanionEvidence(*other.form) || heavy(other.key); }

CompanionFacts &KeyReader::otherOf(unsigned part) { return m_others[(part - static_cast<unsigned>(Part::Other)) / partsOfOther]; }

void KeyReader::takeOther(unsigned part, const Reply &reply) {
  auto &other = otherOf(part);
  switch ((part - static_cast<unsigned>(Part::Other)) % partsOfOther) {
  case 0:
    takeContent(other.form->type, reply, other.value, other.members);
    other.size = wholeSize(other.form->type, reply).value_or(other.members.size());
    if (!wholeSize(other.form->type, reply))
      m_more.push_back({part + 1, sizeOf(other.form->type, other.key)});
    break;
  case 1: other.size = countOf(reply); break;
  default: other.ttl = leaseOf(reply); break;
  }
}

// Once for each of them, however many of its commands failed.
void KeyReader::noteOther(unsigned part, const Reply &reply) {
  const auto &other = otherOf(part);
  if ((part - static_cast<unsigned>(Part::Other)) % partsOfOther == 2 && m_facts.type == ValueType::None && other.size > 0 && reply.failureWord() == "NOPERM")
    m_refused = true; // that is all there is of it, and would be shown as never expiring
  if ((part - static_cast<unsigned>(Part::Other)) % partsOfOther != (isCounted(other) ? 1 : 0))
    return;
  if (other.form->role == Role::Support || reply.failureWord() == "MOVED") // or another master of the cluster has it
    return;
  const bool isWrong = reply.failureWord() == "WRONGTYPE";
  if (isWrong && ++m_wrong[other.key] < std::ranges::count(m_others, other.key, &CompanionFacts::key)) // it may be as another family has it
    return;
  const bool isElsewhere = isUnserved(reply.failureWord());
  if (const bool areReaders = other.form->role == Role::Readers; !isWrong && (areReaders || other.form->role == Role::Permits)) {
    const auto key = safeText(other.key, 120);
    const auto what = isElsewhere  ? areReaders ? LH_MESSAGE("ErrorWords", "the cluster does not serve %1, which tells who holds this lock")(key)
                                                : LH_MESSAGE("ErrorWords", "the cluster does not serve %1, which tells whether this number is a lock")(key)
                       : areReaders ? LH_MESSAGE("ErrorWords", "this user may not read %1, which tells who holds this lock")(key)
                                   : LH_MESSAGE("ErrorWords", "this user may not read %1, which tells whether this number is a lock")(key);
    const Error closed{isElsewhere ? ErrorCode::Server : ErrorCode::NotPermitted, what, {}, errorOf(reply, {}).next};
    auto &why = areReaders ? m_closedReaders : m_closedPermits;
    why = why.value_or(closed);
  }
  noteOdd(other.key, isWrong ? Odd::OtherType : isElsewhere ? Odd::Unserved : Odd::Refused);
}

std::optional<Error> KeyReader::closedHolders() const {
  const bool isNumber = m_facts.type == ValueType::String && isWholeNumber(m_facts.value);
  return isNumber && m_closedPermits ? m_closedPermits : m_closedReaders;
}

bool KeyReader::hasFoundAbsent(const CompanionKey &form) const {
  return std::ranges::any_of(m_others, [&form](const CompanionFacts &other) { return other.form == &form && other.size == 0; });
}

void KeyReader::noteOdd(const std::string &key, Odd odd) {
  if (const KeyFacts::Problem noted{key, odd}; std::ranges::find(m_facts.problems, noted) == m_facts.problems.end()) // several families have a key of that name
    m_facts.problems.push_back(noted);
}

} // namespace lockhouse
