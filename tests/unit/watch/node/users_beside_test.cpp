// SPDX-License-Identifier: Apache-2.0
// What a family of one's own says lies beside its locks: no lock of a library's, and no other's though it is called so.
#include "core/watch/detect/family_registry.h"
#include "tests/unit/watch/desk.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace lockhouse::test {
namespace {

using testing::HasSubstr;

double deferred(const Desk &desk) { // a minute ahead, in epoch ms
  return static_cast<double>(desk.moment().wall.time_since_epoch().count()) / 1000 + 60'000;
}

NodeWatcher::Options with(std::string_view text) {
  auto options = Desk::defaults();
  options.families = *FamilyRegistry::with(text, "families.toml");
  return options;
}

constexpr std::string_view pay = R"(
[[family]]
slug = "acme-pay"
release = "A"
[[family.form]]
type = "string"
key = "lock:{name:word}"
value = "{host:word}/{pid:digits}"
confidence = 0.9
[[family.beside]]
key = "lock-until:{name:word}"
type = "zset"
role = "deadlines"
[[family.beside]]
key = "lock-state:{name:word}"
type = "string"
role = "part"
[[family.beside]]
key = "lock-permits:{name:word}"
type = "zset"
role = "permits"
)";

TEST(UsersBeside, areNoLocksOfALibrarysWhileTheirOwnLockIsAway) {
  for (const bool isScanned : {true, false}) {
    Desk desk(with(pay));
    const auto lie = [&] {
      desk.zset("lock-until:a", {{"web/7", deferred(desk)}});
      desk.zset("lock-permits:a", {{"web/7", deferred(desk)}});
      desk.string("lock-state:a", "1");
    };
    if (isScanned)
      lie();
    desk.connect();
    if (!isScanned) {
      lie();
      desk.hint({"lock-until:a", "lock-permits:a", "lock-state:a"});
      desk.serve();
    }
    EXPECT_FALSE(desk.lock("lock-until:a"));
    EXPECT_FALSE(desk.lock("lock-state:a"));
    EXPECT_TRUE(desk.lock("lock-permits:a")) << "somebody may hold it";
  }
}

TEST(UsersBeside, areLocksWhereTheNameBesideWhichTheyWouldLieIsNone) {
  const auto users = FamilyRegistry::with("[[family]]\nslug = \"acme\"\n[[family.form]]\ntype = \"string\"\nvalue = \"acme/{pid:digits}\"\nconfidence = 0.9\n"
                                          "[[family.beside]]\nkey = \"{lock}:lock\"\ntype = \"string\"\nrole = \"part\"\n",
                                          "families.toml");
  ASSERT_TRUE(users) << users.error().sentence();
  KeyFacts facts;
  facts.key = "orders:lock";
  facts.type = ValueType::String;
  facts.value = uuid1;
  facts.size = facts.value.size();
  facts.ttl = seconds(30);
  EXPECT_TRUE((*users)->recognise(facts)) << "any name may be that of an Acme lock";
}

TEST(UsersBeside, areNoLocksThatAnybodyMayCallSo) {
  for (const auto *key : {"lock:{name}", "{name}:lock", "locks.{name}"})
    for (const auto *role : {"fence", "part"}) {
      const auto text = fmt::format("[[family]]\nslug = \"acme\"\n[[family.form]]\ntype = \"string\"\nkey = \"acme:{{name}}\"\nconfidence = 0.9\n"
                                    "[[family.beside]]\nkey = \"{}\"\ntype = \"string\"\nrole = \"{}\"\n",
                                    key, role);
      Desk desk(with(text));
      auto name = std::string(key);
      name.replace(name.find("{name}"), 6, "pay");
      desk.string(name, uuid1, seconds(60));
      desk.connect();
      EXPECT_TRUE(desk.lock(name)) << name << " " << role;
    }
}

