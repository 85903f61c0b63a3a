// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/type_predictor.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

void teach(TypePredictor &guess, const std::string &before, const std::string &after, ValueType type, int times = 20) {
  for (int i = 0; i < times; ++i)
    guess.learn(before + std::to_string(i) + after, type);
}

TEST(TypePredictor, knowsNothingAtFirst) { EXPECT_EQ(TypePredictor().guess("user:1").type, ValueType::Unknown); }

TEST(TypePredictor, guessesFromNamesThatAreAlike) {
  TypePredictor guess;
  teach(guess, "user:", "", ValueType::Hash);
  teach(guess, "page:", "", ValueType::String);
  EXPECT_EQ(guess.guess("user:4711").type, ValueType::Hash);
  EXPECT_EQ(guess.guess("page:4711").type, ValueType::String);
  EXPECT_EQ(guess.guess("other:1").type, ValueType::Unknown);
}

TEST(TypePredictor, looksAtTheLastWordWhereTheFirstDoesNotTell) {
  TypePredictor guess;
  for (int i = 0; i < 200; ++i) {
    guess.learn("user:" + std::to_string(i) + ":profile", ValueType::Hash);
    guess.learn("user:" + std::to_string(i) + ":name", ValueType::String);
  }
  EXPECT_EQ(guess.guess("user:9:profile").type, ValueType::Hash);
  EXPECT_EQ(guess.guess("user:9:name").type, ValueType::String);
}

TEST(TypePredictor, admitsThatItDoesNotKnowWhereTypesAreMixed) {
  TypePredictor guess;
  for (int i = 0; i < 1000; ++i)
    guess.learn("k:" + std::to_string(i), i % 2 ? ValueType::Hash : ValueType::String);
  EXPECT_EQ(guess.guess("k:5").type, ValueType::Unknown);
}

TEST(TypePredictor, learnsAnewWhenTheDataChanges) {
  TypePredictor guess;
  teach(guess, "k:", "", ValueType::Hash, 50);
  teach(guess, "k:", "", ValueType::String, 200);
  EXPECT_EQ(guess.guess("k:5").type, ValueType::String);
}

TEST(TypePredictor, knowsWhereALengthSeldomTells) {
  TypePredictor guess;
  teach(guess, "sess:", "", ValueType::String);
  teach(guess, "page:", "", ValueType::String);
  for (int i = 0; i < 20; ++i) {
    guess.learnSize("sess:" + std::to_string(i), true);
    guess.learnSize("page:" + std::to_string(i), i % 4 == 0);
  }
  EXPECT_TRUE(guess.guess("sess:99").isTokenSized);
  EXPECT_FALSE(guess.guess("page:99").isTokenSized);
}

TEST(TypePredictor, bearsAnyName) {
  TypePredictor guess;
  for (const auto &name : {std::string(), std::string(1 << 20, 'x'), std::string("\0\xff", 2), std::string(":::")}) {
    guess.learn(name, ValueType::String);
    guess.guess(name);
  }
}

} // namespace
} // namespace lockhouse
