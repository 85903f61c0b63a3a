// SPDX-License-Identifier: Apache-2.0
#include "core/base/message.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

using namespace std::chrono_literals;

constexpr auto waits = LH_ENGLISH("%1 wait for %2, for %3 yet");

TEST(Message, isFilledInInOneGo) {
  EXPECT_EQ(waits(7, "%1 %2", 65s).english(), "7 wait for %1 %2, for 1 min 5 s yet");
  EXPECT_EQ(LH_ENGLISH("it may be %1")(Families{{"redsync", "walrus"}}).english(), "it may be redsync, walrus");
  EXPECT_EQ(LH_ENGLISH("weigh this: %1")(waits(1, "a", 1ms)).english(), "weigh this: 1 wait for a, for 1 ms yet");
}

TEST(Message, isKnownByItsTextWhereverThatIsWritten) {
  EXPECT_TRUE(waits(1, "a", 1s).is(waits));
  EXPECT_TRUE(waits(1, "a", 1s).is(LH_ENGLISH("%1 wait for %2, for %3 yet")));
  EXPECT_FALSE(waits(1, "a", 1s).is(LH_MESSAGE("Other", "%1 wait for %2, for %3 yet"))) << "another context may mean something else";
  EXPECT_EQ(waits(1, "a", 1s), waits(1, "a", 1000ms));
  EXPECT_NE(waits(1, "a", 1s), waits(2, "a", 1s));
  EXPECT_TRUE(LH_ENGLISH("%1 is gone")("a").isAbout(LH_ENGLISH("%1 is gone"), "a"));
  EXPECT_FALSE(LH_ENGLISH("%1 is gone")("a").isAbout(LH_ENGLISH("%1 is gone"), "b"));
}

TEST(Message, joinsPartsThatCanBeTakenOutAgain) {
  constexpr auto done = LH_ENGLISH("done"), nothing = LH_ENGLISH("nothing was changed");
  const auto both = Message::joined({done, Message(), Message::joined({Message::verbatim("ERR boom"), nothing})});
  EXPECT_EQ(both.english(), "done; ERR boom; nothing was changed");
  EXPECT_EQ(both.parts().size(), 3U);
  EXPECT_TRUE(both.contains(nothing));
  EXPECT_EQ(both.without(nothing).english(), "done; ERR boom");
  EXPECT_TRUE(Message::joined({}).empty());
  EXPECT_EQ(Message::joined({done}), Message(done));
}

TEST(Message, keepsWhatAnotherSystemSaidAsItIs) {
  EXPECT_EQ(Message::verbatim("100 %1").english(), "100 %1");
  EXPECT_EQ(Message::verbatim("ERR").verbatimText(), "ERR");
  EXPECT_EQ(Message(LH_ENGLISH("done")).verbatimText(), "");
  EXPECT_TRUE(Message::verbatim("").empty());
}

TEST(Message, ofAFamilyOutlivesItsText) {
  std::string words = "mind %1 of it";
  const auto message = Message::ofFamily("PlanWords", words);
  words.assign(words.size(), 'x');
  EXPECT_EQ(message.english(), "mind %1 of it");
}

TEST(DurationWords, saysItAsPeopleDo) {
  EXPECT_EQ(durationWords(0ms), "0 ms");
  EXPECT_EQ(durationWords(999ms), "999 ms");
  EXPECT_EQ(durationWords(1s), "1.0 s");
  EXPECT_EQ(durationWords(12'480ms), "12.4 s");
  EXPECT_EQ(durationWords(59'999ms), "59.9 s");
  EXPECT_EQ(durationWords(60s), "1 min");
  EXPECT_EQ(durationWords(250s), "4 min 10 s");
  EXPECT_EQ(durationWords(1h), "1 h");
  EXPECT_EQ(durationWords(25h + 59min), "1 d 1 h");
  EXPECT_EQ(durationWords(76h), "3 d 4 h");
}

TEST(DurationWords, takesANegativeDurationForNone) { EXPECT_EQ(durationWords(-5s), "0 ms"); }

} // namespace
} // namespace lockhouse
