// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace lockhouse {

class Message;

/// The words of a message, %1 … %9 standing for its arguments. `context` is where the translations file it.
/// Two texts are the same message if context and words are the same.
struct MessageText {
  const char *context = "";
  const char *words = "";
  bool empty() const { return *words == '\0'; }
  bool operator==(const MessageText &other) const {
    return (words == other.words || std::string_view(words) == other.words) && (context == other.context || std::string_view(context) == other.context);
  }
};

/// How many arguments `words` take: the highest N of its %N.
constexpr std::size_t argumentsOf(std::string_view words) {
  std::size_t highest = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == '%' && words[i + 1] >= '1' && words[i + 1] <= '9')
      highest = std::max<std::size_t>(highest, static_cast<std::size_t>(words[i + 1] - '0'));
  return highest;
}

/// A MessageText whose number of arguments the compiler checks. Made by LH_MESSAGE alone.
template <std::size_t arguments> struct MessageFormat : MessageText {
  template <class... Values>
    requires(sizeof...(Values) == arguments)
  Message operator()(Values &&...values) const;
};

/// A MessageFormat; lupdate finds it by this name, so both must be string literals.
#define LH_MESSAGE(context, words) (::lockhouse::MessageFormat<::lockhouse::argumentsOf(words)>{{context, words}})

/// A MessageFormat that no translation knows: what only a programmer, or the author of a file or of a command line reads.
#define LH_ENGLISH(words) (::lockhouse::MessageFormat<::lockhouse::argumentsOf(words)>{{"", words}})

/// Families of locks by their slugs; a console names them by their titles.
struct Families {
  std::vector<std::string> slugs;
  bool operator==(const Families &) const = default;
};

/// What a person can do next: the words of lockhousectl, and the console's menu for it.
struct Action {
  std::string_view command;
  MessageText menu;
  bool operator==(const Action &) const = default;
};
inline constexpr MessageText releaseAllOfHolder = LH_MESSAGE("ConsoleWords", "Lock › Release all of this holder");

/// What fills a %N: a number, a duration, text that is safe to show, families, an action, or messages in a row.
using Argument = std::variant<std::int64_t, milliseconds, std::string, Families, Action, std::vector<Message>>;

/// One message for people, from where it arises to where it is shown: program logic compares it with is(), and never reads its words.
/// A console translates the text and each argument by its type; JSON and the command line take english().
/// Values that came from outside are already made safe (see safeText). Any thread.
class Message {
public:
  Message() = default;
  Message(const MessageFormat<0> &format) : m_text(format) {}
  Message(const MessageText &text, std::vector<Argument> arguments) : m_text(text), m_arguments(std::move(arguments)) {}

  /// Several messages in a row: "a; b". Empty ones are left out.
  static Message joined(std::vector<Message> parts);
  /// `text` as it is, safe to show: what another system said. It has no translation.
  static Message verbatim(std::string text);
  /// What verbatim() was given; empty of any other message.
  std::string_view verbatimText() const;
  /// A sentence of a family's file. Its words are kept for the life of the process.
  static Message ofFamily(const char *context, std::string_view words);

  bool empty() const { return m_text.empty(); }
  bool is(const MessageText &text) const { return m_text == text; }
  /// Whether it is `text`, and its first argument is the text `first`.
  bool isAbout(const MessageText &text, std::string_view first) const;
  /// Whether it is, or one of those that are joined in it is.
  bool contains(const MessageText &text) const;
  const MessageText &text() const { return m_text; }
  std::span<const Argument> arguments() const { return m_arguments; }
  /// Without those of its parts that are `text`.
  Message without(const MessageText &text) const;
  /// Those that were joined; of any other message itself alone.
  std::span<const Message> parts() const;

  /// In English; a missing argument leaves its %N.
  std::string english() const;
  bool operator==(const Message &) const = default;

private:
  MessageText m_text;
  std::vector<Argument> m_arguments;
};

inline Argument argument(Message message) { return std::vector{std::move(message)}; }
inline Argument argument(std::vector<Message> messages) { return messages; }
inline Argument argument(Families families) { return families; }
inline Argument argument(Action action) { return action; }
inline Argument argument(std::string text) { return text; }
inline Argument argument(std::string_view text) { return std::string(text); }
inline Argument argument(const char *text) { return std::string(text); }
template <std::integral Number> Argument argument(Number number) { return static_cast<std::int64_t>(number); }
template <class Ticks, class Period> Argument argument(std::chrono::duration<Ticks, Period> duration) {
  return std::chrono::duration_cast<milliseconds>(duration);
}
template <std::size_t none>
  requires(none == 0)
Argument argument(const MessageFormat<none> &format) {
  return argument(Message(format));
}

template <std::size_t arguments>
template <class... Values>
  requires(sizeof...(Values) == arguments)
Message MessageFormat<arguments>::operator()(Values &&...values) const {
  std::vector<Argument> filled;
  filled.reserve(arguments);
  (filled.push_back(argument(std::forward<Values>(values))), ...);
  return {*this, std::move(filled)};
}

/// Each in English.
std::vector<std::string> englishOf(std::span<const Message> messages);

/// A duration as people say it, two units at most: "350 ms", "12.4 s", "4 min 10 s", "3 d 4 h". Negative counts as zero.
std::string durationWords(std::chrono::nanoseconds duration);

} // namespace lockhouse
