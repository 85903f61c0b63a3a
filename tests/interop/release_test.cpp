// SPDX-License-Identifier: Apache-2.0
// Locks that real libraries hold and wait for: recognised, freed by lockhousectl for their own waiters, lost by those whom they are taken from.
#include "tests/interop/eviction.h"
#include "tests/support/eventually.h"

#include <ostream>

using namespace lockhouse;
using namespace lockhouse::test;
using testing::HasSubstr;
using testing::Not;

namespace lockhouse::test {

void PrintTo(const Contested &lock, std::ostream *out) { *out << lock.library << ", " << lock.kind; }

} // namespace lockhouse::test

namespace {

// Redisson's, whose waiters listen unless something else is said.
Contested redisson(std::string name, std::string kind, std::string family = "redisson-lock", std::string shape = "reentrant") {
  return {.name = std::move(name),
          .library = "redisson",
          .kind = std::move(kind),
          .given = "orders",
          .key = "orders",
          .family = std::move(family),
          .shape = std::move(shape),
          .deep = 2,
          .waiters = 1};
}

// One that does not tell who waits, and whose name has to say that it is a lock.
Contested token(std::string name, std::string library, std::string mayBe, std::string asksWith) {
  return {.name = std::move(name),
          .library = std::move(library),
          .kind = "lock",
          .given = "lock:orders",
          .key = "lock:orders",
          .family = "token",
          .mayBe = std::move(mayBe),
          .isTakenTwice = false,
          .waitsBy = std::move(asksWith)};
}

std::string contestedName(const testing::TestParamInfo<Contested> &lock) { return lock.param.name; }

std::vector<Contested> contested() {
  auto spin = redisson("redissonSpin", "spin");
  spin.waiters = {};
  spin.waitsBy = "exists";
  auto write = redisson("redissonWrite", "write", "redisson-rw", "read-write");
  write.behind = ":write";
  auto group = redisson("redissonGroup", "group", "redisson-multilock", "mutex");
  group.ahead = 23; // the value's hash and a colon
  Contested spring{.name = "springSpin",
                   .library = "spring-integration",
                   .kind = "spin",
                   .given = "orders",
                   .key = "locks:orders",
                   .family = "token",
                   .mayBe = "spring-integration",
                   .waitsBy = "evalsha"};
  auto springPubSub = spring;
  springPubSub.name = "springPubSub";
  springPubSub.kind = "pubsub";
  springPubSub.waitsBy = "channels";
  springPubSub.looksOnlyAtTheEnd = true;
  Contested python{.name = "pythonRedisLock",
                   .library = "python-redis-lock",
                   .kind = "lock",
                   .given = "orders",
                   .key = "lock:orders",
                   .family = "python-redis-lock",
                   .isTakenTwice = false,
                   .waitsBy = "blocked",
                   .looksOnlyAtTheEnd = true};
  Contested rueidis{.name = "rueidislock",
                    .library = "rueidislock",
                    .kind = "lock",
                    .given = "orders",
                    .key = "rueidislock:0:orders",
                    .family = "rueidislock",
                    .isTakenTwice = false,
                    .waitsBy = "set",
                    .tellsWho = false};
  return {redisson("redissonLock", "lock"),
          redisson("redissonFair", "fair", "redisson-fair", "fair"),
          redisson("redissonFenced", "fenced"),
          std::move(spin),
          std::move(write),
          std::move(group),
          token("redisPy", "redis-py", "redis-py", "set"),
          token("nodeRedlock", "node-redlock", "node-redlock", "exists"),
          token("redsync", "redsync", "redsync", "set"),
          std::move(python),
          std::move(rueidis),
          std::move(spring),
          std::move(springPubSub)};
}

} // namespace

class ReleaseOf : public Eviction, public testing::WithParamInterface<Contested> {
protected:
  void SetUp() override { start(lock().library); }

  const Contested &lock() const { return GetParam(); }
  Foreign::Answer theirs(const std::string &whose, const std::string &verb, const std::string &more = "") {
    return asked(whose, lock().kind + " " + verb + " " + lock().given + more);
  }
  /// By one, as often as `deep` or its library allows.
  void take(const std::string &length) {
    for (int i = 0; i < (lock().isTakenTwice ? 2 : 1); ++i) {
      const auto taken = theirs("one", "take", length);
      ASSERT_TRUE(taken.ok()) << taken.text;
    }
  }
  /// By two, who has begun to.
  std::future<Foreign::Answer> wait(std::chrono::milliseconds limit) {
    const auto before = lock().waiters ? 0 : calls(lock().waitsBy);
    auto waiting = ask("two", lock().kind + " wait " + lock().given + lease + " " + std::to_string(limit.count()));
    EXPECT_TRUE(eventually([&] { return hasBegunToWait(before); })) << "nobody waits";
    return waiting;
  }
  /// Shown by list; blocked; listening where list does not tell; or refused once, which is seen by a command that is run for each ask.
  bool hasBegunToWait(std::int64_t callsBefore) {
    if (lock().waiters) {
      const auto locks = listed();
      return locks.size() == 1 && locks[0]["waiters"] == *lock().waiters;
    }
    if (lock().waitsBy == "blocked")
      return redis({"INFO", "clients"}).text()->find("blocked_clients:1") != std::string_view::npos;
    if (lock().waitsBy == "channels")
      return !redis({"PUBSUB", "CHANNELS"}).array().empty();
    return calls(lock().waitsBy) > callsBefore;
  }

