// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/text_table.h"

#include <gtest/gtest.h>

namespace lockhouse::ctl {
namespace {

TEST(TextTable, alignsWordsLeftAndNumbersRight) {
  TextTable table({{"LOCK"}, {"COUNT", true}});
  table.add({{"a"}, {"1"}});
  table.add({{"longer"}, {"1000000"}});
  EXPECT_EQ(table.text(false), "LOCK      COUNT\n"
                               "a             1\n"
                               "longer  1000000\n");
}

TEST(TextTable, countsColumnsNotBytes) {
  EXPECT_EQ(displayWidth("订单"), 4U);
  EXPECT_EQ(displayWidth("é"), 1U);
  EXPECT_EQ(displayWidth("🔒"), 2U);
  TextTable table({{"K"}, {"V"}});
  table.add({{"订单"}, {"x"}});
  table.add({{"abcd"}, {"y"}});
  EXPECT_EQ(table.text(false), "K     V\n订单  x\nabcd  y\n");
}

TEST(TextTable, coloursOnlyWhenAsked) {
  TextTable table({{"STATE"}, {"X"}});
  table.add({{"held", "32"}, {"x"}});
  EXPECT_EQ(table.text(false).find('\x1b'), std::string::npos);
  EXPECT_NE(table.text(true).find("\x1b[32mheld\x1b[0m   x"), std::string::npos);
}

} // namespace
} // namespace lockhouse::ctl
