// SPDX-License-Identifier: Apache-2.0
// families, families of one's own, and what can be done to the locks of other libraries: shorten, release --all.
#include "tests/server/ctl/ctl_house.h"

#include <fstream>

namespace lockhouse {
namespace {

using test::owner;
using test::token;
using testing::HasSubstr;

class FamiliesVerb : public test::CtlHouse {
protected:
  std::string write(std::string_view text) const {
    const auto path = m_server.folder() + "/families.toml";
    std::ofstream(path) << text;
    return path;
  }
};

TEST_F(FamiliesVerb, listsEveryFamilyWithItsEvidence) {
  const auto all = json({"families"})["families"];
  EXPECT_GE(all.size(), 80U);
  for (const auto &family : all) {
    EXPECT_FALSE(family["about"].get<std::string>().empty()) << family["slug"];
    EXPECT_FALSE(family["release_words"].empty()) << family["slug"];
    EXPECT_FALSE(family["forms"].empty()) << family["slug"];
  }
  const auto text = ctl({"families"});
  EXPECT_EQ(text.code, 0);
  for (const auto *slug : {"redisson-semaphore", "python-redis-lock", "bullmq-job", "laravel", "symfony", "rueidislock", "shedlock", "setnx-legacy"})
    EXPECT_THAT(text.out, HasSubstr(slug));
}

TEST_F(FamiliesVerb, tellsAllAboutOne) {
  const auto page = ctl({"families", "shedlock"}).out;
  for (const auto *part : {"ShedLock (Java)", "ADDED:{since:iso}@{host:text}:{id:uuid}", "whatever lies there", "safeUpdate"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(failed(ctl({"families", "nobodys"}), 2), HasSubstr("no family \"nobodys\""));
  EXPECT_THAT(ctl({"families", "handmade-zset"}).out, testing::AllOf(HasSubstr("score until\n"), HasSubstr("score until_s\n")));
  EXPECT_THAT(ctl({"families", "--shapes"}).out, HasSubstr("hexuuid1"));
}

TEST_F(FamiliesVerb, tellsTheChannelsOfEveryVersion) {
  const auto spring = json({"families", "spring-integration"})["families"][0];
  EXPECT_EQ(spring["channel"], "{registry:parts}-channel");
  EXPECT_EQ(spring["also_channel"], "{registry:parts}-channel:{lock}");
  const auto page = ctl({"families", "spring-integration"}).out;
  EXPECT_THAT(page, HasSubstr("{registry:parts}-channel\n"));
  EXPECT_THAT(page, HasSubstr("{registry:parts}-channel:{lock}\n"));
  EXPECT_EQ(spring["repeats_holder"], true);
  EXPECT_EQ(json({"families", "redsync"})["families"][0]["repeats_holder"], false);
  EXPECT_THAT(page, HasSubstr("one cannot be told from the next"));
  EXPECT_EQ(json({"families", "redisson-lock"})["families"][0]["also_channel"], "redisson_lock__channel__{{{lock}}}");
  EXPECT_TRUE(json({"families", "shedlock"})["families"][0]["also_channel"].is_null());
}

TEST_F(FamiliesVerb, ofOnesOwnAreShownAndReleased) {
  const auto path = write("[[family]]\nslug = \"acme-gate\"\n[[family.form]]\ntype = \"string\"\nkey = \"acme:{name}\"\nvalue = \"{host:word}/{pid:digits}\"\n"
                          "confidence = 0.9\nevidence = \"a gate\"\n");
  redis({"SET", "acme:7", "web-1/4711", "PX", "60000"});
  EXPECT_TRUE(json({"list"})["locks"].empty()) << "without the file it is data";
  const auto locks = json({"list", "--families", path})["locks"];
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]["family"], "acme-gate");
  EXPECT_EQ(locks[0]["extras"]["host"], "web-1");
  EXPECT_EQ(ctl({"release", "acme:7", "--holder", "web-1/4711", "--reason", "x", "--apply", "--families", path}).code, 0);
  EXPECT_EQ(redis({"EXISTS", "acme:7"}).integer(), 0);
}

TEST_F(FamiliesVerb, ofOnesOwnAreFoundByTheKeysBesideThem) {
  const auto path = write("[[family]]\nslug = \"acme-gate\"\n[[family.form]]\ntype = \"string\"\nkey = \"acme:{name}\"\nvalue = \"{host:word}/{pid:digits}\"\n"
                          "confidence = 0.9\nevidence = \"a gate\"\n[[family.beside]]\nkey = \"acme-queue:{name}\"\ntype = \"list\"\nrole = \"signal\"\n");
  redis({"SET", "acme:7", "web-1/4711", "PX", "60000"});
  EXPECT_EQ(json({"list", "--filter", "acme-queue:7", "--families", path})["locks"].size(), 1U);
  EXPECT_EQ(ctl({"release", "--filter", "acme-queue:7", "--reason", "x", "--apply", "--families", path}).code, 0);
  EXPECT_EQ(redis({"EXISTS", "acme:7"}).integer(), 0);
}

TEST_F(FamiliesVerb, aBadEntryIsToldWithFileAndLine) {
  const auto path = write("[[family]]\nslug = \"acme-gate\"\n[[family.form]]\ntype = \"stream\"\nconfidence = 0.9\n");
  const auto said = failed(ctl({"list", "--families", path}), 2);
  EXPECT_THAT(said, HasSubstr("families.toml:4"));
  EXPECT_THAT(said, HasSubstr("'stream' is no type"));
  EXPECT_THAT(failed(ctl({"list", "--families", m_server.folder() + "/none.toml"}), 2), HasSubstr("none.toml"));
}

TEST_F(FamiliesVerb, keysThatBelongToALockAreNoRows) {
  redis({"SET", "lock:stock", "Zk9xT2w3dFp1R2hYc0pLbWJ2"});
  redis({"RPUSH", "lock-signal:stock", "1"});
  redis({"SET", "lock:owner:a", "web-1:4711"});
  redis({"SET", "lock:expire:a", "1795300000"}); // over, and the lock's all the same
  redis({"SET", "lock:owner:b", "web-1:4712"});
  redis({"SET", "lock:expire:b", "4000000000"});
  const std::string votes("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
  for (const auto *key : {"rueidislock:1:job", "rueidislock:2:job"})
    redis({"SET", key, votes, "PX", "60000"});
  redis({"SADD", "book.readers", "web-1_4711_3f786850e387550fdab836ed7e6dc881"});
  redis({"HSET", "uniquejobs:3f786850e387550fdab836ed7e6dc881:LOCKED", "3f786850e387550fdab836ed", "1795300000.5"});
  redis({"RPUSH", "uniquejobs:3f786850e387550fdab836ed7e6dc881:QUEUED", "aa786850e387550fdab836ed"});
  redis({"SET", "uniquejobs:3f786850e387550fdab836ed7e6dc881", "3f786850e387550fdab836ed"});
  std::vector<std::string> rows;
  const auto list = json({"list", "--all"});
  for (const auto &lock : list["locks"])
    rows.push_back(lock["family"].get<std::string>() + " " + lock["key"].get<std::string>());
  EXPECT_THAT(rows, testing::UnorderedElementsAre("python-redis-lock lock:stock", "mlanett-redis-lock lock:owner:a", "mlanett-redis-lock lock:owner:b",
                                                  "rueidislock rueidislock:0:job", "distributedlock-rw book.writer",
                                                  "sidekiq-unique-jobs uniquejobs:3f786850e387550fdab836ed7e6dc881:LOCKED"));
}

TEST_F(FamiliesVerb, aRueidislockUnderAPrefixOfItsUsersIsOneRowAndFreedWhole) {
  const std::string votes("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
  for (const auto *asked : {"rl:0:orders", "rl:2:orders", ""}) {
    for (const auto *key : {"rl:0:orders", "rl:1:orders", "rl:2:orders"})
      redis({"SET", key, votes, "PX", "60000"});
    const auto list = json({"list", "--all"});
    ASSERT_EQ(list["locks"].size(), 1U) << list;
    EXPECT_EQ(list["locks"][0]["key"], "rl:0:orders");
    EXPECT_EQ(list["locks"][0]["family"], "rueidislock");
    const auto id = list["locks"][0]["holders"][0]["id"].get<std::string>();
    const auto shown = json({"show", "rl:2:orders"});
    EXPECT_EQ(shown["beside"]["role"], "member") << shown;
    std::vector<std::string> words{"release"};
    for (const auto *word : {asked, "--holder"})
      if (*word != 0)
        words.emplace_back(word);
    if (*asked == 0)
      words = {"release", "--all", "--holder"};
    words.insert(words.end(), {id, "--reason", "stuck", "--apply", "--json"});
    const auto ended = ctl(words);
    EXPECT_EQ(ended.code, 0) << ended.err << ended.out;
    EXPECT_EQ(redis({"EXISTS", "rl:0:orders", "rl:1:orders", "rl:2:orders"}).integer(), 0) << asked;
  }
}

TEST_F(FamiliesVerb, aLeaseIsShortened) {
  redis({"SET", "lock:a", token, "PX", "600000"});
  const std::vector<std::string> words{"shorten", "lock:a", "--holder", token, "--reason", "x", "--to", "60000"};
  auto plan = words, apply = words;
  plan.emplace_back("--plan");
  apply.emplace_back("--apply");
  EXPECT_THAT(ctl(plan).out, HasSubstr("end in 1 min"));
  EXPECT_GT(redis({"PTTL", "lock:a"}).integer(), 60'000);
  EXPECT_EQ(json(apply)["results"][0]["verdict"], "shortened");
  EXPECT_LE(redis({"PTTL", "lock:a"}).integer(), 60'000);
  EXPECT_THAT(failed(ctl({"shorten", "lock:a", "--holder", token, "--reason", "x", "--plan"}), 2), HasSubstr("--to"));
}

TEST_F(FamiliesVerb, aLockWithAnEmptyValueIsReleased) {
  redis({"SET", "books~lock", ""});
  EXPECT_EQ(json({"list"})["locks"].size(), 1U);
  EXPECT_EQ(ctl({"release", "books~lock", "--holder", "", "--reason", "x", "--apply"}).code, 0);
  EXPECT_EQ(redis({"EXISTS", "books~lock"}).integer(), 0);
}

TEST_F(FamiliesVerb, groupsOfLockedValuesAndShortValuesOfOnesOwnAreFound) {
  const std::string value = "q83vEjRWeJCrze8SNFZ4kA", first = value + ":" + owner;
  const std::string end = first + ":expire_time", count = first + ":lock_count";
  ASSERT_EQ(redis({"HSET", "group", value, owner, end, "1895300000000", count, "1"}).integer(), 3);
  EXPECT_EQ(json({"list"})["locks"].at(0)["family"], "redisson-multilock");
  const auto path = write("[[family]]\nslug = \"acme-short\"\n[[family.form]]\ntype = \"string\"\nvalue = \"acme/{pid:digits}\"\nconfidence = 0.9\n");
  redis({"SET", "foo1", "acme/12"});
  EXPECT_EQ(json({"list", "--families", path})["locks"].size(), 2U);
}

TEST_F(FamiliesVerb, everythingOfAHolderIsReleased) {
  redis({"HSET", "stock", owner, "2"});
  redis({"HSET", "order", owner, "1"});
  redis({"SET", "lock:other", token});
  const std::vector<std::string> words{"release", "--all", "--holder", owner, "--reason", "web-3 is gone"};
  auto plan = words, apply = words;
  plan.emplace_back("--plan");
  apply.emplace_back("--apply");
  EXPECT_EQ(json(plan)["results"].size(), 2U);
  EXPECT_EQ(redis({"EXISTS", "stock", "order"}).integer(), 2);
  const auto results = json(apply)["results"];
  ASSERT_EQ(results.size(), 2U);
  for (const auto &result : results)
    EXPECT_EQ(result["verdict"], "released") << result;
  EXPECT_EQ(redis({"EXISTS", "stock", "order"}).integer(), 0);
  EXPECT_EQ(redis({"EXISTS", "lock:other"}).integer(), 1);
  EXPECT_THAT(failed(ctl(apply), 5), HasSubstr("holds nothing"));
}

TEST_F(FamiliesVerb, ofEverythingOfAHolderIsSaidWhatMayBeNoLockAndStays) {
  for (const auto *key : {"lock:z", "session:42"}) {
    redis({"HSET", key, owner, "1"});
    redis({"PEXPIRE", key, "3600000"});
  }
  constexpr auto told =
      " has what looks like data, not like a lock, too, which stays as it is: session:42; where you know that it is one, give that KEY with --all";
  for (const auto *way : {"--plan", "--apply"}) {
    redis({"HSET", "lock:z", owner, "1"});
    redis({"PEXPIRE", "lock:z", "3600000"});
    const std::vector<std::string> words{"release", "--all", "--holder", owner, "--reason", "web-3 is gone", way};
    const auto text = ctl(words);
    EXPECT_EQ(text.code, 0);
    EXPECT_THAT(text.err, HasSubstr(told));
    redis({"HSET", "lock:z", owner, "1"});
    redis({"PEXPIRE", "lock:z", "3600000"});
    EXPECT_THAT(json(words)["warnings"].dump(), HasSubstr(told));
  }
  EXPECT_EQ(redis({"EXISTS", "session:42"}).integer(), 1);
  EXPECT_THAT(failed(ctl({"release", "--all", "--holder", owner, "--plan"}), 5), HasSubstr("has only what looks like data, not like a lock, as session:42;"));
  redis({"HSET", "lock:z", owner, "1"});
  redis({"PEXPIRE", "lock:z", "3600000"});
  EXPECT_THAT(ctl({"release", "--all", "--holder", owner, "--filter", "lock:", "--plan"}).err, testing::Not(HasSubstr("session:42"))) << "these were asked for";
}

TEST_F(FamiliesVerb, everythingOfAHolderIsReleasedWhereHeLiesBeyondWhatIsRead) {
  const auto uuid = [](int i) { return "5b1c0a3e-6f0d-4f1a-9c58-" + std::to_string(100'000'000'000 + i); };
  const auto now = std::stoll(std::string(*redis({"TIME"}).array().at(0).text())) * 1000;
  std::string mine; // of nobody's first thousand
  for (int i = 0; i < 3000; ++i) {
    redis({"ZADD", "semaphore:big", std::to_string(now + i), uuid(i) + "_0", std::to_string(now + i), uuid(i) + "_1"});
    redis({"ZADD", "semaphore:other", std::to_string(now + i), uuid(i + 10'000)});
    redis({"HSET", "rw", "mode", "read", uuid(i) + ":1", "2"});
  }
  const auto shown = json({"show", "rw"})["locks"].at(0)["holders"].dump();
  for (int i = 1300; i < 1700 && mine.empty(); ++i)
    if (!shown.contains(uuid(i)))
      mine = uuid(i);
  ASSERT_FALSE(mine.empty());
  const std::vector<std::string> words{"release", "--all", "--holder", mine, "--reason", "web-3 is gone"};
  auto plan = words, apply = words;
  plan.emplace_back("--plan");
  apply.emplace_back("--apply");
  const auto planned = json(plan)["results"];
  ASSERT_EQ(planned.size(), 1U) << "and none of semaphore:other";
  EXPECT_EQ(planned[0]["key"], "semaphore:big");
  EXPECT_EQ(planned[0]["plan"]["expect"]["count"], 2) << planned;
  EXPECT_FALSE(planned.dump().contains("is not among the entries")) << "it was asked for: " << planned;
  EXPECT_EQ(json(apply)["results"][0]["verdict"], "released");
  EXPECT_EQ(redis({"ZCARD", "semaphore:big"}).integer(), 5998);
  EXPECT_THAT(failed(ctl(apply), 5), HasSubstr("holds nothing"));
  const std::vector<std::string> thread{"release", "--all", "--holder", mine + ":1", "--reason", "web-3 is gone", "--apply"};
  constexpr auto unread = "holds that were not read: whether some of them are of this holder is not known"; // under other names of his
  auto told = thread;
  told.back() = "--plan";
  EXPECT_THAT(json(told)["warnings"].dump(), HasSubstr(unread));
  const auto read = ctl(thread);
  EXPECT_EQ(read.code, 0) << read.err;
  EXPECT_THAT(read.out, HasSubstr("1 of 1 done"));
  EXPECT_THAT(read.err, HasSubstr(unread));
  EXPECT_EQ(redis({"HLEN", "rw"}).integer(), 3000);
  EXPECT_THAT(ctl({"release", "semaphore:other", "--holder", uuid(1), "--reason", "x", "--plan"}).err, HasSubstr("this holder no longer holds it"));
}

TEST_F(FamiliesVerb, everythingOfAThreadIsReleasedWhateverItsHoldsAreNamed) {
  const auto write = owner + std::string(":write"), transaction = owner + std::string(":0123456789ABCDEF0123456789ABCDEF"),
             neighbour = owner + std::string("1");
  const auto value = "q83vEjRWeJCrze8SNFZ4kA:" + std::string(owner);
  redis({"HSET", "writes", "mode", "write", write, "1"});
  redis({"HSET", "both", "mode", "write", write, "1", owner, "2"});
  redis({"HSET", "buys", transaction, "1"});
  redis({"HSET", "group", "q83vEjRWeJCrze8SNFZ4kA", owner, value + ":expire_time", "1895300000000", value + ":lock_count", "1"});
  redis({"HSET", "shared", "mode", "read", owner, "1", neighbour, "1"});
  const auto results = json({"release", "--all", "--holder", owner, "--reason", "web-3 is gone", "--apply"})["results"];
  EXPECT_EQ(results.size(), 6U) << results;
  for (const auto &result : results)
    EXPECT_EQ(result["verdict"], "released") << result;
  EXPECT_EQ(redis({"EXISTS", "writes", "both", "buys", "group"}).integer(), 0);
  EXPECT_EQ(*redis({"HGET", "shared", neighbour}).bulk(), "1");
  EXPECT_EQ(redis({"HLEN", "shared"}).integer(), 2);
}

TEST_F(FamiliesVerb, whatAFilterLetsThroughIsReleasedAndNothingElse) {
  for (const auto *key : {"job:1", "job:2", "job:3"})
    redis({"HSET", key, owner, "1"});
  redis({"HSET", "stock", owner, "1"});
  redis({"SET", "lock:job", token, "PX", "60000"});
  EXPECT_EQ(json({"list", "--filter", "family:redisson job"})["locks"].size(), 3U);
  std::vector<std::string> words{"release", "--filter", "family:redisson job", "--reason", "the fleet is gone"};
  auto plan = words, apply = words;
  plan.emplace_back("--plan");
  apply.emplace_back("--apply");
  EXPECT_THAT(ctl(plan).out, testing::AllOf(HasSubstr("3 of 3 would be freed"), HasSubstr("job:2"), HasSubstr("never expires"),
                                            testing::Not(HasSubstr("\nstock")), HasSubstr("its holder has other keys here too: stock (all of them)")));
  EXPECT_EQ(redis({"EXISTS", "job:1", "job:2", "job:3"}).integer(), 3);
  EXPECT_THAT(ctl(apply).out, HasSubstr("3 of 3 done"));
  EXPECT_EQ(redis({"EXISTS", "job:1", "job:2", "job:3"}).integer(), 0);
  EXPECT_EQ(redis({"EXISTS", "stock", "lock:job"}).integer(), 2);
  EXPECT_EQ(json({"audit", "--verify"})["verified"], 2) << "one intent and one outcome of three locks";
  EXPECT_THAT(ctl({"audit"}).out, testing::AllOf(HasSubstr("  job:1 and 2 more  "), testing::Not(HasSubstr("3 locks"))));
  EXPECT_THAT(failed(ctl(apply), 5), HasSubstr("lets no hold through"));
  EXPECT_THAT(ctl({"list", "--filter", "state:waiting"}).out, HasSubstr("lets no lock through"));
}

TEST_F(FamiliesVerb, whatThisUserMayNotReleaseIsNotSaidToBeFreed) {
  redis({"HSET", "job:1", owner, "1"});
  redis({"SET", "lock:job", token, "PX", "60000"});
  redis({"ACL", "SETUSER", "default", "-publish"});
  std::vector<std::string> words{"release", "--filter", "job", "--reason", "the fleet is gone", "--plan"};
  EXPECT_THAT(ctl(words).out, testing::AllOf(HasSubstr("1 of 2 would be freed"),
                                             HasSubstr("this user lacks rights, so this would be refused: PUBLISH redisson_lock__channel:{job:1}")));
  EXPECT_THAT(ctl(words).out, testing::Not(HasSubstr("risk     this user lacks rights"))) << "its line says so";
  EXPECT_THAT(ctl({"shorten", "--to", "1000", "--filter", "job", "--reason", "x", "--plan"}).out,
              testing::AllOf(HasSubstr("1 of 2 would be shortened by --apply"), HasSubstr("PUBLISH redisson_lock__channel:{job:1}")));
  const auto results = json(words)["results"];
  ASSERT_EQ(results.size(), 2U);
  for (const auto &result : results)
    EXPECT_EQ(result["plan"]["refusal"].is_null(), result["key"] == "lock:job") << result;
}

TEST_F(FamiliesVerb, progressSaysWhatIsPlannedAndThatNothingIsSentYet) {
  for (const auto *key : {"job:1", "job:2"})
    redis({"HSET", key, owner, "1"});
  redis({"CLIENT", "PAUSE", "2500", "WRITE"}); // what asks for the rights is a script, which waits
  const auto ended = ctl({"release", "--filter", "job", "--reason", "the fleet is gone", "--apply"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("planning: all 2 read, the rights to release them are asked for, nothing is sent yet"));
  EXPECT_THAT(ended.out, HasSubstr("2 of 2 done"));
}

TEST_F(FamiliesVerb, aFilterThatLooksLikeAnotherIsDoubted) {
  redis({"SET", "lock:order:42", token, "PX", "60000"});
  redis({"SET", "bogus:lock", token, "PX", "60000"});
  EXPECT_EQ(ctl({"list", "--filter", "order:42"}).err, "") << "names are full of colons";
  EXPECT_THAT(ctl({"list", "--filter", "famly:redisson"}).err, HasSubstr("\"famly\" is no word of a filter"));
  EXPECT_EQ(ctl({"list", "--filter", "\"famly:redisson\""}).err, "") << "in quotes it is text";
  EXPECT_THAT(failed(ctl({"release", "--filter", "!famly:redisson", "--reason", "x", "--apply"}), 5), HasSubstr("no word of a filter"));
  EXPECT_EQ(redis({"EXISTS", "lock:order:42", "bogus:lock"}).integer(), 2) << "not everything that is not called so";
  EXPECT_EQ(json({"list", "--filter", "!\"famly:redisson\""})["locks"].size(), 2U);
}

TEST_F(FamiliesVerb, aFilterThatMeansNothingIsRefused) {
  const auto said = [this](const std::string &filter) { return failed(ctl({"release", "--filter", filter, "--reason", "x", "--apply"}), 2); };
  EXPECT_THAT(said("state:lost"), HasSubstr("no state"));
  EXPECT_THAT(said("age>soon"), HasSubstr("needs a time"));
  EXPECT_THAT(said(" "), HasSubstr("empty"));
  EXPECT_THAT(failed(ctl({"release", "stock", "--filter", "a", "--holder", owner, "--reason", "x", "--plan"}), 2), HasSubstr("not both"));
}

} // namespace
} // namespace lockhouse
