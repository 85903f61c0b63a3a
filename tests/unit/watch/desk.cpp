// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/watch/desk.h"

#include "core/base/redisson_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

const Reply wrongType = failure("WRONGTYPE Operation against a key holding the wrong kind of value");
constexpr milliseconds wallAhead(1'700'000'000'000);

std::string nameOf(const Command &command) { return command.name() == "PUBSUB" ? fmt::format("PUBSUB {}", command[1]) : std::string(command.name()); }

} // namespace

Reply words(std::initializer_list<std::string_view> bulks) {
  Reply::Array array;
  for (const auto text : bulks)
    array.push_back(bulk(text));
  return Reply(std::move(array));
}

NodeWatcher::Options Desk::defaults() {
  NodeWatcher::Options options;
  options.id = NodeId("node:1");
  options.address = "node:1";
  return options;
}

Desk::Desk(NodeWatcher::Options options) : watch(std::move(options), log) {}

void Desk::put(const std::string &key, Value value, std::optional<milliseconds> ttl) {
  if (ttl)
    value.expiresAt = m_now + *ttl;
  m_data[key] = std::move(value);
}

void Desk::string(const std::string &key, const std::string &value, std::optional<milliseconds> ttl) {
  Value made;
  made.text = value;
  put(key, std::move(made), ttl);
}

void Desk::hash(const std::string &key, std::vector<std::pair<std::string, std::string>> fields, std::optional<milliseconds> ttl) {
  Value made;
  made.fields = std::move(fields);
  put(key, std::move(made), ttl);
}

void Desk::list(const std::string &key, std::vector<std::string> members) {
  Value made;
  made.members = std::move(members);
  put(key, std::move(made), {});
}

void Desk::zset(const std::string &key, std::vector<std::pair<std::string, double>> members) {
  Value made;
  made.scores = std::move(members);
  put(key, std::move(made), {});
}

void Desk::pexpire(const std::string &key, milliseconds ttl) { m_data.at(key).expiresAt = m_now + ttl; }

Moment Desk::moment() const { return {m_now, WallTime(std::chrono::duration_cast<microseconds>(m_now.time_since_epoch() + wallAhead))}; }

void Desk::event(WatchEvent what) {
  WatchActions actions;
  watch.on(std::move(what), moment(), actions);
  collect(std::move(actions));
}

void Desk::collect(WatchActions actions) {
  for (auto &ask : actions.asks)
    m_asked.push_back(std::move(ask));
  feedsClosed += actions.feed.close;
  if (actions.feed.close)
    ping.reset();
  feedsOpened += actions.feed.open;
  subscribedAll += actions.feed.subscribeAll;
  if (actions.feed.ping)
    ping = actions.feed.ping;
  for (auto &done : actions.readsDone)
    readsDone.push_back(std::move(done));
  std::ranges::move(actions.subscriberQuestions, std::back_inserter(subscriberQuestions));
  std::ranges::move(actions.subscriberAnswers, std::back_inserter(subscriberAnswers));
}

void Desk::answerSubscribers() {
  const auto subscribers = std::move(subscriberQuestions.front());
  subscriberQuestions.pop_front();
  watching::RemoteCounts heard{.number = subscribers.number, .clients = {}, .nodes = 2, .isWhole = areAllMastersWatched};
  for (const auto &channel : subscribers.channels)
    heard.clients.push_back(elsewhere.contains(channel) ? elsewhere.at(channel) : 0);
  ++served["hearing"];
  event(std::move(heard));
}

bool Desk::answerOne() {
  if (m_asked.empty() && !subscriberQuestions.empty()) {
    answerSubscribers();
    return true;
  }
  if (m_asked.empty())
    return false;
  event(nextAnswer());
  return true;
}

bool Desk::answerAmidTurn() {
  if (m_asked.empty())
    return false;
  WatchActions actions;
  watch.take(nextAnswer(), moment(), actions);
  collect(std::move(actions));
  return true;
}

watching::Answered Desk::nextAnswer() {
  auto ask = std::move(m_asked.front());
  m_asked.pop_front();
  ++served[nameOf(ask.command)];
  return {ask.tag, broken ? Result<Reply>(std::unexpected(*broken)) : Result<Reply>(answer(ask.command))};
}

void Desk::serve() {
  while (answerOne())
    ;
}

