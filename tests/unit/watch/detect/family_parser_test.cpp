// SPDX-License-Identifier: Apache-2.0
// Families from a settings file: what one has to look like, and what is said of one that does not.
#include "core/watch/detect/family_parser.h"
#include "tests/unit/watch/corpus/lock_corpus.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::string_view acme = R"(
[[family]]
slug = "acme-gate"
title = "Acme's gate"
about = "A gate of Acme's"
kind = "reentrant"
release = "C"
waits = "blocked"
advice = ["ask Acme first"]

[[family.form]]
type = "hash"
key = "acme:gate:{name}"
field = "{host:word}/{pid:digits}"
value = "{count:count}"
confidence = 0.9
evidence = "a gate"

[[family.beside]]
key = "acme:bell:{name}"
type = "list"
role = "signal"
)";

std::string shortTitleWith(std::string_view lines) {
  std::string text(acme);
  text.replace(text.find("title = "), std::string_view("title = \"Acme's gate\"").size(), lines);
  const auto read = readFamilies(text, "my.toml");
  return read ? read->front().shortTitle : read.error().sentence();
}

std::string refusal(std::string_view text) {
  const auto read = readFamilies(text, "my.toml");
  return read ? "no refusal" : read.error().sentence();
}

std::string with(std::string_view line, std::string_view instead) {
  std::string text(acme);
  const auto at = text.find(line);
  EXPECT_NE(at, text.npos) << line;
  return text.replace(at, line.size(), instead);
}

TEST(FamilyText, shortensATitleAtItsBracketUnlessItIsToldHow) {
  EXPECT_EQ(shortTitleWith("title = \"Acme's gate (Java)\""), "Acme's gate");
  EXPECT_EQ(shortTitleWith("title = \"Acme's gate (Java)\"\nshort = \"gate\""), "gate");
  EXPECT_EQ(shortTitleWith(""), "acme-gate") << "no title is the slug";
}

TEST(FamilyText, givesAFamilyLikeTheBuiltInOnes) {
  const auto families = FamilyRegistry::with(acme, "my.toml");
  ASSERT_TRUE(families) << families.error().sentence();
  const auto *family = (*families)->find("acme-gate");
  ASSERT_TRUE(family);
  EXPECT_TRUE(family->isUsers);
  EXPECT_FALSE(family->isHolderRepeated);
  EXPECT_TRUE((*FamilyRegistry::with(with("release = \"C\"", "release = \"C\"\nrepeats_holder = true"), "my.toml"))->find("acme-gate")->isHolderRepeated);
  EXPECT_EQ(family->kind, LockKind::Reentrant);
  EXPECT_EQ(family->releaseClass, "C");
  EXPECT_EQ((*families)->all().size(), FamilyRegistry::builtIn().all().size() + 1);
  const test::LockState state{"acme-gate", ValueType::Hash, "acme:gate:7", {{"web-1/4711", "3"}}, true, ""};
  const auto lock = (*families)->recognise(test::factsOf(state));
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "acme-gate");
  EXPECT_EQ(lock->holders, (std::vector<Holder>{{"web-1/4711", 3, HoldMode::Exclusive}}));
  EXPECT_EQ(lock->extras, (std::vector<MetadataEntry>{{"host", "web-1"}, {"pid", "4711"}}));
  EXPECT_TRUE((*families)->nameMayBe(ValueType::Hash, "acme:gate:7"));
  EXPECT_EQ((*families)->ownersOf("acme:bell:7").at(0).lock, "acme:gate:7");
}

