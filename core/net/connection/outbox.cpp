// SPDX-License-Identifier: Apache-2.0
#include "core/net/connection/outbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

constexpr std::size_t mostUnwritten = 64 * 1024 * 1024;
constexpr std::size_t keptCapacity = 1024 * 1024; // after a large write, more than this is freed
constexpr std::size_t heavy = 8 * 1024;           // some 70 commands

} // namespace

void appendCommand(std::string &out, const Command &command) {
  constexpr std::size_t mostAround = 1 + 20 + 2 + 2; // a word's kind, its length in digits, and two line ends
  auto most = out.size() + mostAround;
  for (std::size_t i = 0; i < command.size(); ++i)
    most += mostAround + command[i].size();
  const auto before = out.size();
  out.resize_and_overwrite(most, [&command, before](char *begin, std::size_t) {
    auto *end = begin + before;
    const auto put = [&end](std::string_view text) { end = std::ranges::copy(text, end).out; };
    const auto header = [&](char kind, std::size_t size) {
      const fmt::format_int digits(size);
      *end++ = kind;
      put({digits.data(), digits.size()});
      put("\r\n");
    };
    header('*', command.size());
    for (std::size_t i = 0; i < command.size(); ++i) {
      header('$', command[i].size());
      put(command[i]);
      put("\r\n");
    }
    return static_cast<std::size_t>(end - begin);
  });
}

void Outbox::reset() {
  m_waiting.clear();
  m_queued = m_left = 0;
  m_writing = false;
}

std::uint64_t Outbox::append(const Command &command) {
  const auto place = m_queued;
  const auto before = m_waiting.size();
  appendCommand(m_waiting, command);
  m_queued += m_waiting.size() - before;
  Traffic::add(m_traffic.commands, 1);
  return place;
}

bool Outbox::hasRoomFor(std::size_t bytes) const { return m_waiting.size() + bytes <= mostUnwritten; }

bool Outbox::isHeavy() const { return m_waiting.size() >= heavy; }

void Outbox::flush(Stream &stream, std::move_only_function<void()> again) {
  if (m_writing || m_waiting.empty())
    return;
  std::error_code error;
  const auto size = stream.writeNow(m_waiting, error);
  Traffic::add(m_traffic.writes, 1);
  Traffic::add(m_traffic.bytesOut, size);
  m_left += size;
  if (error || size == m_waiting.size()) {
    m_waiting.clear();
    if (m_waiting.capacity() > keptCapacity)
      m_waiting.shrink_to_fit();
    return;
  }
  m_waiting.erase(0, size);
  m_left += m_waiting.size();
  Traffic::add(m_traffic.bytesOut, m_waiting.size());
  m_writing = true;
  stream.write(std::exchange(m_waiting, {}), [again = std::move(again)](const std::error_code &) mutable { again(); });
}

} // namespace lockhouse
