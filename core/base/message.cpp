// SPDX-License-Identifier: Apache-2.0
#include "core/base/message.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <set>

namespace lockhouse {
namespace {

constexpr MessageText row{"", "%1"}; // of joined() and verbatim(): no words of its own

// Of families' files only, whose sentences are few.
const char *kept(std::string_view words) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> all;
  const std::lock_guard lock(mutex);
  auto found = all.find(words);
  if (found == all.end())
    found = all.emplace(words).first;
  return found->c_str();
}

std::string twoUnits(std::int64_t big, std::string_view bigUnit, std::int64_t small, std::string_view smallUnit) {
  return small == 0 ? fmt::format("{} {}", big, bigUnit) : fmt::format("{} {} {} {}", big, bigUnit, small, smallUnit);
}

struct English {
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(milliseconds duration) const { return durationWords(duration); }
  std::string operator()(const std::string &text) const { return text; }
  std::string operator()(const Families &families) const { return fmt::format("{}", fmt::join(families.slugs, ", ")); }
  std::string operator()(const Action &action) const { return std::string(action.command); }
  std::string operator()(const std::vector<Message> &messages) const { return fmt::format("{}", fmt::join(englishOf(messages), "; ")); }
};

} // namespace

Message Message::joined(std::vector<Message> parts) {
  std::vector<Message> flat;
  for (auto &part : parts)
    if (const auto own = part.parts(); !part.empty())
      flat.insert(flat.end(), own.begin(), own.end());
  if (flat.size() == 1)
    return std::move(flat.front());
  return flat.empty() ? Message() : Message(row, {std::move(flat)});
}

Message Message::verbatim(std::string text) { return text.empty() ? Message() : Message(row, {std::move(text)}); }

std::string_view Message::verbatimText() const {
  const auto *text = m_text == row ? std::get_if<std::string>(&m_arguments.front()) : nullptr;
  return text ? std::string_view(*text) : std::string_view();
}

Message Message::ofFamily(const char *context, std::string_view words) { return {{context, kept(words)}, {}}; }

Message Message::without(const MessageText &text) const {
  std::vector<Message> kept(parts().begin(), parts().end());
  std::erase_if(kept, [&text](const Message &part) { return part.is(text); });
  return joined(std::move(kept));
}

std::span<const Message> Message::parts() const {
  const auto *joined = m_text == row ? std::get_if<std::vector<Message>>(&m_arguments.front()) : nullptr;
  return joined ? std::span<const Message>(*joined) : std::span(this, 1);
}

bool Message::isAbout(const MessageText &text, std::string_view first) const {
  const auto *own = is(text) && !m_arguments.empty() ? std::get_if<std::string>(&m_arguments.front()) : nullptr;
  return own && *own == first;
}

bool Message::contains(const MessageText &text) const {
  return std::ranges::any_of(parts(), [&text](const Message &part) { return part.is(text); });
}

// Every %N at once: what is filled in may hold a %N of its own.
std::string Message::english() const {
  const std::string_view words = m_text.words;
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto number = words[i] == '%' && i + 1 < words.size() ? static_cast<std::size_t>(words[i + 1] - '1') : m_arguments.size();
    if (number < m_arguments.size()) {
      text += std::visit(English(), m_arguments[number]);
      ++i;
    } else {
      text += words[i];
    }
  }
  return text;
}

std::vector<std::string> englishOf(std::span<const Message> messages) {
  std::vector<std::string> words;
  for (const auto &message : messages)
    words.push_back(message.english());
  return words;
}

std::string durationWords(std::chrono::nanoseconds duration) {
  const std::int64_t ms = std::max<std::int64_t>(0, std::chrono::duration_cast<milliseconds>(duration).count());
  if (ms < 1000)
    return fmt::format("{} ms", ms);
  if (ms < 60'000)
    return fmt::format("{}.{} s", ms / 1000, ms % 1000 / 100);
  const std::int64_t s = ms / 1000;
  if (s < 3600)
    return twoUnits(s / 60, "min", s % 60, "s");
  if (s < 86'400)
    return twoUnits(s / 3600, "h", s % 3600 / 60, "min");
  return twoUnits(s / 86'400, "d", s % 86'400 / 3600, "h");
}

} // namespace lockhouse
