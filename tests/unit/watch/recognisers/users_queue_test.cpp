// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/family_registry.h"

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
  const auto users = FamilyRegistry::with(acme, "families.toml");
  ASSERT_TRUE(users) << users.error().sentence();
  KeyFacts facts;
  facts.key = "acme:orders:lock:queue";
  facts.type = ValueType::List;
  facts.members = {{"web-1:4711"}, {"web-2:4712"}};
  facts.size = 2;
  const auto byHand = FamilyRegistry::builtIn().recognise(facts);
  ASSERT_TRUE(byHand);
  EXPECT_EQ(byHand->family, "handmade-list") << "as long as nobody said whose it is";
  EXPECT_FALSE((*users)->recognise(facts));
}

class UsersFreeLock : public testing::Test {
protected:
  std::shared_ptr<const FamilyRegistry> users = *FamilyRegistry::with(acme, "families.toml");
  KeyFacts facts;
  void SetUp() override {
    facts.key = "acme:orders:lock";
    facts.type = ValueType::None;
  }
  void stand(std::initializer_list<Member> members) {
    const auto &family = *users->find("acme");
    facts.companion.push_back({.form = &family.companion.front(), .key = "acme:orders:lock:queue", .members = members, .size = members.size(), .ttl = {}});
  }
};

TEST_F(UsersFreeLock, isKnownByThoseWhoWaitYet) {
  stand({{"web-1:4711"}, {"web-2:4712"}});
  const auto row = users->recognise(facts);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->family, "acme");
  EXPECT_EQ(row->type, ValueType::None);
  EXPECT_FALSE(row->isHeld());
  EXPECT_EQ(row->waiters, 2U);
  ASSERT_EQ(row->queue.size(), 2U);
  EXPECT_EQ(row->queue.front().id, "web-1:4711");
  EXPECT_EQ(stateAt(*row, facts.seenAt), LockState::Waiting);
  EXPECT_GE(row->confidence, shownConfidence);
}

TEST_F(UsersFreeLock, isNoneWithoutThem) { EXPECT_FALSE(users->recognise(facts)); }

TEST_F(UsersFreeLock, isNoneUnderAnotherName) {
  stand({{"web-1:4711"}});
  facts.key = "orders:lock";
  EXPECT_FALSE(users->recognise(facts));
}

// Past its end it is no lock, and none of a built-in family either that writes times of another meaning under such names.
TEST(UsersHolds, thatHaveEndedAreNobodyElses) {
  constexpr milliseconds now(1'795'300'000'000);
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", past = std::to_string((now - seconds(2)).count()), pastSeconds = "1795299998";
  const auto rowOf = [&](const std::string &form, ValueType type, const std::string &key, const std::string &entry, const std::string &value) {
    const auto users = FamilyRegistry::with(
        "[[family]]\nslug = \"acme-own\"\nkind = \"semaphore\"\nrelease = \"D\"\n[[family.form]]\n" + form + "confidence = 0.9\n", "families.toml");
    EXPECT_TRUE(users) << users.error().sentence();
    KeyFacts facts;
    facts.key = key;
    facts.type = type;
    facts.serverTime = now;
    facts.size = 1;
    const std::vector<std::pair<std::string, std::string>> fields{{entry, value}};
    if (type == ValueType::Hash)
      facts.fields = fields;
    else
      facts.members = {{entry, value.empty() ? 0 : std::stod(value)}};
    return (*users)->recognise(facts);
  };
  const std::string ofSet = "type = \"zset\"\nkey = \"semaphore:{name}\"\nmember = \"{id}\"\nscore = \"until\"\n";
  EXPECT_FALSE(rowOf(ofSet, ValueType::SortedSet, "semaphore:report", "web1:77", past));
  EXPECT_FALSE(rowOf(ofSet, ValueType::SortedSet, "semaphore:report", uuid, past));
  EXPECT_TRUE(rowOf(ofSet, ValueType::SortedSet, "semaphore:report", uuid, std::to_string((now + seconds(2)).count())));
  const std::string ofList = "type = \"list\"\nkey = \"lock:{name}\"\nmember = \"{host:word}:{until:seconds}\"\n";
  EXPECT_FALSE(rowOf(ofList, ValueType::List, "lock:report", "web1:" + pastSeconds, ""));
  const std::string ofHash = "type = \"hash\"\nkey = \"lock:{name}\"\nfield = \"{id:uuid4}:{thread:digits}\"\nvalue = \"{until:millis}\"\n";
  EXPECT_FALSE(rowOf(ofHash, ValueType::Hash, "lock:report", uuid + ":7", past));
}

