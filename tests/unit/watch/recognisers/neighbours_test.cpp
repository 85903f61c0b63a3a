// SPDX-License-Identifier: Apache-2.0
// Libraries that are known by a namespace, or by what lies beside a lock whose token is anybody's.
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

using testing::Contains;

const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";

KeyFacts stringAt(std::string_view key, std::string value, bool isLeased) {
  KeyFacts facts;
  facts.key = key;
  facts.type = ValueType::String;
  facts.value = std::move(value);
  facts.ttl = isLeased ? std::optional(milliseconds(20'000)) : std::nullopt;
  facts.serverTime = corpusTime;
  facts.seenAt = SteadyTime(seconds(50));
  return facts;
}

void addCompanion(KeyFacts &facts, std::string_view slug, Role role) {
  const auto *family = FamilyRegistry::builtIn().find(slug);
  const auto form = std::ranges::find(family->companion, role, &CompanionKey::role);
  facts.companion.push_back(
      {.form = &*form, .key = companionName(*family, form->key, facts.key).value_or(""), .value = {}, .members = {}, .size = 1, .ttl = {}});
}

std::string extraOf(const LockRecord &lock, std::string_view name) {
  const auto found = std::ranges::find(lock.extras, name, &MetadataEntry::name);
  return found == lock.extras.end() ? std::string("nothing") : found->value;
}

TEST(Resque, keepsItsLocksInANamespaceOfItsOwn) {
  for (const auto *key : {"resque:loner:lock:UpdateJob", "resque:lock:UpdateJob:1", "app:resque:loner:lock:UpdateJob:1"})
    for (const auto *value : {"true", "1795300040"}) {
      const auto lock = recognise(stringAt(key, value, false));
      ASSERT_TRUE(lock) << key;
      EXPECT_EQ(lock->family, "resque-lock") << key << " " << value;
      EXPECT_GE(lock->confidence, shownConfidence);
      EXPECT_EQ(lock->expiresAt.has_value(), value != std::string_view("true")) << key;
    }
}

TEST(BullJob, isKnownUnderAnyPrefixByTheJobBesideIt) {
  auto facts = stringAt("{bull}:vid:9:lock", uuid, true);
  EXPECT_EQ(recognise(facts)->family, "token");
  addCompanion(facts, "bull-job", Role::Support);
  EXPECT_EQ(recognise(facts)->family, "bull-job");
  EXPECT_EQ(extraOf(*recognise(facts), "queue"), "vid");
}

TEST(BullJob, thatIsRepeatedIsOfTheQueueThatNamesIt) {
  const std::string job = "repeat:0cc175b9c0f1b6a831c399e269772661:1795300000000";
  for (const auto &[token, family] : {std::pair{uuid + ":3", "bullmq-job"}, {uuid, "bull-job"}}) {
    const auto name = "bull:mail:" + job + ":lock";
    const auto lock = recognise(stringAt(name, token, true));
    ASSERT_TRUE(lock);
    EXPECT_EQ(lock->family, family);
    EXPECT_EQ(extraOf(*lock, "queue"), "mail");
    EXPECT_EQ(extraOf(*lock, "job"), job);
  }
}

TEST(PythonLocks, areKnownByTheListThatWakesTheirWaitersWhateverTheirToken) {
  for (const auto *slug : {"python-redis-lock", "walrus"})
    for (const std::string &token : {std::string("host-7"), std::string("myid"), uuid}) {
      auto facts = stringAt("lock:nightly", token, true);
      EXPECT_NE(recognise(facts)->family, slug);
      EXPECT_THAT(recognise(facts)->mayBe, Contains(slug)) << token << ": of its caller's own";
      addCompanion(facts, slug, Role::Signal);
      ASSERT_TRUE(recognise(facts));
      EXPECT_EQ(recognise(facts)->family, slug) << token;
    }
}

TEST(PythonLocks, areWaitedForByNobodyWhereNoneIsBlockedOnlyIfNoOtherLibraryWritesSo) {
  for (const auto &[token, waiters] : {std::pair{"Zk9xT2w3dFp1R2+YcW5K/JbQ", std::optional<std::uint64_t>(0)}, {"abcdefghijkLMNOPQRstuvwX", std::nullopt}}) {
    auto facts = stringAt("lock:nightly", token, true);
    facts.blockedClients = 0;
    const auto lock = recognise(facts);
    ASSERT_TRUE(lock);
    EXPECT_EQ(lock->family, "python-redis-lock") << token;
    EXPECT_EQ(lock->waiters, waiters) << token;
  }
}

TEST(HandoffLock, saysThatTheFirstOfItsHoldersClientMayHaveHadIt) {
  const auto family = FamilyRegistry::builtIn().find("lockhouse-handoff");
  const auto queue = std::ranges::find(family->companion, Role::Queue, &CompanionKey::role);
  const std::string other = "077c4ce6-3120-4a8a-8d87-051cb3e3fc7f";
  const auto saidOf = [&](const std::vector<std::string> &waiters) {
    auto facts = stringAt("desk", uuid + ":1:1795255200123401", true);
    facts.companion.push_back(
        {.form = &*queue, .key = companionName(*family, queue->key, facts.key).value_or(""), .value = {}, .members = {}, .size = waiters.size(), .ttl = {}});
    for (const auto &waiter : waiters)
      facts.companion.back().members.push_back({waiter, 1});
    const auto lock = recognise(facts);
    return lock && lock->family == "lockhouse-handoff" && lock->waiters == waiters.size() ? testing::PrintToString(englishOf(lock->evidence)) : "another";
  };
  using testing::HasSubstr;
  EXPECT_THAT(saidOf({uuid + ":2", uuid + ":3", other + ":1"}), HasSubstr("of the first in the queue, 2\""));
  EXPECT_THAT(saidOf({uuid + ":2", uuid + ":3", uuid + ":4", uuid + ":5"}), HasSubstr("of the first in the queue, 3\""));
  EXPECT_THAT(saidOf({other + ":1", uuid + ":2"}), testing::AllOf(testing::Not(HasSubstr("another")), testing::Not(HasSubstr("of the first"))));
}

TEST(Lock4j, mayHaveAnyPrefix) {
  EXPECT_THAT(recognise(stringAt("acme-lock:com.acme.X.y#1", "5b1c0a3e6f0d4f1a9c582f4f0e7a1b01", true))->mayBe, Contains("lock4j"));
}

TEST(Lock4j, mayBeALockOfRedissonsUnderItsName) {
  KeyFacts facts;
  facts.key = "lock4j:com.acme.X.y#1";
  facts.type = ValueType::Hash;
  facts.fields = {{uuid + ":7", "1"}};
  facts.size = 1;
  facts.ttl = seconds(20);
  facts.serverTime = corpusTime;
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "redisson-lock");
  EXPECT_THAT(lock->mayBe, Contains("lock4j"));
}

TEST(SidekiqUniqueJobs, knowsTheMarkerOfADigestInANamespace) {
  const std::string digest = "app:uniquejobs:1f836320adb98bab1686a28d9801210c";
  const auto owners = FamilyRegistry::builtIn().ownersOf(digest);
  EXPECT_THAT(owners, Contains(testing::Field(&FamilyRegistry::Owner::lock, digest + ":LOCKED")));
}

TEST(SetnxByHand, endsWhenItsValueSays) {
  const auto of = [](std::string value) { return recognise(stringAt("lock:gs", std::move(value), false)); };
  for (const auto *value : {"1795300030", "1795300030000", "1795300030.5"}) {
    const auto lock = of(value);
    ASSERT_TRUE(lock) << value;
    EXPECT_EQ(lock->family, "setnx-legacy");
    ASSERT_TRUE(lock->expiresAt) << value;
    EXPECT_GE(*lock->expiresAt, SteadyTime(seconds(80)));
    EXPECT_LE(*lock->expiresAt, SteadyTime(seconds(81)));
    EXPECT_THAT(extraOf(*lock, "until"), testing::StartsWith("2026-11-2"));
  }
  const auto over = of("1795200000");
  ASSERT_TRUE(over);
  EXPECT_EQ(stateAt(*over, over->seenAt), lockhouse::LockState::Suspect);
  EXPECT_EQ(timeLeft(*over, over->seenAt), milliseconds(0));
  EXPECT_THAT(englishOf(over->evidence), Contains("the time that it names is past: its end, or when a hold without end began"));
}

} // namespace
} // namespace lockhouse::test
