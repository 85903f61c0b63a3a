// SPDX-License-Identifier: Apache-2.0
#include "core/watch/families.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

constexpr std::string_view acme = R"(
[[family]]
slug = "acme"
title = "Acme"
about = "A lock of Acme's"
release = "A"
waits = "queue"

[[family.form]]
type = "string"
key = "acme:{name}:lock"
value = "{id}"
confidence = 0.9
evidence = "an Acme lock"

[[family.beside]]
key = "acme:{name}:lock:queue"
type = "list"
role = "queue"
)";

// The lock is free, and somebody waits yet: the first of these is no holder.
TEST(UsersQueue, isNoLockByHand) {
  const auto users = Families::with(acme, "families.toml");
  ASSERT_TRUE(users) << users.error().sentence();
  KeyFacts facts;
  facts.key = "acme:orders:lock:queue";
  facts.type = ValueType::List;
  facts.members = {{"web-1:4711"}, {"web-2:4712"}};
  facts.size = 2;
  const auto byHand = Families::builtIn().recognise(facts);
  ASSERT_TRUE(byHand);
  EXPECT_EQ(byHand->family, "handmade-list") << "as long as nobody said whose it is";
  EXPECT_FALSE((*users)->recognise(facts));
}

} // namespace
} // namespace lockhouse
