// SPDX-License-Identifier: Apache-2.0
// Most families are passed over by the lengths and bytes of a name and a value: nothing that one of them would claim may be lost so.
#include "core/watch/detect/family_matcher.h"
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::factsOf;
using test::lockCorpus;
using test::recognise;

TEST(Glance, passesOverNoFamilyThatWouldClaimTheKey) {
  std::size_t matches = 0;
  for (const auto &state : lockCorpus()) {
    const auto facts = factsOf(state);
    const auto row = recognise(facts);
    for (const auto &family : FamilyRegistry::builtIn().all()) {
      const auto match = matchOf(family, facts);
      if (!match || match->draft.confidence < lowestConfidence)
        continue;
      ++matches;
      ASSERT_TRUE(row) << state.key << " is " << family.slug;
      EXPECT_GE(row->confidence, match->draft.confidence) << state.key << " is rather " << family.slug << " than " << row->family;
      EXPECT_LE(match->draft.confidence, family.surest) << state.key << " as " << family.slug;
    }
  }
  EXPECT_GT(matches, lockCorpus().size()); // each by its own library, some by others too
}

TEST(Glance, asksAUsersFamilyThatIsMeantHoweverSureAnotherIs) {
  const auto families = FamilyRegistry::with("[[family]]\nslug = \"any-uuid\"\n[[family.form]]\ntype = \"string\"\nvalue = \"{id:uuid4}\"\nconfidence = 1\n"
                                             "[[family]]\nslug = \"acme-job\"\n[[family.form]]\ntype = \"string\"\nkey = \"acme:job:{name}\"\n"
                                             "value = \"{id:uuid4}\"\nconfidence = 0.9\n",
                                             "families.toml");
  ASSERT_TRUE(families) << families.error().sentence();
  KeyFacts facts;
  facts.key = "acme:job:7";
  facts.type = ValueType::String;
  facts.value = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  facts.size = facts.value.size();
  EXPECT_EQ((*families)->recognise(facts)->family, "acme-job");
}

TEST(Glance, asksNoFamilyWhichAnotherOutdoesAnyway) {
  for (const auto *slug : {"token", "setnx-legacy"}) {
    const auto *family = FamilyRegistry::builtIn().find(slug);
    ASSERT_TRUE(family);
    EXPECT_LT(family->surest, 1) << slug;
  }
}

TEST(Outline, fitsAllThatItsPatternMatches) {
  std::vector<std::string> texts;
  for (const auto &state : lockCorpus()) {
    texts.push_back(state.key);
    for (const auto &[part, value] : state.parts) {
      texts.push_back(part);
      texts.push_back(value);
    }
  }
  std::size_t matched = 0, passedOver = 0;
  for (const auto &family : FamilyRegistry::builtIn().all())
    for (const auto &form : family.forms)
      for (const auto *pattern : {&form.key, &form.element, &form.content})
        for (const auto &text : texts)
          if (*pattern && (*pattern)->matches(text)) {
            ++matched;
            EXPECT_TRUE((*pattern)->outline().fits(Sight(text))) << (*pattern)->text() << " and " << text;
          } else if (*pattern)
            passedOver += (*pattern)->outline().fits(Sight(text)) ? 0U : 1U;
  EXPECT_GT(matched, texts.size());
  EXPECT_GT(passedOver, matched); // or it saves nothing
}

TEST(Outline, tellsByLengthAndBytes) {
  const auto outline = Pattern::parse("lock:{id:hex*4}")->outline();
  EXPECT_TRUE(outline.fits(Sight("lock:01af")));
  EXPECT_FALSE(outline.fits(Sight("lock:01a"))) << "too short";
  EXPECT_FALSE(outline.fits(Sight("lock:01af0"))) << "too long";
  EXPECT_FALSE(outline.fits(Sight("loc::01af"))) << "without the k";
  EXPECT_FALSE(outline.fits(Sight("lock:01aX"))) << "no hex digit";
  EXPECT_FALSE(outline.fits(Sight("lock:01a\xff"))) << "no ASCII";
  EXPECT_TRUE(Pattern::parse("{name}")->outline().fits(Sight("\xff")));
  EXPECT_TRUE(Outline().fits(Sight("")));
}

} // namespace
} // namespace lockhouse
