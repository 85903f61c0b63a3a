// SPDX-License-Identifier: Apache-2.0
#include "core/watch/text/pattern.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>

namespace lockhouse {
namespace {

using testing::HasSubstr;

const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";

Pattern pattern(std::string_view text) {
  auto parsed = Pattern::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error());
  return parsed ? *parsed : *Pattern::parse("");
}

std::string captured(std::string_view text, std::string_view bytes, std::string_view name) {
  Captures captures;
  const auto matcher = pattern(text);
  if (!matcher.matches(bytes, &captures))
    return "no match";
  return std::string(captures.find(name).value_or("nothing"));
}

std::string filled(std::string_view from, std::string_view bytes, std::string_view to) {
  Captures captures;
  const auto matcher = pattern(from);
  return matcher.matches(bytes, &captures) ? pattern(to).filled(captures).value_or("nothing") : "no match";
}

TEST(Pattern, matchesTheWholeOfTheBytes) {
  EXPECT_TRUE(pattern("lock:{name}").matches("lock:a"));
  EXPECT_FALSE(pattern("lock:{name}").matches("lock:")) << "any is one byte at least";
  EXPECT_FALSE(pattern("lock:{name}").matches("my:lock:a"));
  EXPECT_FALSE(pattern("{name}~lock").matches("a~lock:b"));
  EXPECT_TRUE(pattern("").matches(""));
  EXPECT_FALSE(pattern("").matches("a"));
  EXPECT_TRUE(pattern("{{{name}}}:time").matches("{a}:time"));
}

TEST(Pattern, goesBackWhereAShapeTookTooMuch) {
  EXPECT_EQ(captured("{queue}:{job}:lock", "bull:mail:7:lock", "job"), "7");
  EXPECT_EQ(captured("{queue}:{job}:lock", "bull:mail:7:lock", "queue"), "bull:mail");
  EXPECT_EQ(captured("{host:text}_{pid:digits}_{id:hex*4}", "web_1_17_beef", "host"), "web_1");
  EXPECT_EQ(captured("{a:digits}{b:digits*2}", "12345", "a"), "123");
}

TEST(Pattern, tellsEveryWayInWhichItMatches) {
  const auto ways = [](std::string_view text, std::string_view bytes, std::size_t most) {
    const auto matcher = pattern(text);
    std::vector<std::string> found;
    for (const auto &captures : matcher.everyMatch(bytes, most))
      found.emplace_back(captures.find("a").value_or("nothing"));
    return found;
  };
  EXPECT_THAT(ways("{a:parts}:{b}", "app:locks:order:7", 8), testing::ElementsAre("app:locks:order", "app:locks", "app"));
  EXPECT_THAT(ways("{a:parts}:{b}", "app:locks:order:7", 2), testing::SizeIs(2));
  EXPECT_THAT(ways("{a:word}:{b}", "app:locks", 8), testing::ElementsAre("app"));
  EXPECT_THAT(ways("{a:word}:{a:word}", "x:y", 8), testing::IsEmpty());
  EXPECT_THAT(ways("lock", "lock", 8), testing::ElementsAre("nothing"));
}

TEST(Pattern, wantsTheSameBytesUnderTheSameName) {
  EXPECT_TRUE(pattern("{a:word}/{a:word}").matches("x/x"));
  EXPECT_FALSE(pattern("{a:word}/{a:word}").matches("x/y"));
}

TEST(Pattern, knowsItsShapes) {
  const std::vector<std::tuple<const char *, std::string, bool>> cases{
      {"{x:uuid}", uuid, true},
      {"{x:uuid}", uuid + "0", false},
      {"{x:uuid4}", "5b1c0a3e-6f0d-1f1a-9c58-2f4f0e7a1b01", false},
      {"{x:parts}", "app:locks-1.b", true},
      {"{x:parts}", ":app", false},
      {"{x:parts}", "app:", false},
      {"{x:parts}", "app:my locks", false},
      {"{x:hexuuid1}", "8f0c2f6a9d1b11efb1c30242ac120002", true},
      {"{x:hexuuid1}", "3f786850e387550fdab836ed7e6dc881", false},
      {"{x:hexuuid4}", "8f0c2f6a9d1b41efb1c30242ac120002", true},
      {"{x:uniqid}", "65f1c2a9b3d7e", true},
      {"{x:uniqid}", "65f1c2a9fffff", false},
      {"{x:seconds}", "1795300000", true},
      {"{x:seconds}", "4795300000", false},
      {"{x:millis}", "1795300000000", true},
      {"{x:floatseconds}", "1795300000.25", true},
      {"{x:floatseconds}", "25.1795300000", false},
      {"{x:iso}", "2026-11-22T10:00:00.123Z", true},
      {"{x:iso}", "2026-11-22 10:00:00", false},
      {"{x:count}", "12", true},
      {"{x:count}", "012", false},
      {"{x:random*16}", "aZ3kP9qL2mX7vB4n", true},
      {"{x:random*16}", "configuration_ok", false},
      {"{x:binary*20}", std::string("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc", 20), true},
      {"{x:binary*20}", "twenty bytes of text", false},
      {"{x:phpsession}", "3f786850e387550fdab836ed7e6dc881", true},
      {"{x:phpsession}", "5k2mq0v7c1h8r4t6b3n9s0d2fa", true},
      {"{x:phpsession}", "aZ3,P9qL2m-7vB4nQ0tY8wE1rU6i,Ko5", true},
      {"{x:phpsession}", "5k2mq0v7c1h8r4t6b3n9s", false}, // too short
      {"{x:phpsession}", "reconciliationofordersandinvoices", false},
      {"{x:phpsession}", "release-2026-11-22-of-shop-web", false},
      {"{x:phpsession}", "ImportOrders2FromShopNightly", false},
      {"{x:marked}", "shop:sess_", true},
      {"{x:marked}", "shop-", false},
      {"{x:text}", "web 1", true},
      {"{x:text}", "\xe5\xbc\xa0\xe4\xb8\x89-PC", true}, // 张三-PC
      {"{x:text}", "caf\xe9", false},
      {"{x:text}", "web\n1", false},
      {"{x:text}_{y:digits}", "\xe5\xbc\xa0_7", true},
      {"{x:digits*1..3}", "1234", false},
      {"w{x:digits*0..3}/", "w/", true},
  };
  for (const auto &[text, bytes, fits] : cases)
    EXPECT_EQ(pattern(text).matches(bytes), fits) << text << " " << bytes;
}

TEST(Pattern, namesWhatLiesBesideAKey) {
  EXPECT_EQ(filled("lock-signal:{name}", "lock-signal:a{b}c", "lock:{name}"), "lock:a{b}c");
  EXPECT_EQ(filled("redisson_lock_queue:{lock:tag}", "redisson_lock_queue:{stock}", "{lock}"), "stock");
  EXPECT_EQ(filled("redisson_lock_queue:{lock:tag}", "redisson_lock_queue:a{b}c", "{lock}"), "a{b}c");
  EXPECT_EQ(filled("{lock}", "stock", "{lock:tag}:timeout"), "{stock}:timeout");
  EXPECT_EQ(filled("{lock}", "a{b}", "lockhouse:queue:{lock:slot}"), "lockhouse:queue::a{b}");
  EXPECT_EQ(filled("lockhouse:queue:{lock:slot}", "lockhouse:queue:{a}", "{lock}"), "a");
  EXPECT_EQ(filled("{a}", "x", "{b}"), "nothing");
}

TEST(Pattern, isRefusedWithTheReason) {
  const std::vector<std::pair<const char *, const char *>> bad{{"lock:{name", "byte 6"},
                                                               {"a}b", "byte 2"},
                                                               {"{}", "no name"},
                                                               {"{x:nothing}", "is no shape"},
                                                               {"{x:hex*0}", "no length"},
                                                               {"{x:hex*5..2}", "no length"},
                                                               {"{x:hex*many}", "no length"},
                                                               {"{x y:hex}", "has no name"},
                                                               {"{x:hex*5000}", "no length"}};
  for (const auto &[text, reason] : bad) {
    const auto parsed = Pattern::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error(), HasSubstr(reason)) << text;
  }
}