TEST(UsersBeside, areNoFencesWhereTheyAreNoNumbers) {
  Desk desk(with("[[family]]\nslug = \"acme\"\n[[family.form]]\ntype = \"string\"\nkey = \"acme:{name}\"\nconfidence = 0.9\n"
                 "[[family.beside]]\nkey = \"lock-fence:{name}\"\ntype = \"string\"\nrole = \"fence\"\n"));
  desk.string("lock-fence:pay", uuid1, seconds(60));
  desk.connect();
  EXPECT_TRUE(desk.lock("lock-fence:pay"));
}

constexpr std::string_view orders = R"(
[[family]]
slug = "acme-order"
kind = "fair"
release = "A"
waits = "queue"
[[family.form]]
type = "string"
key = "order:{name}"
value = "{id:uuid4}"
confidence = 0.95
[[family.beside]]
key = "redisson_lock_queue:{lock:tag}"
type = "list"
role = "queue"
[[family.beside]]
key = "redisson_lock_timeout:{lock:tag}"
type = "zset"
role = "deadlines"
[[family.beside]]
key = "redisson_lock_token:{lock:tag}"
type = "string"
role = "fence"
)";

TEST(UsersBeside, mayBeCalledAsALibraryCallsThem) {
  for (const bool isScanned : {true, false}) {
    Desk desk(with(orders));
    if (!isScanned)
      desk.connect();
    desk.list("redisson_lock_queue:{order:1}", {"web-2"});
    desk.zset("redisson_lock_timeout:{order:1}", {{"web-2", deferred(desk)}});
    desk.string("redisson_lock_token:{order:1}", "7");
    desk.string("order:1", uuid1, seconds(60));
    if (isScanned)
      desk.connect();
    else
      desk.hint({"redisson_lock_queue:{order:1}", "redisson_lock_timeout:{order:1}", "redisson_lock_token:{order:1}", "order:1"});
    desk.serve();
    const auto lock = desk.lock("order:1");
    ASSERT_TRUE(lock) << isScanned;
    EXPECT_EQ(lock->family, "acme-order");
    EXPECT_EQ(lock->waiters, 1U) << isScanned;
    ASSERT_EQ(lock->queue.size(), 1U);
    EXPECT_TRUE(lock->queue.front().leavesAt) << isScanned;
    EXPECT_EQ(lock->fence, Fence{7}) << isScanned;
    desk.string("redisson_lock_token:{order:1}", "8");
    desk.hint({"redisson_lock_token:{order:1}"});
    desk.serve();
    EXPECT_EQ(desk.lock("order:1")->fence, Fence{8});
  }
}

TEST(UsersBeside, haveRoomForSoManyAndTheFirstTooManyIsTold) {
  const auto textOf = [](std::size_t families, std::size_t each) {
    std::string text;
    for (std::size_t family = 0; family < families; ++family) {
      text += fmt::format("[[family]]\nslug = \"acme-{0}\"\n[[family.form]]\ntype = \"string\"\nkey = \"acme{0}:{{name}}\"\nconfidence = 0.9\n", family);
      for (std::size_t key = 0; key < each; ++key)
        text += fmt::format("[[family.beside]]\nkey = \"{{lock}}:{}\"\ntype = \"string\"\n", key);
    }
    return text;
  };
  constexpr std::size_t room = 13; // as the manual has it
  EXPECT_TRUE(FamilyRegistry::with(textOf(1, room), "my.toml"));
  EXPECT_TRUE(FamilyRegistry::with(textOf(room, 1), "my.toml"));
  const auto tooMany = FamilyRegistry::with(textOf(1, room + 1), "my.toml"), apart = FamilyRegistry::with(textOf(room + 1, 1), "my.toml");
  ASSERT_FALSE(tooMany);
  EXPECT_THAT(tooMany.error().sentence(), HasSubstr(fmt::format("my.toml:{}", 7 + 3 * room)));
  EXPECT_THAT(tooMany.error().sentence(), HasSubstr("all families of a file have 13 together"));
  ASSERT_FALSE(apart);
  EXPECT_THAT(apart.error().sentence(), HasSubstr(fmt::format("my.toml:{}", 7 + 9 * room)));
  EXPECT_THAT(apart.error().sentence(), HasSubstr("'acme-13' has one key too many beside its locks"));
}

} // namespace
} // namespace lockhouse::test
