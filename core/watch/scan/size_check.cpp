// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/size_check.h"

#include "core/watch/detect/key_content.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr std::uint64_t mostUncounted = 64 * 1024; // bytes
constexpr std::uint64_t mostOfEntry = 1024;        // bytes on average: a thousand entries are a megabyte

bool hasEntries(ValueType type) { return type == ValueType::Hash || type == ValueType::List || type == ValueType::Set || type == ValueType::SortedSet; }

} // namespace

bool SizeCheck::Size::isTooLarge() const { return bytes > mostUncounted && entries > 0 && bytes / entries > mostOfEntry; }

void SizeCheck::begin() {
  m_stage = Stage::Idle;
  m_sizes.clear();
  m_mustRepeat = false;
}

void SizeCheck::add(std::string key, ValueType type) {
  if (hasEntries(type))
    m_sizes.push_back({.key = std::move(key), .type = type});
}

bool SizeCheck::ask(ReadCommands &out) {
  if (m_sizes.empty())
    return false;
  m_stage = Stage::Weighing;
  for (unsigned i = 0; i < m_sizes.size(); ++i)
    out.push_back({i, {"MEMORY", "USAGE", m_sizes[i].key, "SAMPLES", "50"}});
  return true;
}

bool SizeCheck::on(unsigned part, const Result<Reply> &answer, unsigned pending, ReadHeuristics &heuristics, ReadCommands &out) {
  auto &size = m_sizes[part];
  if (answer && m_stage == Stage::Counting)
    size.entries = countOf(*answer); // 0 for a failure: the fetch finds out that the type is another one by now
  else if (answer && answer->isFailure())
    heuristics.mayWeigh &= !isOfCommand(*answer);
  else if (answer)
    size.bytes = static_cast<std::uint64_t>(weightOf(static_cast<std::int64_t>(countOf(*answer)), size.key));
  if (pending > 0)
    return false;
  if (m_stage == Stage::Weighing) {
    m_stage = Stage::Counting;
    const auto asked = out.size();
    for (unsigned i = 0; i < m_sizes.size(); ++i)
      if (m_sizes[i].bytes > mostUncounted)
        out.push_back({i, sizeOf(m_sizes[i].type, m_sizes[i].key)});
    if (out.size() > asked)
      return false;
  }
  m_stage = Stage::Idle;
  return true;
}

const SizeCheck::Size *SizeCheck::tooLarge(const std::string &key) const {
  const auto found = std::ranges::find(m_sizes, key, &Size::key);
  return found != m_sizes.end() && (isLong(key) || found->isTooLarge()) ? &*found : nullptr;
}

bool SizeCheck::areAllSmall() const { return m_long.empty() && std::ranges::none_of(m_sizes, &Size::isTooLarge); }

void SizeCheck::addLong(std::string key) {
  if (isLong(key))
    return;
  m_long.push_back(std::move(key));
  m_mustRepeat = true;
}

bool SizeCheck::isLong(const std::string &key) const { return std::ranges::find(m_long, key) != m_long.end(); }

} // namespace lockhouse
