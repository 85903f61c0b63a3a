// SPDX-License-Identifier: Apache-2.0
#include "core/watch/text/name_words.h"

#include <gtest/gtest.h>

using namespace lockhouse;

namespace {

std::uint64_t bitsOf(const WordLists &lists) {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 64; ++i)
    bits |= static_cast<std::uint64_t>(lists.has(static_cast<WordList>(i))) << i;
  return bits;
}

} // namespace

TEST(WordLists, findEveryWordOfTheDataFile) {
  ASSERT_GT(name_words::words.size(), 500U);
  for (const auto &word : name_words::words)
    EXPECT_EQ(bitsOf(WordLists(word.text)), word.lists) << word.text;
}

TEST(WordLists, haveAWordInSeveralLists) {
  const WordLists session("session");
  EXPECT_TRUE(session.has(WordList::OtherUses) && session.has(WordList::Explainers) && session.has(WordList::Records));
  EXPECT_FALSE(session.has(WordList::Locks));
}

TEST(WordLists, knowNoOtherWord) {
  for (const auto *word : {"", "l", "loc", "locksmith", "Lock", "zzzzzz", "distributedlocks", "averyverylongwordthatnolisthas"})
    EXPECT_EQ(bitsOf(WordLists(word)), 0U) << word;
}
