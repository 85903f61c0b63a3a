// SPDX-License-Identifier: Apache-2.0
#include "core/net/resp/reply_guard.h"

#include "core/base/reply.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace lockhouse {
namespace {

constexpr std::int64_t longestBulk = 512LL * 1024 * 1024; // Redis' own limit
constexpr std::size_t longestNumber = 24;                 // type, sign, 19 digits, CRLF
constexpr std::size_t keptCapacity = 256 * 1024;          // more than this is given back after one large reply

// A number as Redis writes it, digits only: no plus, no leading zero, no -0. The parser behind takes it for granted.
std::optional<std::int64_t> canonical(std::string_view line) {
  const auto text = line.substr(1, line.size() - 3);
  const auto digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || (digits[0] == '0' && text.size() > 1))
    return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

} // namespace

ReplyGuard::ReplyGuard(const ReplyLimits &limits) : m_limits(limits) { m_limits.depth = std::min(m_limits.depth, ReplyLimits::deepest); }

ReplyGuard::Step ReplyGuard::walk(std::string_view input, std::size_t &at) {
  if (!m_fault.empty())
    return Step::Broken;
  m_begin = at;
  if (m_fresh)
    begin(at);
  while (at < input.size()) {
    if (!(m_bodyLeft > 0 ? walkBody(input, at) : walkLine(input, at)))
      return Step::Broken;
    if (!m_whole)
      continue;
    if (m_kept.empty()) {
      m_reply = input.substr(m_begin, at - m_begin);
    } else {
      keep(input, at);
      m_reply = m_kept;
    }
    m_fresh = true;
    return Step::Complete;
  }
  keep(input, at);
  return Step::More;
}

void ReplyGuard::begin(std::size_t at) {
  m_begin = at;
  m_kept.clear();
  if (m_kept.capacity() > keptCapacity)
    m_kept.shrink_to_fit();
  m_elided.clear();
  m_items = 0;
  m_cost = 0;
  m_fresh = false;
  m_whole = false;
}

void ReplyGuard::keep(std::string_view input, std::size_t end) {
  m_kept.append(input.substr(m_begin, end - m_begin));
  m_begin = end;
}

bool ReplyGuard::walkLine(std::string_view input, std::size_t &at) {
  const auto *first = input.data() + at;
  const auto *feed = static_cast<const char *>(std::memchr(first, '\n', input.size() - at));
  const std::size_t end = feed == nullptr ? input.size() : static_cast<std::size_t>(feed - input.data()) + 1;
  const std::size_t size = m_lineSeen + (end - at);
  const char type = m_lineSeen == 0 ? *first : m_kept[m_kept.size() - m_lineSeen];
  const bool text = type == '+' || type == '-';
  if (!text && type != ':' && type != '$' && type != '*')
    return broken(LH_MESSAGE("ErrorWords", "a reply of a type that RESP2 does not have"));
  if (size > (text ? m_limits.line + 3 : longestNumber))
    return broken(LH_MESSAGE("ErrorWords", "a line that is too long"));
  if (feed == nullptr) {
    m_lineSeen = size;
    at = end;
    return true;
  }
  auto line = input.substr(at, end - at);
  if (m_lineSeen > 0) {
    keep(input, end);
    line = std::string_view(m_kept).substr(m_kept.size() - size);
  }
  m_lineSeen = 0;
  at = end;
  return takeLine(input, line, end);
}

bool ReplyGuard::takeLine(std::string_view input, std::string_view line, std::size_t end) {
  // hiredis 0.14 takes a lone CR inside a line, 1.x does not, and Redis never sends one.
  if (line.find('\r') != line.size() - 2 || line.size() < 3)
    return broken(LH_MESSAGE("ErrorWords", "a line that does not end with CRLF"));
  ++m_items;
  if (!charge(line.size()))
    return false;
  switch (line[0]) {
  case ':': return canonical(line) ? closeItem() : broken(LH_MESSAGE("ErrorWords", "an integer that is not one"));
  case '$': return openBulk(input, line, end);
  case '*': return openArray(line);
  default: return closeItem();
  }
}

bool ReplyGuard::openBulk(std::string_view input, std::string_view line, std::size_t end) {
  const auto length = canonical(line);
  if (!length || *length < -1 || *length > longestBulk)
    return broken(LH_MESSAGE("ErrorWords", "a bulk string of an impossible length"));
  if (*length == -1)
    return closeItem();
  m_bodyLeft = static_cast<std::uint64_t>(*length) + 2;
  if (static_cast<std::uint64_t>(*length) <= m_limits.bulk)
    return charge(static_cast<std::size_t>(*length));
  keep(input, end);
  m_kept[m_kept.size() - line.size()] = ':';
  m_elided.push_back(m_items - 1);
  m_skipping = true;
  return true;
}

bool ReplyGuard::openArray(std::string_view line) {
  const auto count = canonical(line);
  if (!count || *count < -1)
    return broken(LH_MESSAGE("ErrorWords", "an array of an impossible length"));
  if (*count <= 0)
    return closeItem();
  if (static_cast<std::uint64_t>(*count) > m_limits.elements)
    return broken(LH_MESSAGE("ErrorWords", "an array with too many elements"));
  if (m_depth == m_limits.depth)
    return broken(LH_MESSAGE("ErrorWords", "arrays nested too deep"));
  m_open[m_depth++] = static_cast<std::uint64_t>(*count);
  return charge(static_cast<std::size_t>(*count) * sizeof(Reply));
}

bool ReplyGuard::walkBody(std::string_view input, std::size_t &at) {
  if (m_bodyLeft > 2) {
    const auto taken = std::min<std::uint64_t>(m_bodyLeft - 2, input.size() - at);
    at += static_cast<std::size_t>(taken);
    m_bodyLeft -= taken;
  }
  for (; m_bodyLeft > 0 && m_bodyLeft <= 2 && at < input.size(); --m_bodyLeft, ++at)
    if (input[at] != (m_bodyLeft == 2 ? '\r' : '\n'))
      return broken(LH_MESSAGE("ErrorWords", "a bulk string that does not end with CRLF"));
  if (m_skipping)
    m_begin = at;
  if (m_bodyLeft > 0)
    return true;
  m_skipping = false;
  return closeItem();
}

bool ReplyGuard::closeItem() {
  while (m_depth > 0 && --m_open[m_depth - 1] == 0)
    --m_depth;
  m_whole = m_depth == 0;
  return true;
}

bool ReplyGuard::charge(std::size_t bytes) {
  m_cost += bytes;
  return m_cost <= m_limits.total || broken(LH_MESSAGE("ErrorWords", "a reply that is too large"));
}

bool ReplyGuard::broken(const MessageFormat<0> &fault) {
  m_fault = fault;
  return false;
}

} // namespace lockhouse
