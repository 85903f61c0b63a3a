// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/contract/world/lock_world.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>

/// How the words on a primitive's page are compared with a server.
namespace lockhouse::test {

using Calls = std::map<std::string, std::uint64_t>;

// The words in capitals of `commands` that are names of commands.
inline std::set<std::string> namedIn(std::string_view commands) {
  std::set<std::string> names;
  std::string word;
  for (const char c : std::string(commands) + " ") {
    if (c >= 'A' && c <= 'Z') {
      word.push_back(c);
      continue;
    }
    if (word.size() > 2)
      names.insert(word);
    word.clear();
  }
  return names;
}

// As INFO commandstats counts them, without those of the probe and of connections.
inline Calls callsOf(Probe &probe) {
  static const std::set<std::string> notOurs{"INFO",   "CONFIG",     "CLIENT", "HELLO",   "PING",   "KEYS",  "TYPE",
                                             "PUBSUB", "PSUBSCRIBE", "DBSIZE", "COMMAND", "UNLINK", "SCRIPT"};
  Calls calls;
  std::istringstream lines(probe.text({"INFO", "commandstats"}));
  const std::regex line("cmdstat_([a-z]+)[^:]*:calls=([0-9]+).*");
  std::smatch match;
  for (std::string text; std::getline(lines, text);) {
    if (text.ends_with('\r'))
      text.pop_back();
    if (!std::regex_match(text, match, line))
      continue;
    auto name = match.str(1);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (!notOurs.contains(name))
      calls[name] += std::stoull(match.str(2));
  }
  return calls;
}

// "lockhouse:inbox:<client uuid>" as an expression for the lock "k".
inline std::regex expression(std::string_view pattern) {
  std::string text = std::regex_replace(std::string(pattern), std::regex("[{}.]"), "\\$&");
  text = std::regex_replace(text, std::regex("NAME"), "k");
  return std::regex(std::regex_replace(text, std::regex("<[^>]*>"), ".+"));
}

inline const LockPlace *placeOf(const PrimitiveInfo &info, const std::string &name, std::string_view type) {
  for (const auto &place : info.places)
    if (place.type == type && std::regex_match(name, expression(place.name)))
      return &place;
  return nullptr;
}

} // namespace lockhouse::test