// A list, or a sorted set by its order, of which nothing else says who waits.
TEST(UsersQueue, thatIsTheLockItselfIsHeldByItsFirst) {
  const std::string head = "[[family]]\nslug = \"acme-line\"\nrelease = \"D\"\nwaits = \"queue\"\n[[family.form]]\nkey = \"acme:{name}:line\"\n"
                           "member = \"{host:word}:{pid:digits}\"\nconfidence = 0.9\n";
  for (const auto &[type, more] : {std::pair(ValueType::List, "type = \"list\"\n"), {ValueType::SortedSet, "type = \"zset\"\nscore = \"order\"\n"}}) {
    const auto users = FamilyRegistry::with(head + more, "families.toml");
    ASSERT_TRUE(users) << users.error().sentence();
    KeyFacts facts;
    facts.key = "acme:print:line";
    facts.type = type;
    facts.members = {{"web1:12", 1}, {"web2:13", 2}, {"web3:15", 3}};
    facts.size = 1'000'000;
    const auto row = (*users)->recognise(facts);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->family, "acme-line");
    ASSERT_EQ(row->holders.size(), 1U);
    EXPECT_EQ(row->holders.front().id, "web1:12");
    EXPECT_EQ(row->waiters, 999'999U);
    EXPECT_EQ(row->queue.size(), 2U);
    EXPECT_EQ(row->unread, 0U);
    ASSERT_EQ(row->extras.size(), 2U);
    EXPECT_EQ(row->extras.back(), (MetadataEntry{"pid", "12"}));
  }
}

// What only wakes who is blocked there says nothing against those who are.
TEST(UsersQueue, tellsOfAFreeLockByThoseWhoWaitBesideWhatWakesThem) {
  const std::string text = std::string(acme) + "waiters = [\"{host:word}:{pid:number}\"]\nwake = \"!\"\n";
  const auto users = FamilyRegistry::with(text, "families.toml");
  ASSERT_TRUE(users) << users.error().sentence();
  KeyFacts facts;
  facts.key = "acme:orders:lock";
  facts.type = ValueType::None;
  const auto stand = [&](std::vector<Member> members) {
    const auto size = members.size();
    facts.companion = {
        {.form = &(*users)->find("acme")->companion.front(), .key = "acme:orders:lock:queue", .members = std::move(members), .size = size, .ttl = {}}};
    return (*users)->recognise(facts);
  };
  for (const auto &members : std::vector<std::vector<Member>>{{{"web-1:4711"}, {"!"}}, {{"!"}, {"web-1:4711"}}}) {
    const auto row = stand(members);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->waiters, 1U);
  }
  EXPECT_FALSE(stand({{"!"}}));
  EXPECT_FALSE(stand({{"!"}, {"order 17"}}));
}

// What lies beside a lock has a name that the lock's own form fits: it is no lock, whatever lies there.
TEST(UsersBeside, winsOverTheFormsOfItsFamily) {
  const auto mine = FamilyRegistry::with(R"(
[[family]]
slug = "mine"
[[family.form]]
type = "string"
key = "gate:{name}"
value = "{id:any}"
confidence = 0.9
[[family.beside]]
key = "gate:{name}:seq"
type = "string"
role = "fence"
)",
                                         "families.toml");
  ASSERT_TRUE(mine) << mine.error().sentence();
  KeyFacts facts;
  facts.type = ValueType::String;
  facts.key = "gate:17";
  facts.value = "me";
  EXPECT_TRUE((*mine)->recognise(facts));
  facts.key = "gate:17:seq";
  facts.value = "1000";
  EXPECT_FALSE((*mine)->recognise(facts));
}

// Nor is it another's where a form of a user's own names it.
TEST(UsersForm, winsOverWhatWouldLieBesideAnothersLock) {
  const auto mine = FamilyRegistry::with(R"(
[[family]]
slug = "mine"
[[family.form]]
type = "string"
key = "uniquejobs:{name}"
value = "{id:any}"
confidence = 0.9
)",
                                         "families.toml");
  ASSERT_TRUE(mine) << mine.error().sentence();
  const auto isCertain = [](const FamilyRegistry &families, std::string_view key) {
    return std::ranges::any_of(families.ownersOf(key), &FamilyRegistry::Owner::isCertain);
  };
  constexpr auto digest = "uniquejobs:0123456789abcdef0123456789abcdef";
  EXPECT_TRUE(isCertain(FamilyRegistry::builtIn(), digest));
  EXPECT_FALSE(isCertain(**mine, digest));
}

} // namespace
} // namespace lockhouse