Command Desk::takeAsk(std::uint64_t *tag) {
  auto ask = std::move(m_asked.front());
  m_asked.pop_front();
  if (tag)
    *tag = ask.tag;
  return std::move(ask.command);
}

void Desk::hint(std::initializer_list<std::string_view> keys) {
  const auto array = words(keys);
  event(watching::KeysInvalidated{&array.array()});
}

void Desk::pass(milliseconds time) {
  const auto end = m_now + time;
  while (watch.wakeAt() <= end) {
    m_now = std::max(m_now, watch.wakeAt());
    event(watching::Tick{});
    if (watch.wakeAt() <= m_now)
      m_now += milliseconds(1); // never stand still
  }
  m_now = std::max(m_now, end);
}

void Desk::connect() {
  event(watching::CommandsUp{});
  serve();
  event(watching::FeedUp{});
  serve();
  event(watching::Tick{});
}

void Desk::pong() {
  if (const auto answered = std::exchange(ping, {}))
    event(watching::FeedPong{*answered});
}

void Desk::idle() {
  pass(seconds(1));
  serve();
  if (ping)
    pong();
  serve();
}

std::vector<std::string> Desk::askedNames() const {
  std::vector<std::string> names;
  for (const auto &ask : m_asked)
    names.emplace_back(ask.command.name());
  return names;
}

std::string Desk::story() {
  std::string told;
  for (const auto &change : changes())
    told += fmt::format("{}{} {}{}", told.empty() ? "" : ", ", name(change.kind), change.id.key.bytes(),
                        change.cause ? fmt::format(" ({})", name(*change.cause)) : "");
  return told;
}

LockRecordPtr Desk::lock(std::string_view key) const {
  const auto *known = const_cast<NodeWatcher &>(watch).cache().find(key);
  return known ? known->record : nullptr;
}

Desk::Value *Desk::at(std::string_view key) {
  const auto found = m_data.find(std::string(key));
  if (found == m_data.end())
    return nullptr;
  if (found->second.expiresAt && *found->second.expiresAt <= m_now)
    return nullptr;
  return &found->second;
}

Reply Desk::scan(const Command &command) {
  constexpr std::size_t page = 3; // small, so that every walk has several
  const auto from = static_cast<std::size_t>(std::stoul(std::string(command[1])));
  Reply::Array keys;
  auto key = m_data.begin();
  std::advance(key, static_cast<std::ptrdiff_t>(std::min(from, m_data.size())));
  for (; key != m_data.end() && keys.size() < page; ++key)
    keys.push_back(bulk(key->first));
  const auto next = key == m_data.end() ? 0 : from + page;
  Reply::Array halves;
  halves.push_back(bulk(std::to_string(next)));
  halves.emplace_back(std::move(keys));
  return Reply(std::move(halves));
}

Reply Desk::pubSub(const Command &command) const {
  const auto &channels = command[1].starts_with("SHARD") ? shardListeners : listeners;
  Reply::Array answer;
  if (command[1].ends_with("CHANNELS")) {
    const auto prefix = command[2].substr(0, command[2].size() - 1); // a name and a star behind it
    for (const auto &[channel, clients] : channels)
      if (channel.starts_with(prefix))
        answer.push_back(bulk(channel));
    return Reply(std::move(answer));
  }
  for (std::size_t i = 2; i < command.size(); ++i) {
    const auto found = channels.find(std::string(command[i]));
    answer.push_back(bulk(command[i]));
    answer.push_back(number(found == channels.end() ? 0 : found->second));
  }
  return Reply(std::move(answer));
}

Reply Desk::clusterAnswer(std::string_view question) const {
  if (clusterName.empty())
    return failure("NOPERM this user has no permissions to run the 'cluster' command");
  if (question == "MYID")
    return bulk(clusterName);
  Reply::Array slots;
  for (const auto &id : clusterMasters) {
    Reply::Array node, range;
    node.push_back(bulk("10.0.0.1"));
    node.push_back(number(6379));
    node.push_back(bulk(id));
    range.push_back(number(0));
    range.push_back(number(1));
    range.emplace_back(std::move(node));
    slots.emplace_back(std::move(range));
  }
  return Reply(std::move(slots));
}