  /// What list and show tell is this owner's hold.
  void expectHeldBy(const std::string &whose, int count) {
    EXPECT_EQ(listed().size(), 1U) << listed().dump();
    const auto shown = seen(lock().key);
    ASSERT_TRUE(shown.is_object());
    const auto who = lock().tellsWho ? theirs(whose, "who").text : text(lock().key);
    const auto holder = holderOf(shown);
    EXPECT_TRUE(holder.ends_with(who + lock().behind) && holder.size() == lock().ahead + who.size() + lock().behind.size()) << holder << " is not " << who;
    EXPECT_EQ(shown["holders"].size(), 1U);
    EXPECT_EQ(shown["holders"][0]["count"], count);
  }

  void expectRecognised() {
    const auto shown = seen(lock().key);
    ASSERT_TRUE(shown.is_object());
    EXPECT_EQ(shown["family"], lock().family);
    EXPECT_EQ(shown["kind"], lock().shape);
    EXPECT_EQ(shown["waiters"], lock().waiters ? nlohmann::json(*lock().waiters) : nlohmann::json(nullptr));
    EXPECT_EQ(shown["state"], lock().waiters ? "contended" : "held");
    EXPECT_TRUE(lock().mayBe.empty() || shown["may_be"].dump().find('"' + lock().mayBe + '"') != std::string::npos) << shown["may_be"];
    EXPECT_GT(shown["ttl_ms"], std::chrono::milliseconds(leaseLength / 2).count());
    EXPECT_THAT(shown["queue"], testing::SizeIs(lock().shape == "fair" ? 1 : 0));
  }
};
INSTANTIATE_TEST_SUITE_P(Every, ReleaseOf, testing::ValuesIn(contested()), contestedName);

TEST_P(ReleaseOf, aHeldLockLetsItsWaiterInAtOnceAndTheEvictedHolderHarmsNobody) {
  ASSERT_NO_FATAL_FAILURE(take(lease));
  auto waiting = wait(waitLimit);
  expectRecognised();
  ASSERT_NO_FATAL_FAILURE(expectHeldBy("one", lock().deep));

  const auto holder = holderOf(seen(lock().key));
  const auto plan = planned(lock().key, holder);
  EXPECT_TRUE(plan["verdict"].is_null() && plan["plan"].is_object()) << plan.dump();
  EXPECT_THAT(risksOf(plan), Not(HasSubstr(unconditionalUnlock))) << "it does no such thing, as is seen below";
  EXPECT_EQ(waiting.wait_for(std::chrono::seconds(0)), std::future_status::timeout) << "a plan has changed something";

  const auto freed = SharedClock::now();
  const auto result = released(lock().key, holder);
  EXPECT_EQ(result["verdict"], "released") << result.dump();
  const auto taken = waiting.get();
  ASSERT_TRUE(taken.ok()) << taken.text;
  EXPECT_GE(taken.at, freed) << "both are inside";
  EXPECT_LT(taken.at - freed, waitLimit / 2) << result["detail"];
  ASSERT_NO_FATAL_FAILURE(expectHeldBy("two", 1));

  for (int i = 0; i < (lock().isTakenTwice ? 2 : 1); ++i)
    EXPECT_NE(theirs("one", "give").kind, Foreign::Answer::Kind::Error);
  ASSERT_NO_FATAL_FAILURE(expectHeldBy("two", 1)) << "the evicted holder's unlock has harmed the next one";
  const auto given = theirs("two", "give");
  EXPECT_TRUE(given.ok()) << given.text;
  EXPECT_TRUE(eventually([&] { return listed().empty(); })) << listed().dump();
}

TEST_P(ReleaseOf, nobodyIsNeededWhenAHolderWhoseProcessEndedHasLostItsLease) {
  constexpr std::chrono::seconds shortLease{5};
  ASSERT_NO_FATAL_FAILURE(take(" " + std::to_string(std::chrono::milliseconds(shortLease).count())));
  const auto lost = holderOf(seen(lock().key));
  auto waiting = wait(lock().looksOnlyAtTheEnd ? 2 * shortLease : waitLimit);
  endProcess("one");
  CtlProcess watch(withUrl({"watch", "--json", "--for", "60"}), m_environment);
  const auto taken = waiting.get();
  ASSERT_TRUE(taken.ok()) << taken.text;
  if (lock().kind == "group" && redis({"EXISTS", lock().key}).integer() == 0) { // its script gives a key no new lease of which less than 1 ms is left
    const auto again = theirs("two", "take", lease);
    ASSERT_TRUE(again.ok()) << again.text;
  }
  ASSERT_NO_FATAL_FAILURE(expectHeldBy("two", 1));
  const auto next = holderOf(seen(lock().key));
  std::string last;
  while (last != next) {
    const auto line = watch.line();
    if (line.empty())
      break;
    const auto change = nlohmann::json::parse(line);
    if (change["key"] == lock().key && change["after"].is_object())
      last = holderOf(change["after"]);
  }
  EXPECT_EQ(last, next) << "watch did not tell of the next holder";
  const auto refused = released(lock().key, lost);
  EXPECT_EQ(refused["verdict"], "changed") << refused.dump();
  EXPECT_TRUE(theirs("two", "give").ok());
}
