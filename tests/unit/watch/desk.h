// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/node/node_watcher.h"

#include <map>
#include <set>

namespace lockhouse::test {

inline constexpr auto uuid1 = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
inline constexpr auto uuid2 = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02";
inline constexpr auto hex32 = "3f786850e387550fdab836ed7e6dc881";
inline const std::string owner1 = std::string(uuid1) + ":1";
inline const std::string owner2 = std::string(uuid2) + ":5";

inline Reply bulk(std::string_view text) { return Reply(std::string(text)); }
inline Reply number(std::int64_t value) { return Reply(value); }
inline Reply status(std::string_view text) { return Reply(Reply::Status{std::string(text)}); }
inline Reply failure(std::string_view text) { return Reply(Reply::Failure{std::string(text)}); }
Reply words(std::initializer_list<std::string_view> bulks);

/// A keyspace that answers the few reading commands of the watcher, so that a NodeWatcher can be led through a dialogue on a clock
/// that a test moves by hand. It answers when told to, and refuses or withholds what it is told to.
class Desk {
public:
  explicit Desk(NodeWatcher::Options options = defaults());
  static NodeWatcher::Options defaults();

  // The data. Changing it raises no hint: that is said separately.
  void string(const std::string &key, const std::string &value, std::optional<milliseconds> ttl = {});
  void hash(const std::string &key, std::vector<std::pair<std::string, std::string>> fields, std::optional<milliseconds> ttl = {});
  void list(const std::string &key, std::vector<std::string> members);
  void zset(const std::string &key, std::vector<std::pair<std::string, double>> members);
  void remove(const std::string &key) { m_data.erase(key); }
  void clear() { m_data.clear(); }
  void pexpire(const std::string &key, milliseconds ttl);

  // The dialogue.
  void event(WatchEvent what);
  void serve(); ///< answers everything asked, and what is asked then, until nothing is
  bool answerOne();
  bool answerAmidTurn(); ///< the same of what was asked, when more is to come before the watcher goes on
  void hint(std::initializer_list<std::string_view> keys);
  void pass(milliseconds time); ///< time goes on; ticks when due, but nothing is answered
  void connect();               ///< commands up, feed up with tracking, all served: live
  void pong();                  ///< answers the PING that is outstanding
  void idle();                  ///< a second in which nobody writes
  std::size_t pending() const { return m_asked.size(); }
  std::vector<std::string> askedNames() const; ///< of what waits for an answer
  Command takeAsk(std::uint64_t *tag = nullptr);

  std::vector<LockChange> changes() { return log.take(); }
  std::string story(); ///< the changes since the last call: "appeared a, count b, vanished c (expired)"
  LockRecordPtr lock(std::string_view key) const;
  const NodeStatus &status() const { return watch.status(); }
  SteadyTime now() const { return m_now; }
  Moment moment() const;

  std::set<std::string> refused; ///< command names answered NOPERM; of PUBSUB with its subcommand: "PUBSUB NUMSUB"
  std::set<std::string> refusedKeys;
  std::set<std::string> movedKeys;                               ///< that another master of the cluster serves
  std::optional<Error> broken;                                   ///< every command ends in this error
  std::string info;                                              ///< the rest of INFO
  std::map<std::string, std::int64_t> listeners, shardListeners; ///< of channels
  std::map<std::string, std::uint64_t> elsewhere;                ///< the same at other nodes of the cluster
  bool areAllMastersWatched = true;
  std::string clusterName;                 ///< CLUSTER MYID; empty: refused, as CLUSTER SLOTS is
  std::vector<std::string> clusterMasters; ///< of CLUSTER SLOTS
  std::string runId = "run-1";
  std::uint64_t readQueue = 0;
  std::size_t feedsOpened = 0, feedsClosed = 0, subscribedAll = 0;
  std::optional<std::uint64_t> ping; ///< outstanding
  std::vector<WatchActions::ReadDone> readsDone;
  std::deque<WatchActions::SubscriberQuestion> subscriberQuestions; ///< which wait for an answer
  std::vector<WatchActions::SubscriberAnswer> subscriberAnswers;
  std::map<std::string, std::size_t> served; ///< commands by name; of PUBSUB with its subcommand
  Reply flags = failure("NOPERM no CONFIG");

  ChangeLog log;
  NodeWatcher watch;

private:
  struct Value {
    std::optional<std::string> text;
    std::optional<std::vector<std::pair<std::string, std::string>>> fields;
    std::optional<std::vector<std::string>> members;
    std::optional<std::vector<std::pair<std::string, double>>> scores;
    std::optional<SteadyTime> expiresAt;
  };
  std::map<std::string, Value> m_data;
  std::deque<TaggedCommand> m_asked;
  SteadyTime m_now{seconds(1000)};

  Value *at(std::string_view key);
  Reply answer(const Command &command);
  Reply clusterAnswer(std::string_view question) const;
  void answerSubscribers();
  watching::Answered nextAnswer();
  void collect(WatchActions actions);
  Reply answerOf(std::string_view name, const Command &command, const Value *value);
  Reply answerList(const Value *value);
  Reply answerZset(const Value *value);
  Reply answerHash(const Command &command, const Value *value);
  void put(const std::string &key, Value value, std::optional<milliseconds> ttl);
  Reply scan(const Command &command);
  Reply pubSub(const Command &command) const;
};

} // namespace lockhouse::test