Reply Desk::answer(const Command &command) {
  const auto name = nameOf(command);
  if (refused.contains(name))
    return failure("NOPERM this user has no permissions to run the '" + name + "' command");
  if (name == "INFO")
    return bulk(
        fmt::format("run_id:{}\r\nmaster_replid:r\r\nrole:master\r\nredis_version:7.0.15\r\nrdb_changes_since_last_save:{}\r\nserver_time_usec:{}\r\n{}", runId,
                    readQueue, std::chrono::duration_cast<microseconds>(m_now.time_since_epoch() + wallAhead).count(), info));
  if (name == "TIME") {
    const auto wall = std::chrono::duration_cast<microseconds>(m_now.time_since_epoch() + wallAhead).count();
    return words({std::to_string(wall / 1'000'000), std::to_string(wall % 1'000'000)});
  }
  if (name == "CONFIG")
    return flags;
  if (name == "SCAN")
    return scan(command);
  if (command.name() == "PUBSUB")
    return pubSub(command);
  if (name == "CLUSTER")
    return clusterAnswer(command[1]);
  const auto key = std::string(command[name == "MEMORY" ? 2 : 1]);
  if (movedKeys.contains(key))
    return failure("MOVED 1 127.0.0.1:7001");
  if (refusedKeys.contains(key))
    return failure("NOPERM this user has no permissions to access one of the keys used as arguments");
  return answerOf(name, command, at(key));
}

Reply Desk::answerOf(std::string_view name, const Command &command, const Value *value) {
  if (name == "TYPE")
    return test::status(!value ? "none" : value->text ? "string" : value->fields ? "hash" : value->members ? "list" : "zset");
  if (name == "MEMORY")
    return value ? number(100) : Reply();
  if (name == "PTTL")
    return number(!value ? -2 : value->expiresAt ? std::chrono::duration_cast<milliseconds>(*value->expiresAt - m_now).count() : -1);
  if (name == "GETRANGE")
    return value && !value->text ? wrongType : bulk(value ? value->text->substr(0, 129) : "");
  if (name == "STRLEN")
    return value && !value->text ? wrongType : number(value ? static_cast<std::int64_t>(value->text->size()) : 0);
  if (name == "LLEN")
    return value && !value->members ? wrongType : number(value ? static_cast<std::int64_t>(value->members->size()) : 0);
  if (name == "LRANGE")
    return answerList(value);
  return name == "ZRANGE" ? answerZset(value) : answerHash(command, value);
}

Reply Desk::answerList(const Value *value) {
  if (value && !value->members)
    return wrongType;
  Reply::Array members;
  for (const auto &member : value ? *value->members : std::vector<std::string>{})
    members.push_back(bulk(member));
  return Reply(std::move(members));
}

Reply Desk::answerZset(const Value *value) {
  if (value && !value->scores)
    return wrongType;
  Reply::Array members;
  for (const auto &[member, score] : value ? *value->scores : std::vector<std::pair<std::string, double>>{}) {
    members.push_back(bulk(member));
    members.push_back(bulk(fmt::format("{}", score)));
  }
  return Reply(std::move(members));
}

Reply Desk::answerHash(const Command &command, const Value *value) {
  if (value && !value->fields)
    return wrongType;
  const std::vector<std::pair<std::string, std::string>> none;
  const auto &fields = value ? *value->fields : none;
  if (command.name() == "HLEN")
    return number(static_cast<std::int64_t>(fields.size()));
  if (command.name() == "HRANDFIELD")
    return fields.empty() ? Reply() : bulk(fields.front().first);
  if (command.name() == "HSTRLEN")
    return number(0);
  if (command.name() == "HGET") {
    const auto field = std::ranges::find(fields, command[2], [](const auto &each) { return std::string_view(each.first); });
    return field == fields.end() ? Reply() : bulk(field->second);
  }
  Reply::Array flat;
  const bool arePicked = command.size() > 3 && command[3] == "MATCH" && command[4] == redisson::ownerGlob;
  for (const auto &[field, text] : fields) {
    if (arePicked && !redisson::isOwner(field) && !redisson::isWriter(field) && !field.ends_with(":lock_count"))
      continue;
    flat.push_back(bulk(field));
    flat.push_back(bulk(text));
  }
  Reply::Array halves;
  halves.push_back(bulk("0"));
  halves.emplace_back(std::move(flat));
  return Reply(std::move(halves));
}

} // namespace lockhouse::test