TEST(Pattern, isNoMatchForWhatIsTooLongToBeALocks) {
  EXPECT_FALSE(pattern("{a}:{b}:{c}:{d}:x").matches(std::string(100'000, ':') + "y"));
  EXPECT_FALSE(pattern("{a}{b}{c}z").matches(std::string(1000, 'a') + "y"));
}

// Anybody can write a name of a thousand colons, and each write of it is looked at.
TEST(Pattern, takesNoMoreThanTheSquareOfTheLengthForWhatItDoesNotMatch) {
  const auto timeOf = [](const Pattern &matcher, std::size_t colons) {
    const auto name = std::string(colons, ':') + ":lock";
    auto least = std::chrono::nanoseconds::max();
    for (int i = 0; i < 7; ++i) {
      const auto since = std::chrono::steady_clock::now();
      EXPECT_FALSE(matcher.matches(name));
      EXPECT_TRUE(matcher.everyMatch(name, 3).empty());
      least = std::min<std::chrono::nanoseconds>(least, std::chrono::steady_clock::now() - since);
    }
    return static_cast<double>(least.count());
  };
  for (const auto *text : {"{prefix:text}:{queue}:{job:repeat}:lock", "{a}:{b}:{c:uuid}:lock"}) {
    const auto matcher = pattern(text);
    double ratio = 512;
    for (int i = 0; i < 20 && ratio >= 200; ++i) // a busy machine may be slow at one of the two
      ratio = std::min(ratio, timeOf(matcher, 960) / timeOf(matcher, 120));
    EXPECT_LT(ratio, 200) << text << ": 64 by the square, 512 by the cube";
  }
}

TEST(Pattern, findsWhatMatchesHoweverManyTriesItTakes) {
  const std::string parts(400, ':');
  EXPECT_EQ(captured("{a:text}:{b}:{c:uuid}:lock", parts + "x:" + uuid + ":lock", "c"), uuid);
  EXPECT_EQ(captured("{a:text}:{b}:{c:uuid}:lock", parts + "x:" + uuid + ":lock", "b"), "x");
  EXPECT_EQ(pattern("{a}:{b}:{c}").everyMatch(std::string(50, ':'), 10'000).size(), 47U * 46 / 2) << "each way in which two of them part three pieces";
  EXPECT_TRUE(pattern("{a}:{b}:{a}").matches(std::string(100, ':') + "x" + std::string(100, ':'))) << "a name that repeats";
}

TEST(Shapes, eachHasWordsAndANameOfItsOwn) {
  for (const auto &shape : shapes()) {
    EXPECT_FALSE(shape.words.empty());
    EXPECT_EQ(std::ranges::count(shapes(), shape.name, &Shape::name), 1) << shape.name;
    EXPECT_TRUE(Pattern::parse("{x:" + std::string(shape.name) + "}"));
  }
}

} // namespace
} // namespace lockhouse
