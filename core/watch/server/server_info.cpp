// SPDX-License-Identifier: Apache-2.0
#include "core/watch/server/server_info.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <ranges>

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

template <class Value> struct Line {
  std::string_view name;
  Value InfoReply::*value;
};
constexpr std::array texts{Line{"run_id", &InfoReply::runId}, Line{"master_replid", &InfoReply::replicationId}, Line{"redis_version", &InfoReply::version},
                           Line{"master_host", &InfoReply::master}}; // in front of its port
constexpr std::array flags{Line{"slave_read_only", &InfoReply::isReadOnly}, Line{"loading", &InfoReply::isLoading},
                           Line{"cluster_enabled", &InfoReply::isCluster}};
constexpr std::array failures{Line{"rdb_last_bgsave_status", &InfoReply::isSaveFailing}, Line{"aof_last_write_status", &InfoReply::isAppendFailing}};
constexpr std::array numbers{Line{"rdb_changes_since_last_save", &InfoReply::changes},
                             Line{"rdb_last_save_time", &InfoReply::lastSave},
                             Line{"expired_keys", &InfoReply::expired},
                             Line{"evicted_keys", &InfoReply::evicted},
                             Line{"connected_clients", &InfoReply::connectedClients},
                             Line{"used_memory", &InfoReply::usedMemory},
                             Line{"maxmemory", &InfoReply::maxMemory}};
constexpr std::array maybeNumbers{Line{"min_slaves_good_slaves", &InfoReply::goodReplicas}, Line{"blocked_clients", &InfoReply::blockedClients}};

bool takePlain(InfoReply &info, std::string_view name, std::string_view value) {
  const auto takeInto = [&](const auto &lines, auto read) {
    const auto line = std::ranges::find_if(lines, [name](const auto &each) { return each.name == name; });
    if (line != lines.end())
      info.*(line->value) = read(value);
    return line != lines.end();
  };
  return takeInto(texts, [](std::string_view text) { return std::string(text); }) || takeInto(flags, [](std::string_view text) { return text == "1"; }) ||
         takeInto(failures, [](std::string_view text) { return text == "err"; }) || takeInto(numbers, number) || takeInto(maybeNumbers, number);
}

void take(InfoReply &info, std::string_view name, std::string_view value) {
  if (takePlain(info, name, value))
    return;
  if (name == "role")
    info.role = value == "slave" ? "replica" : value;
  else if (name == "master_link_status")
    info.isCutOff = value == "down";
  else if (name == "master_link_down_since_seconds" && !value.starts_with('-'))
    info.cutOffFor = seconds(number(value));
  else if (name == "master_port")
    info.master.append(":").append(value);
  else if (name == "server_time_usec")
    info.wallTime = std::chrono::duration_cast<milliseconds>(microseconds(number(value)));
  else if (name == "pubsub_channels" || name == "pubsubshard_channels")
    info.channels = info.channels.value_or(0) + number(value);
  else if (name.starts_with("db") && value.starts_with("keys="))
    info.databases.push_back(static_cast<int>(number(name.substr(2))));
}

bool moved(const InfoReply &before, const InfoReply &now) {
  if (now.lastSave != before.lastSave) // the counter began anew
    return false;
  return now.changes > before.changes || now.expired > before.expired || now.evicted > before.evicted;
}

// Each line "name:value" of an INFO section.
template <class Visit> void eachLine(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (const auto colon = line.find(':'); colon != line.npos)
      visit(line.substr(0, colon), line.substr(colon + 1));
  }
}

} // namespace

InfoReply parseInfo(std::string_view text) {
  InfoReply info;
  eachLine(text, [&info](std::string_view name, std::string_view value) { take(info, name, value); });
  return info;
}

// "cmdstat_flushall:calls=1,usec=…"; subcommands stand apart since Redis 7.
SilentCalls parseSilentCalls(std::string_view commandstats) {
  SilentCalls calls;
  eachLine(commandstats, [&calls](std::string_view name, std::string_view value) {
    const auto count = number(value.substr(std::min(value.size(), std::string_view("calls=").size())));
    if (name == "cmdstat_flushall" || name == "cmdstat_flushdb")
      calls.flushes += count;
    else if (name == "cmdstat_swapdb")
      calls.swaps += count;
    else if (name == "cmdstat_config" || name == "cmdstat_config|set")
      calls.configs += count;
  });
  return calls;
}

ServerInfo::Verdict ServerInfo::beat(InfoReply info, std::uint64_t hints) {
  if (!m_last) {
    m_last = std::move(info);
    return Verdict::Same;
  }
  const bool another =
      info.runId != m_last->runId || info.replicationId != m_last->replicationId || info.role != m_last->role || info.isReadOnly != m_last->isReadOnly;
  const bool silent = hints == 0;
  const bool unhinted = m_silentMove && silent;
  m_silentMove = silent && moved(*m_last, info);
  m_last = std::move(info);
  return another ? Verdict::Another : unhinted ? Verdict::Unhinted : Verdict::Same;
}

std::uint64_t blockedIn(std::string_view clientList, int db) {
  constexpr std::array blocking{"blpop"sv, "brpop"sv, "brpoplpush"sv, "blmove"sv, "blmpop"sv, "bzpopmin"sv, "bzpopmax"sv, "bzmpop"sv};
  const auto here = fmt::format(" db={} ", db);
  std::uint64_t count = 0;
  for (const auto &line : std::views::split(clientList, '\n')) {
    const std::string_view client(line.begin(), line.end());
    const auto valueOf = [client](std::string_view field) {
      const auto at = client.find(field);
      const auto rest = at == client.npos ? std::string_view() : client.substr(at + field.size());
      return rest.substr(0, rest.find(' '));
    };
    const bool isBlocked = valueOf(" flags=").contains('b') && std::ranges::find(blocking, valueOf(" cmd=")) != blocking.end();
    count += isBlocked && client.contains(here);
  }
  return count;
}

} // namespace lockhouse
