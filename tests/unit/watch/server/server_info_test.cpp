// SPDX-License-Identifier: Apache-2.0
#include "core/watch/server/server_info.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

using Verdict = ServerInfo::Verdict;

InfoReply info(std::uint64_t changes, std::string runId = "a", std::uint64_t lastSave = 1) {
  InfoReply made;
  made.runId = std::move(runId);
  made.changes = changes;
  made.lastSave = lastSave;
  return made;
}

TEST(ServerInfo, countsWhomABlockingCommandKeepsWaitingInOneDatabase) {
  const auto *list = "id=3 addr=/tmp/a:0 name=x db=0 flags=b cmd=blpop user=default\nid=4 addr=1.2.3.4:5 name= db=1 flags=b cmd=brpop\n"
                     "id=5 name= db=0 flags=N cmd=blpop\nid=6 name= db=0 flags=b cmd=xread\nid=7 name=b db=0 flags=bU cmd=bzpopmin\n\n";
  EXPECT_EQ(blockedIn(list, 0), 2U);
  EXPECT_EQ(blockedIn(list, 1), 1U);
  EXPECT_EQ(blockedIn("", 0), 0U);
  EXPECT_EQ(parseInfo("blocked_clients:7\r\nconnected_clients:9\r\n").blockedClients, 7U);
  EXPECT_FALSE(parseInfo("run_id:a\r\n").blockedClients);
}

TEST(ServerInfo, readsWhichDatabasesHoldKeys) {
  const auto read = parseInfo("# Keyspace\r\ndb0:keys=9,expires=2,avg_ttl=0\r\ndb11:keys=1,expires=0,avg_ttl=0\r\ndbx:keys\r\n");
  EXPECT_EQ(read.databases, (std::vector{0, 11}));
}

TEST(ServerInfo, readsWhatInfoSays) {
  const auto read = parseInfo(
      "# Server\r\nredis_version:7.0.15\r\nrun_id:abc\r\nserver_time_usec:1700000000123456\r\n\r\n# Replication\r\nrole:slave\r\n"
      "master_replid:def\r\nloading:0\r\nrdb_changes_since_last_save:7\r\nrdb_last_save_time:5\r\nexpired_keys:3\r\nevicted_keys:2\r\nbroken line\r\n:\r\n");
  EXPECT_EQ(read.version, "7.0.15");
  EXPECT_EQ(read.runId, "abc");
  EXPECT_EQ(read.role, "replica");
  EXPECT_EQ(read.replicationId, "def");
  EXPECT_EQ(read.wallTime, milliseconds(1700000000123));
  EXPECT_EQ(read.changes, 7U);
  EXPECT_EQ(read.lastSave, 5U);
  EXPECT_EQ(read.expired, 3U);
  EXPECT_EQ(read.evicted, 2U);
  EXPECT_FALSE(read.isLoading);
  EXPECT_FALSE(read.isCutOff);
  EXPECT_TRUE(parseInfo("role:slave\r\nmaster_link_status:down\r\n").isCutOff);
  EXPECT_FALSE(parseInfo("role:slave\r\nmaster_link_status:up\r\n").isCutOff);
  const auto replica = parseInfo("master_host:10.0.0.1\r\nmaster_port:6379\r\nmaster_link_down_since_seconds:185\r\nmin_slaves_good_slaves:2\r\n");
  EXPECT_EQ(replica.master, "10.0.0.1:6379");
  EXPECT_EQ(replica.cutOffFor, seconds(185));
  EXPECT_EQ(replica.goodReplicas, 2U);
  EXPECT_EQ(parseInfo("master_link_down_since_seconds:-1\r\n").cutOffFor, std::nullopt) << "its link was never up";
}

TEST(ServerInfo, bearsAnythingAsInfo) {
  for (const auto text : {"", "\n\n\n", "run_id", "run_id:", "expired_keys:-1", "expired_keys:99999999999999999999999"})
    parseInfo(text);
  EXPECT_EQ(parseInfo("expired_keys:-1").expired, 0U);
}

TEST(SilentCalls, areReadFromCommandstatsOfOldAndNewServers) {
  const auto read = parseSilentCalls(
      "# Commandstats\r\ncmdstat_get:calls=9,usec=1\r\ncmdstat_flushall:calls=2,usec=1,usec_per_call=1.00\r\ncmdstat_flushdb:calls=3,usec=4\r\n"
      "cmdstat_swapdb:calls=1,usec=1\r\ncmdstat_config|set:calls=4,usec=1\r\ncmdstat_config|get:calls=7,usec=1\r\n");
  EXPECT_EQ(read, (SilentCalls{.flushes = 5, .swaps = 1, .configs = 4}));
  EXPECT_EQ(parseSilentCalls("cmdstat_config:calls=6,usec=1").configs, 6U);
  for (const auto *text : {"", "cmdstat_flushall", "cmdstat_flushall:", "cmdstat_flushall:calls=", "cmdstat_flushall:calls=-1"})
    EXPECT_EQ(parseSilentCalls(text), SilentCalls{}) << text;
}

TEST(ServerInfo, tellsAnotherServer) {
  ServerInfo vitals;
  EXPECT_EQ(vitals.beat(info(1), 0), Verdict::Same);
  EXPECT_EQ(vitals.beat(info(1, "b"), 0), Verdict::Another);
}

TEST(ServerInfo, tellsChangesWithoutAHintOneBeatLater) {
  ServerInfo vitals;
  vitals.beat(info(1), 0);
  EXPECT_EQ(vitals.beat(info(2), 0), Verdict::Same) << "the hint may still be under way";
  EXPECT_EQ(vitals.beat(info(2), 0), Verdict::Unhinted);
  EXPECT_EQ(vitals.beat(info(2), 0), Verdict::Same) << "told once";
}

TEST(ServerInfo, isCalmWhenAHintExplainsTheChange) {
  ServerInfo vitals;
  vitals.beat(info(1), 0);
  EXPECT_EQ(vitals.beat(info(2), 1), Verdict::Same);
  EXPECT_EQ(vitals.beat(info(2), 0), Verdict::Same);
  EXPECT_EQ(vitals.beat(info(3), 0), Verdict::Same);
  EXPECT_EQ(vitals.beat(info(3), 1), Verdict::Same) << "it came a little late";
}

TEST(ServerInfo, isCalmWhenASaveResetsTheCounter) {
  ServerInfo vitals;
  vitals.beat(info(100), 0);
  vitals.beat(info(101, "a", 2), 0);
  EXPECT_EQ(vitals.beat(info(101, "a", 2), 0), Verdict::Same);
}

} // namespace
} // namespace lockhouse