TEST(FamilyText, saysHowLongALeaseIsAndHowOftenItIsRenewed) {
  EXPECT_FALSE((*FamilyRegistry::with(acme, "my.toml"))->find("acme-gate")->lease);
  const auto families = FamilyRegistry::with(with("waits = \"blocked\"", "lease_ms = 30000\nrenewed_every_ms = 9000\nwaits = \"blocked\""), "my.toml");
  ASSERT_TRUE(families) << families.error().sentence();
  EXPECT_EQ((*families)->find("acme-gate")->lease, milliseconds(30'000));
  EXPECT_EQ((*families)->find("acme-gate")->renewedEvery, milliseconds(9'000));
}

TEST(FamilyText, saysOfSomeOfItsNamesThatTheyAreFreedInAnotherWay) {
  const auto families = FamilyRegistry::with(with("evidence = \"a gate\"", "evidence = \"a gate\"\nrelease = \"G\"\nadvice = [\"end it first\"]"), "my.toml");
  ASSERT_TRUE(families) << families.error().sentence();
  const auto *family = (*families)->find("acme-gate");
  const auto way = releaseWayOf(*family, "acme:gate:7", HoldMode::Exclusive);
  EXPECT_EQ(way.releaseClass, "G");
  ASSERT_EQ(way.advice.size(), 1U);
  EXPECT_EQ(way.advice.front(), "end it first");
  EXPECT_EQ(family->releaseClass, "C");
  EXPECT_EQ(releaseWayOf(*family, "acme:gate:7", HoldMode::Read).releaseClass, "C") << "of no form";
  const auto &builtIn = FamilyRegistry::builtIn();
  const auto *laravel = builtIn.find("laravel"), *nextcloud = builtIn.find("nextcloud");
  EXPECT_EQ(releaseWayOf(*laravel, "app_cache_laravel_unique_job:Job:7", HoldMode::Exclusive).releaseClass, "AG");
  for (const std::string at : {"", "1030"})
    EXPECT_EQ(releaseWayOf(*laravel, "framework/schedule-0123456789abcdef0123456789abcdef01234567" + at, HoldMode::Exclusive).releaseClass, "AG") << at;
  EXPECT_EQ(releaseWayOf(*laravel, "app_cache_import", HoldMode::Exclusive).releaseClass, "A");
  EXPECT_EQ(releaseWayOf(*nextcloud, "any", HoldMode::Read).releaseClass, "E");
}

TEST(FamilyText, thatIsEmptyAddsNothing) {
  ASSERT_TRUE(FamilyRegistry::with("", "my.toml"));
  EXPECT_EQ((*FamilyRegistry::with("# nothing yet\n", "my.toml"))->all().size(), FamilyRegistry::builtIn().all().size());
}

TEST(FamilyText, isRefusedWithFileAndLineAndWhatToWriteInstead) {
  const std::vector<std::pair<std::string, std::vector<const char *>>> cases{
      {"[[family]\nslug = 1", {"my.toml:1", "no TOML"}},
      {"colour = 1", {"my.toml:1", "'colour' is nothing that a file of families has"}},
      {"family = 3", {"my.toml:1", "[[family]]"}},
      {with("slug = \"acme-gate\"", "slug = \"Acme Gate\""), {"my.toml:3", "is no slug"}},
      {with("slug = \"acme-gate\"", ""), {"my.toml:2", "'slug' is missing"}},
      {with("slug = \"acme-gate\"", "slug = 7"), {"my.toml:3", "is no text"}},
      {with("kind = \"reentrant\"", "kind = \"fast\""), {"my.toml:6", "'fast' is no kind", "mutex"}},
      {with("release = \"C\"", "release = \"X\""), {"my.toml:7", "no way of releasing", "ABCDEFGJ"}},
      {with("waits = \"blocked\"", "waits = \"often\""), {"my.toml:8", "'often' is no waits"}},
      {with("advice = [\"ask Acme first\"]", "advice = \"ask\""), {"my.toml:9", "no list of texts"}},
      {with("type = \"hash\"", "type = \"stream\""), {"my.toml:12", "'stream' is no type", "zset"}},
      {with("type = \"hash\"", ""), {"my.toml:11", "'type' is missing"}},
      {with("key = \"acme:gate:{name}\"", "key = \"acme:gate:{name\""), {"my.toml:13", "no pattern"}},
      {with("field = \"{host:word}/{pid:digits}\"", "member = \"x\""), {"my.toml:14", "'member' is nothing that this type has", "write 'field'"}},
      {with("value = \"{count:count}\"", "value = \"{id:word}\""), {"my.toml:15", "holders of a hash are its fields", "write {id} into 'field'"}},
      {with("value = \"{count:count}\"", "score = \"until\""), {"my.toml:15", "only a zset has scores"}},
      {with("confidence = 0.9", "confidence = 9"), {"my.toml:16", "no number from 0 to 1"}},
      {with("confidence = 0.9", ""), {"'confidence' is missing"}},
      {with("evidence = \"a gate\"", "named_lock = 1"), {"my.toml:17", "neither true nor false"}},
      {with("evidence = \"a gate\"", "release = \"X\""), {"my.toml:17", "no way of releasing"}},
      {with("evidence = \"a gate\"", "release = \"GB\""), {"my.toml:17", "B and C are of all of a family's locks"}},
      {with("release = \"C\"", "release = \"CC\""), {"my.toml:7", "'CC' names C twice"}},
      {with("role = \"signal\"", "role = \"bell\""), {"my.toml:22", "'bell' is no role", "witness"}},
      {with("role = \"signal\"", "role = \"signal\"\nwake = \"1\""), {"my.toml:23", "only a queue has 'wake'"}},
      {with("role = \"signal\"", "role = \"signal\"\nwaiters = [\"{id}\"]"), {"my.toml:23", "only a queue has 'waiters'"}},
      {with("role = \"signal\"", "role = \"queue\"\nwaiters = \"{id}\""), {"my.toml:23", "no list of texts"}},
      {with("role = \"signal\"", "role = \"queue\"\nwaiters = [\"{id\"]"), {"my.toml:23", "'waiters' is no pattern"}},
      {with("role = \"signal\"", "role = \"queue\"\nwaiters = []"), {"my.toml:23", "'waiters' names nobody"}},
      {with("role = \"signal\"", "role = \"queue\"\nwaiters = [\"\"]"), {"my.toml:23", "'waiters' names nobody"}},
      {with("role = \"signal\"", "role = \"signal\"\nopening = \"a\""), {"my.toml:23", "only a member has 'opening'"}},
      {with("role = \"signal\"", "role = \"signal\"\nscore = \"until\""), {"my.toml:23", "only a queue of type zset has 'score'"}},
      {with("release = \"C\"", "lease_ms = 0"), {"my.toml:7", "'lease_ms' is no number of milliseconds"}},
      {with("release = \"C\"", "lease_ms = \"30 s\""), {"my.toml:7", "'lease_ms' is no number of milliseconds"}},
      {with("release = \"C\"", "lease_ms = 30000"), {"my.toml:7", "write both 'lease_ms' and 'renewed_every_ms'"}},
      {with("release = \"C\"", "renewed_every_ms = 30000"), {"my.toml:7", "write both 'lease_ms' and 'renewed_every_ms'"}},
      {with("release = \"C\"", "lease_ms = 3\nrenewed_every_ms = 4"), {"my.toml:7", "a shorter time between renewals"}},
      {std::string(acme) + std::string(acme), {"my.toml:25", "there twice"}},
      {"[[family]]\nslug = \"bare\"", {"my.toml:1", "has no form"}},
      {"[[family]]\nslug = \"bare\"\nform = 3", {"my.toml:3", "open each with [[family.form]]"}},
  };
  for (const auto &[text, words] : cases)
    for (const auto *word : words)
      EXPECT_THAT(refusal(text), HasSubstr(word)) << text;
}

TEST(FamilyText, ofAUserSaysWhatWouldClaimEverything) {
  const auto why = [](const std::string &text) {
    const auto families = FamilyRegistry::with(text, "my.toml");
    return families ? std::string("no refusal") : families.error().sentence();
  };
  const std::string family = "[[family]]\nslug = \"mine\"\n[[family.form]]\n";
  for (const auto *type : {"string", "hash", "set", "list"}) {
    const auto everything = family + fmt::format("type = \"{}\"\nconfidence = 0.9\n", type);
    EXPECT_THAT(why(everything), AllOf(HasSubstr("my.toml:3"), HasSubstr("fits every key"), HasSubstr(type)));
    EXPECT_THAT(why(everything + "key = \"{lock}\"\n"), HasSubstr("fits every key"));
    for (const auto *said : {"key = \"mine:{name}\"", "named_lock = true"})
      EXPECT_EQ(why(everything + said + "\n"), "no refusal") << said;
  }
  EXPECT_EQ(why(family + "type = \"string\"\nconfidence = 0.4\n"), "no refusal") << "it is not shown";
  EXPECT_EQ(why(family + "type = \"string\"\nconfidence = 0.9\nvalue = \"{id:uuid}\"\n"), "no refusal");
}

TEST(FamilyText, ofAUserNamesTheLineOfAKeyBesideThatCannotBeNamed) {
  const auto families = FamilyRegistry::with(with("key = \"acme:bell:{name}\"", "key = \"acme:bell:{nosuch}\""), "my.toml");
  ASSERT_FALSE(families);
  EXPECT_THAT(families.error().sentence(), AllOf(HasSubstr("my.toml:19"), HasSubstr("acme:bell:{nosuch}")));
}

TEST(FamilyText, ofAUserSaysWhatCouldNeverComeToAnything) {
  const auto why = [](const std::string &text) {
    const auto families = FamilyRegistry::with(text, "my.toml");
    return families ? std::string("nothing") : families.error().sentence();
  };
  EXPECT_THAT(why(with("release = \"C\"", "release = \"B\"")), HasSubstr("my.toml:7: B publishes"));
  EXPECT_THAT(why(with("role = \"signal\"", "role = \"part\"")), HasSubstr("C pushes to a list"));
  EXPECT_THAT(why(with("acme:bell:{name}", "acme:bell:{nosuch}")), HasSubstr("no form's key has"));
  EXPECT_THAT(why(with("waits = \"blocked\"", "waits = \"channel\"")), HasSubstr("my.toml:8: its waiters listen to a channel"));
  EXPECT_THAT(why(with("waits = \"blocked\"", "waits = \"queue\"")), HasSubstr("my.toml:8: its waiters stand in a queue"));
  EXPECT_THAT(why(with("type = \"list\"\nrole", "type = \"string\"\nrole")), HasSubstr("a string is no signal"));
  EXPECT_THAT(why(with("waits = \"blocked\"", "channel = \"acme:news:{nosuch}\"")), AllOf(HasSubstr("my.toml:8"), HasSubstr("no form's key has")));
  EXPECT_THAT(why(with("waits = \"blocked\"", "channel = \"acme:news\"\nalso_channel = \"acme:{nosuch}\"")),
              AllOf(HasSubstr("my.toml:9"), HasSubstr("no form's key has")));
  EXPECT_THAT(why(with("waits = \"blocked\"", "also_channel = \"acme:news:{name}\"")), HasSubstr("my.toml:8: 'also_channel' is told beside 'channel'"));
  EXPECT_THAT(why("[[family]]\nslug = \"a-b\"\n[[family.form]]\ntype = \"zset\"\nconfidence = 0.6\n"), HasSubstr("nothing of its scores"));
}

TEST(FamilyText, ofAUserSaysWhatOfItsLocksCouldTellNobody) {
  const auto why = [](const std::string &text) {
    const auto families = FamilyRegistry::with(text, "my.toml");
    return families ? std::string("nothing") : families.error().sentence();
  };
  const std::string other = "\n[[family.form]]\ntype = \"hash\"\nkey = \"acme:door\"\nconfidence = 0.9\n";
  EXPECT_THAT(why(std::string(acme) + other), AllOf(HasSubstr("my.toml:24"), HasSubstr("C pushes to a list, and none")));
  EXPECT_EQ(why(std::string(acme) + other + "[[family.beside]]\nkey = \"acme:doorbell\"\ntype = \"list\"\nrole = \"signal\"\n"), "nothing");
  EXPECT_EQ(why(std::string(acme) + other + "waiting = true\n"), "nothing") << "who waits is not freed";
  const std::string told(with("release = \"C\"", "release = \"B\"\nchannel = \"acme:{name}\""));
  EXPECT_THAT(why(told + other), AllOf(HasSubstr("my.toml:25"), HasSubstr("'acme:{name}' has a name in it that this form's key has not")));
  EXPECT_THAT(why(with("release = \"C\"", "release = \"CB\"\nchannel = \"acme:{name}\"")), AllOf(HasSubstr("my.toml:7"), HasSubstr("'CB' has both B and C")));
}

// "12" as the end of a hold is in 1970.
TEST(FamilyText, ofAUserSaysWhichTimesAndNumbersMayBeNone) {
  const auto why = [](const std::string &text) {
    const auto families = FamilyRegistry::with(text, "my.toml");
    return families ? std::string("nothing") : families.error().sentence();
  };
  for (const auto *capture : {"since:digits", "until:number", "until", "fence:hex", "fence"}) {
    EXPECT_THAT(why(with("{count:count}", fmt::format("{{{}}}", capture))), AllOf(HasSubstr("my.toml:15"), HasSubstr("may be anything else"))) << capture;
    EXPECT_THAT(why(with("{host:word}/", fmt::format("{{{}}}/", capture))), HasSubstr("my.toml:14")) << capture;
  }
  EXPECT_THAT(why(with("gate:{name}", "gate:{until:seconds}:{name}")), HasSubstr("my.toml:13: an end in a lock's name ends no hold"));
  EXPECT_THAT(why(with("{count:count}", "{until:digits}")), HasSubstr("write one of seconds, millis, floatseconds, iso, uniqid"));
  for (const auto *capture : {"since:millis", "until:seconds", "until:floatseconds", "since:iso", "since:uniqid", "fence:digits", "fence:count*1..9"})
    EXPECT_EQ(why(with("{count:count}", fmt::format("{{{}}}", capture))), "nothing") << capture;
}

TEST(FamilyText, ofAUserSaysWhatNothingCouldFit) {
  const auto why = [](const std::string &text) {
    const auto families = FamilyRegistry::with(text, "my.toml");
    return families ? std::string("nothing") : families.error().sentence();
  };
  const std::string again = "\n[[family.beside]]\nkey = \"acme:bell:{name}\"\ntype = \"list\"\n", bare = "[[family]]\nslug = \"a-b\"\n";
  const std::string form = "[[family.form]]\ntype = \"string\"\nkey = \"a:{name}\"\nconfidence = 0.6\n";
  EXPECT_THAT(why(bare + form + "witnessed = true\n"), AllOf(HasSubstr("my.toml:3"), HasSubstr("wants a witness")));
  EXPECT_THAT(why(with("key = \"acme:gate:{name}\"", "key = \"\"")), AllOf(HasSubstr("my.toml:13"), HasSubstr("'key' is empty")));
  EXPECT_THAT(why(with("key = \"acme:bell:{name}\"", "key = \"\"")), AllOf(HasSubstr("my.toml:19"), HasSubstr("'key' is empty")));
  EXPECT_THAT(why(with("acme:bell:{name}", "{lock}")), AllOf(HasSubstr("my.toml:19"), HasSubstr("'{lock}' is the lock's own key")));
  EXPECT_THAT(why(bare + form + "[[family.beside]]\nkey = \"a:{name}\"\ntype = \"string\"\n"), AllOf(HasSubstr("my.toml:7"), HasSubstr("own key")));
  EXPECT_THAT(why(std::string(acme) + again), AllOf(HasSubstr("my.toml:24"), HasSubstr("'acme:bell:{name}' is there twice")));
  EXPECT_THAT(why(bare + "waits = \"blocked\"\n" + form), AllOf(HasSubstr("my.toml:3"), HasSubstr("its waiters are blocked")));
  EXPECT_THAT(why(bare + "channel = \"a:news\"\nwaits = \"unseen\"\n" + form), AllOf(HasSubstr("my.toml:3"), HasSubstr("nobody listens to this 'channel'")));
  EXPECT_EQ(why(bare + "channel = \"a:news\"\nrelease = \"B\"\n" + form), "nothing") << "it is published there";
}

TEST(FamilyText, thatNamesItsKeysMeansThemWhateverLiesThere) {
  const auto mine = [](std::string_view key, std::string_view confidence, std::string value, std::string_view pattern = "any") {
    const auto families = FamilyRegistry::with(fmt::format("[[family]]\nslug = \"mine\"\n[[family.form]]\ntype = \"string\"\nkey = \"{}\"\n"
                                                           "value = \"{{id:{}}}\"\nconfidence = {}\n",
                                                           key, pattern, confidence),
                                               "my.toml");
    EXPECT_TRUE(families) << families.error().sentence();
    const auto lock = (*families)->recognise(test::factsOf({"mine", ValueType::String, "lock:acme:7", {{std::move(value), ""}}, true, ""}));
    return lock ? lock->family : std::string("nothing");
  };
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", base64 = "Zk9xT2w3dFp1R2hYc0pLbWJ2";
  for (const auto &value : {uuid, base64, std::string("w1"), std::string("1")})
    for (const auto *confidence : {"0.5", "0.8", "0.9", "1.0"})
      EXPECT_EQ(mine("lock:acme:{name}", confidence, value), "mine") << value << " " << confidence;
  EXPECT_EQ(mine("lock:acme:{name}", "0.4", uuid), "token") << "below what is shown it is a guess";
  EXPECT_EQ(mine("{name:text}", "0.6", base64), "python-redis-lock") << "a name without a word of its own means none";
  EXPECT_NE(mine("lock:acme:{name}", "0.9", base64, "uuid"), "mine") << "its value does not fit";
}

// As Redisson's semaphores and latches, of which nobody knows who holds them.
TEST(FamilyText, mayBeANumberThatNobodyHolds) {
  for (const auto *name : {"free", "left"}) {
    const auto families = FamilyRegistry::with(fmt::format("[[family]]\nslug = \"mine\"\nkind = \"semaphore\"\nrelease = \"E\"\n[[family.form]]\n"
                                                           "type = \"string\"\nkey = \"acme:seats:{{name}}\"\nvalue = \"{{{}:digits}}\"\nconfidence = 0.9\n",
                                                           name),
                                               "my.toml");
    ASSERT_TRUE(families) << families.error().sentence();
    const auto lock = (*families)->recognise(test::factsOf({"mine", ValueType::String, "acme:seats:7", {{"4", ""}}, false, ""}));
    ASSERT_TRUE(lock);
    EXPECT_EQ(lock->number, 4);
    EXPECT_TRUE(lock->holders.empty());
    EXPECT_EQ(lock->extras, std::vector<MetadataEntry>{(MetadataEntry{name, "4"})});
  }
}

TEST(FamilyText, forPeopleSteersNoTerminal) {
  const auto families = FamilyRegistry::with(with("about = \"A gate of Acme's\"", "about = \"a\\u001b[31mgate\""), "my.toml");
  ASSERT_TRUE(families) << families.error().sentence();
  EXPECT_EQ((*families)->find("acme-gate")->about, "a\\x1b[31mgate");
  const auto others = FamilyRegistry::with(with("advice = [\"ask Acme first\"]", "advice = [\"\\u001b]0;x\"]\nsource = \"\\u202ex\""), "my.toml");
  ASSERT_TRUE(others) << others.error().sentence();
  EXPECT_FALSE((*others)->find("acme-gate")->advice.front().contains('\x1b'));
  EXPECT_FALSE((*others)->find("acme-gate")->source.contains("\u202e"));
}

TEST(FamilyText, mayNotTakeABuiltInName) {
  const auto refused = FamilyRegistry::with(with("acme-gate", "shedlock"), "my.toml");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().sentence(), HasSubstr("my.toml:3: the family 'shedlock' is built in"));
}

} // namespace
} // namespace lockhouse
