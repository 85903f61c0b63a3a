// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/arguments.h"

#include <gmock/gmock.h>

namespace lockhouse::ctl {
namespace {

using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

Arguments understood(const Words &words, const char *environment = nullptr) {
  const auto parsed = parseArguments(words, environment);
  EXPECT_TRUE(parsed) << parsed.error().text;
  return parsed.value_or(Arguments{});
}

EarlyExit ended(const Words &words, const char *environment = nullptr) {
  const auto parsed = parseArguments(words, environment);
  EXPECT_FALSE(parsed);
  return parsed ? EarlyExit{} : parsed.error();
}

std::string usageError(const Words &words) {
  const auto early = ended(words);
  EXPECT_EQ(early.code, 2);
  EXPECT_EQ(early.text.find('\n'), std::string::npos) << "one sentence";
  return early.text;
}

TEST(Arguments, takesGlobalOptionsBeforeAndAfterTheVerb) {
  for (const auto &words :
       {Words{"--url", "redis://a:1", "--url", "redis://b:2/3", "--json", "list"}, Words{"list", "--json", "--url", "redis://a:1", "--url", "redis://b:2/3"}}) {
    const auto arguments = understood(words);
    EXPECT_EQ(arguments.verb, "list");
    EXPECT_TRUE(arguments.json);
    ASSERT_EQ(arguments.nodes.size(), 2U);
    EXPECT_EQ(arguments.nodes[0].address(), "a:1");
    EXPECT_EQ(arguments.nodes[1].db, 3);
  }
}

TEST(Arguments, looksAtTheEnvironmentOnlyWithoutUrl) {
  EXPECT_EQ(understood({"list"}).nodes.at(0).address(), "127.0.0.1:6379");
  const auto both = understood({"list"}, "redis://x:1  redis://y:2");
  ASSERT_EQ(both.nodes.size(), 2U);
  EXPECT_EQ(both.nodes[1].address(), "y:2");
  EXPECT_EQ(understood({"--url", "redis://z:3", "list"}, "redis://x:1").nodes.at(0).address(), "z:3");
}

TEST(Arguments, answersHelpAndVersionWithCodeZero) {
  EXPECT_EQ(ended({"--help"}).code, 0);
  EXPECT_THAT(ended({"--help"}).text, HasSubstr("Exit codes"));
  EXPECT_EQ(ended({"--version"}).code, 0);
  EXPECT_THAT(ended({"--version"}).text, HasSubstr("lockhousectl"));
  EXPECT_EQ(ended({"release", "--help"}).code, 0);
  EXPECT_THAT(ended({"release", "--help"}).text, HasSubstr("--reason"));
  EXPECT_EQ(ended({"help"}).code, 0);
  EXPECT_EQ(ended({"help", "release"}).code, 0);
  EXPECT_THAT(ended({"help", "release"}).text, HasSubstr("--reason"));
  EXPECT_EQ(understood({"help", "json"}).verb, "help");
}

TEST(Arguments, saysInOneSentenceWhatIsWrong) {
  EXPECT_THAT(usageError({"lisst"}), HasSubstr("lisst"));
  EXPECT_THAT(usageError({}), HasSubstr("say what to do"));
  EXPECT_THAT(usageError({"--url", "ftp://x", "list"}), HasSubstr("redis://"));
  EXPECT_THAT(usageError({"list", "--nope"}), HasSubstr("--nope"));
  EXPECT_THAT(usageError({"watch", "--for", "soon"}), HasSubstr("--for"));
  EXPECT_THAT(usageError({"watch", "--for", "-1"}), HasSubstr("--for"));
  EXPECT_THAT(usageError({"help", "xml"}), HasSubstr("json"));
  EXPECT_THAT(usageError({"show"}), HasSubstr("KEY"));
  EXPECT_THAT(usageError({"show", "a", "--key-b64", "YQ=="}), HasSubstr("KEY"));
  EXPECT_THAT(usageError({"show", "--key-b64", "%"}), HasSubstr("base64"));
}

TEST(Arguments, neverRepeatsAPassword) {
  for (const auto &words : {Words{"list", "redis://:s3cret@host"}, Words{"redis://u:s3cret@host", "list"}, Words{"--url", "ftp://:s3cret@host", "list"},
                            Words{"--url", "redis://:s3cret@host:99999999", "list"}, Words{"--count", "redis://:s3cret@x", "list"},
                            Words{"release", "k", "--count", "redis://:s3cret@x", "--holder", "h"}, Words{"--url=redis://:s3cret@h/%zz", "list"}})
    EXPECT_THAT(usageError(words), Not(HasSubstr("s3cret")));
}

TEST(Arguments, takesARelease) {
  const auto arguments = understood({"release", "stock", "--holder", "u:1", "--count", "3", "--reason", "stuck since noon", "--apply"});
  EXPECT_EQ(arguments.key, "stock");
  EXPECT_EQ(arguments.holder, "u:1");
  EXPECT_EQ(arguments.count, 3);
  EXPECT_EQ(arguments.reason, "stuck since noon");
  EXPECT_TRUE(arguments.apply);
  EXPECT_FALSE(understood({"release", "stock", "--holder", "u:1", "--reason", "x", "--plan"}).apply);
}

TEST(Arguments, takesBytesThatAShellCannotPass) {
  const auto arguments = understood({"release", "--key-b64", "bG9jazr//g==", "--holder-b64", "AIA=", "--reason", "x", "--plan"});
  EXPECT_EQ(arguments.key, "lock:\xff\xfe");
  EXPECT_EQ(arguments.holder, std::string("\x00\x80", 2));
}

TEST(Arguments, takesTheEmptyKeyWhereItIsGiven) {
  for (const auto &words :
       {Words{"show", ""}, Words{"show", "--", ""}, Words{"show", "--key-b64", ""}, Words{"show", "--key-b64="}, Words{"show", "--key-b64", "", "--json"},
        Words{"show", "--key-b64=", "--json"}, Words{"release", "", "--holder", "h", "--reason", "x", "--plan"},
        Words{"release", "--holder", "h", "--reason", "x", "--plan", "--", ""},
        Words{"release", "--key-b64", "", "--holder", "h", "--reason", "x", "--plan"}}) {
    const auto parsed = parseArguments(words, nullptr);
    ASSERT_TRUE(parsed) << testing::PrintToString(words) << parsed.error().text;
    EXPECT_EQ(parsed->key, "");
  }
  EXPECT_THAT(usageError({"show", "", "--key-b64", ""}), HasSubstr("KEY"));
  EXPECT_THAT(usageError({"show", "", "--key-b64", "YQ=="}), HasSubstr("KEY"));
  EXPECT_THAT(usageError({"show", "--key-b64"}), HasSubstr("--key-b64"));
  EXPECT_THAT(usageError({"show", "--key-b64", "--json"}), HasSubstr("--key-b64"));
  EXPECT_EQ(understood({"show", "--", "--key-b64="}).key, "--key-b64=");
}

TEST(Arguments, wantsAReasonAHolderAndOneOfPlanAndApply) {
  EXPECT_THAT(usageError({"release", "k", "--holder", "h", "--apply"}), HasSubstr("--reason"));
  EXPECT_THAT(usageError({"release", "k", "--holder", "h", "--reason", "  ", "--apply"}), HasSubstr("--reason"));
  EXPECT_EQ(understood({"release", "k", "--holder", "h", "--plan"}).reason, "") << "nothing is recorded";
  EXPECT_THAT(usageError({"release", "--all", "--reason", "x", "--apply"}), HasSubstr("--holder"));
  EXPECT_FALSE(understood({"release", "k", "--reason", "x", "--apply"}).holder) << "the lock may keep none: its read tells";
  EXPECT_THAT(usageError({"release", "k", "--holder", "h", "--reason", "x"}), HasSubstr("--plan or --apply"));
  (void)usageError({"release", "k", "--holder", "h", "--reason", "x", "--plan", "--apply"});
  (void)usageError({"release", "k", "--holder", "h", "--reason", "x", "--plan", "--count", "0"});
  (void)usageError({"release", "k", "--holder", "h", "--holder-b64", "AIA=", "--reason", "x", "--plan"});
}

TEST(Arguments, takesTheFenceOfOneLock) {
  EXPECT_EQ(understood({"release", "k", "--holder", "h", "--fence", "7", "--plan"}).fence, 7U);
  EXPECT_EQ(understood({"shorten", "k", "--holder", "h", "--to", "5", "--fence", "0", "--plan"}).fence, 0U);
  EXPECT_FALSE(understood({"release", "k", "--holder", "h", "--plan"}).fence);
  EXPECT_THAT(usageError({"release", "--all", "--holder", "h", "--fence", "7", "--plan"}), HasSubstr("--fence"));
  (void)usageError({"release", "k", "--holder", "h", "--fence", "-1", "--plan"});
}

TEST(Arguments, takesAStressRun) {
  const auto arguments = understood({"stress", "--primitive", "ReentrantLock", "--policy", "spin", "--clients", "64", "--keys", "own", "--hold", "5", "--think",
                                     "6", "--lease", "700", "--duration", "1.5"});
  const auto &stress = arguments.stress;
  EXPECT_EQ(stress.primitive, "ReentrantLock");
  EXPECT_EQ(stress.policy, "spin");
  EXPECT_EQ(stress.clients, 64U);
  EXPECT_EQ(stress.keys, 0U);
  EXPECT_EQ(stress.hold, milliseconds(5));
  EXPECT_EQ(stress.think, milliseconds(6));
  EXPECT_EQ(stress.lease, milliseconds(700));
  EXPECT_EQ(stress.duration, milliseconds(1500));
  EXPECT_EQ(understood({"stress", "--keys", "7", "--count", "1000"}).stress.keys, 7U);
  EXPECT_EQ(understood({"stress", "--count", "1000"}).stress.stripes, 64U);
  EXPECT_EQ(understood({"stress", "--primitive", "StripedLock", "--stripes", "9", "--count", "1000"}).stress.stripes, 9U);
  EXPECT_EQ(understood({"stress", "--count", "1000"}).stress.count, 1000U);
}

TEST(Arguments, stripesAreOfAStripedLockOnly) { EXPECT_NE(usageError({"stress", "--stripes", "9", "--count", "1000"}).find("StripedLock"), std::string::npos); }

TEST(Arguments, takesAStressRunOverSeveralNodesForOneOfRedLock) {
  const auto several = understood({"stress", "--url", "redis://a", "--url", "redis://b", "--url", "redis://c", "--count", "1"});
  EXPECT_EQ(several.stress.primitive, "RedLock");
  EXPECT_EQ(several.nodes.size(), 3U);
  EXPECT_EQ(understood({"stress", "--url", "redis://a", "--count", "1"}).stress.primitive, "Mutex");
  EXPECT_EQ(understood({"stress", "--url", "redis://a", "--primitive", "RedLock", "--count", "1"}).stress.primitive, "RedLock");
}

TEST(Arguments, refusesAStressRunThatMakesNoSense) {
  EXPECT_THAT(usageError({"stress"}), HasSubstr("--duration or --count"));
  EXPECT_THAT(usageError({"stress", "--keys", "some", "--count", "1"}), HasSubstr("--keys"));
  for (const auto *keys : {"0", "-1", "0x7", "7_000", "7 ", "4294967296"})
    EXPECT_THAT(usageError({"stress", "--keys", keys, "--count", "1"}), HasSubstr("--keys")) << keys;
  EXPECT_THAT(usageError({"stress", "--url", "redis://a", "--url", "redis://b", "--count", "1"}), HasSubstr("an odd number of nodes"));
  EXPECT_THAT(usageError({"stress", "--primitive", "Mutex", "--url", "redis://a", "--url", "redis://b", "--url", "redis://c", "--count", "1"}),
              HasSubstr("Mutex runs on one node"));
  (void)usageError({"stress", "--count", "1", "--duration", "1"});
  (void)usageError({"stress", "--hold", "-1", "--count", "1"});
  (void)usageError({"stress", "--clients", "many", "--count", "1"});
}

TEST(Arguments, takesWatchAndAudit) {
  EXPECT_EQ(understood({"watch", "--for", "2.5"}).watchFor, milliseconds(2500));
  EXPECT_EQ(understood({"watch"}).watchFor, std::nullopt);
  const auto audit = understood({"audit", "--verify", "--last", "5", "--audit", "/x/y"});
  EXPECT_TRUE(audit.verify);
  EXPECT_EQ(audit.last, 5U);
  EXPECT_EQ(audit.auditPath, "/x/y");
}

} // namespace
} // namespace lockhouse::ctl
