// SPDX-License-Identifier: Apache-2.0
#include "core/lab/stress/command_stats.h"

#include <gtest/gtest.h>

using lockhouse::serverCalls;

TEST(CommandStats, addsUpTheCallsOfAllCommandsButInfo) {
  EXPECT_EQ(serverCalls("# Commandstats\r\n"
                        "cmdstat_set:calls=40,usec=99,usec_per_call=2.47,rejected_calls=0,failed_calls=0\r\n"
                        "cmdstat_evalsha:calls=2,usec=9,usec_per_call=4.50,rejected_calls=1,failed_calls=0\r\n"
                        "cmdstat_client|setname:calls=1,usec=1,usec_per_call=1.00,rejected_calls=0,failed_calls=0\r\n"
                        "cmdstat_info:calls=1000,usec=9,usec_per_call=4.50,rejected_calls=0,failed_calls=0\r\n"),
            43U);
}

TEST(CommandStats, knowsNothingWithoutALine) {
  EXPECT_EQ(serverCalls(""), std::nullopt);
  EXPECT_EQ(serverCalls("# Commandstats\r\n"), std::nullopt);
  EXPECT_EQ(serverCalls("redis_version:7.0.15\r\n"), std::nullopt);
}

TEST(CommandStats, skipsLinesThatAreNotWhatTheyShouldBe) {
  EXPECT_EQ(serverCalls("cmdstat_get:calls=,usec=1\ncmdstat_get:calls=x\ncmdstat_:\ncmdstat_set:calls=7"), 7U);
  EXPECT_EQ(serverCalls("cmdstat_get:calls=99999999999999999999999\n"), std::nullopt);
}

TEST(CommandStats, nothingRunIsZeroNotUnknown) { EXPECT_EQ(serverCalls("cmdstat_info:calls=3,usec=1\r\n"), 0U); }
