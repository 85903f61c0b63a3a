// SPDX-License-Identifier: Apache-2.0
#include "core/base/safe_text.h"

#include "core/base/encoding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace lockhouse {
namespace {

struct Shown {
  std::string bytes;
  std::string text;
};

// Names that a hostile or careless client can give a lock, and what a person gets to see.
const std::vector<Shown> &corpus() {
  using namespace std::string_literals;
  static const std::vector<Shown> names{
      // plain names stay as they are
      {"", ""},
      {"lock:order:7", "lock:order:7"},
      {"with space", "with space"},
      {"订单:锁", "订单:锁"},
      {"замок", "замок"},
      {"قفل", "قفل"},
      {"e\xcc\x81", "e\xcc\x81"}, // a combining accent belongs to its letter
      {"🔒", "🔒"},
      {"ﬁ", "ﬁ"},
      {"{tag}:a", "{tag}:a"},
      // things that mean something to somebody else
      {"<b>bold</b><img src=x onerror=alert(1)>", "<b>bold</b><img src=x onerror=alert(1)>"},
      {"&lt;&amp;", "&lt;&amp;"},
      {"%s%n%1$p", "%s%n%1$p"},
      {"{}{0}", "{}{0}"},
      {"%1 %L2", "%1 %L2"},
      {"*?[a-z]", "*?[a-z]"},
      {"../../etc/passwd", "../../etc/passwd"},
      {"$(reboot)`id`", "$(reboot)`id`"},
      {"'; DROP TABLE audit;--", "'; DROP TABLE audit;--"},
      {"=HYPERLINK(\"http://x\")", "=HYPERLINK(\"http://x\")"},
      {"{\"json\":1}", "{\"json\":1}"},
      // C0 controls and DEL
      {"\x1b[31mred\x07", "\\x1b[31mred\\x07"},
      {"\x1b]0;title\x07", "\\x1b]0;title\\x07"},
      {"\x1b]8;;http://evil\x1b\\link", "\\x1b]8;;http://evil\\x1b\\link"},
      {"a\nb", "a\\nb"},
      {"a\r\nb", "a\\r\\nb"},
      {"a\tb", "a\\tb"},
      {"a\bb", "a\\x08b"},
      {"a\vb\fc", "a\\x0bb\\x0cc"},
      {"nul\0nul"s, "nul\\x00nul"},
      {"\0"s, "\\x00"},
      {"\x7f", "\\x7f"},
      // C1 controls, valid UTF-8 and raw
      {"\xc2\x9b"
       "31m",
       "\\u{9b}31m"},
      {"\xc2\x85", "\\u{85}"},
      {"\x9b"
       "31m",
       "\\x9b31m"},
      // direction
      {"\u202egnp.exe", "\\u{202e}gnp.exe"},
      {"\u202d\u202a\u202b\u202c", "\\u{202d}\\u{202a}\\u{202b}\\u{202c}"},
      {"\u2066a\u2067b\u2068c\u2069", "\\u{2066}a\\u{2067}b\\u{2068}c\\u{2069}"},
      {"\u200ea\u200f", "\\u{200e}a\\u{200f}"},
      {"\u061c", "\\u{61c}"},
      // what has no width
      {"lock\u200b:a", "lock\\u{200b}:a"},
      {"a\u200cb\u200dc", "a\\u{200c}b\\u{200d}c"},
      {"\u2060", "\\u{2060}"},
      {"\ufeffbom", "\\u{feff}bom"},
      {"soft\u00adhyphen", "soft\\u{ad}hyphen"},
      {"\u180e", "\\u{180e}"},
      {"a\ufe0f", "a\\u{fe0f}"},
      {"\U000e0061\U000e007f", "\\u{e0061}\\u{e007f}"}, // tag characters
      {"\U000e0100", "\\u{e0100}"},                     // a variation selector
      {"\u115f\u1160", "\\u{115f}\\u{1160}"},           // Hangul fillers
      {"\u3164\uffa0", "\\u{3164}\\u{ffa0}"},
      {"\u2800", "\\u{2800}"}, // the Braille blank
      {"\u034f", "\\u{34f}"},  // combining grapheme joiner
      // line breaks of Unicode
      {"a\u2028b", "a\\u{2028}b"},
      {"a\u2029b", "a\\u{2029}b"},
      // not characters
      {"\ufffe"s, "\\u{fffe}"},
      {"\uffff"s, "\\u{ffff}"},
      {"\U0010ffff", "\\u{10ffff}"},
      {"\ufff9a\ufffab\ufffb", "\\u{fff9}a\\u{fffa}b\\u{fffb}"},
      // not UTF-8
      {"\xff\xfe", "\\xff\\xfe"},
      {"\x80", "\\x80"},
      {"\xc0\xaf", "\\xc0\\xaf"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
      {"cut\xe8\xae", "cut\\xe8\\xae"},
      {"\xc3(", "\\xc3("},
      {"\xac\xed\x00\x05t\x00\x04lock"s, "\\xac\\xed\\x00\\x05t\\x00\\x04lock"}, // a key of Java serialisation
      // backslashes: doubled only where they would read as an escape
      {"C:\\dir", "C:\\dir"},
      {"\\x41", "\\\\x41"},
      {"\\n", "\\\\n"},
      {"\\u{202e}", "\\\\u{202e}"},
      {"\\\\", "\\\\\\"},
      {"\\\n", "\\\\\\n"},
      {"\\\xff", "\\\\\\xff"},
      {"end\\", "end\\"},
  };
  return names;
}

std::vector<char32_t> codePoints(std::string_view text) {
  std::vector<char32_t> all;
  while (!text.empty()) {
    const auto c = decodeUtf8(text);
    if (c.length == 0)
      return {};
    all.push_back(c.codePoint);
    text.remove_prefix(c.length);
  }
  return all;
}

// What no shown text may hold, whatever went in. Written apart from the list in safe_text.cpp.
bool isHarmless(std::string_view text) {
  if (!isUtf8(text))
    return false;
  for (const char32_t c : codePoints(text)) {
    const bool control = c < 0x20 || c == 0x7f || (c >= 0x80 && c <= 0x9f);
    const bool direction = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    const bool invisible = c == 0xad || (c >= 0x200b && c <= 0x200d) || c == 0x2060 || c == 0xfeff || (c >= 0xe0000 && c <= 0xe0fff);
    const bool breaks = c == 0x2028 || c == 0x2029;
    if (control || direction || invisible || breaks)
      return false;
  }
  return true;
}

class HostileName : public testing::TestWithParam<std::size_t> {};

TEST_P(HostileName, isShownAsPlainHarmlessText) {
  const auto &[bytes, text] = corpus()[GetParam()];
  EXPECT_EQ(safeText(bytes), text);
  EXPECT_TRUE(isHarmless(safeText(bytes)));
}

TEST_P(HostileName, staysHarmlessWhenCutAtAnyLength) {
  const auto &[bytes, text] = corpus()[GetParam()];
  for (std::size_t most = 0; most <= 40; ++most) {
    EXPECT_TRUE(isHarmless(safeText(bytes, most))) << most;
    EXPECT_TRUE(isHarmless(safeText(bytes + bytes + "tail" + bytes, most))) << most;
  }
}

TEST_P(HostileName, isFoundByWhatIsShown) { EXPECT_EQ(bytesShownAs(corpus()[GetParam()].text), corpus()[GetParam()].bytes); }

INSTANTIATE_TEST_SUITE_P(Corpus, HostileName, testing::Range<std::size_t>(0, corpus().size()));

TEST(SafeText, theCorpusIsLarge) { EXPECT_GE(corpus().size(), 60U); }

TEST(SafeText, aLongNameKeepsItsHeadAndItsTail) {
  const std::string name = "lock:" + std::string(100000, 'k') + ":end";
  const auto shown = safeText(name, 30);
  EXPECT_EQ(codePoints(shown).size(), 30U);
  EXPECT_TRUE(shown.starts_with("lock:kkk"));
  EXPECT_TRUE(shown.ends_with("kkk:end"));
  EXPECT_NE(shown.find("…"), std::string::npos);
}

TEST(SafeText, aNameThatFitsIsNotCut) {
  EXPECT_EQ(safeText("abcd", 4), "abcd");
  EXPECT_EQ(safeText("订单订单", 4), "订单订单");
}

TEST(SafeText, isNotFooledIntoLookingAtAHugeNameWhole) {
  std::string name;
  name.resize(100'000'000, '\xff');
  EXPECT_LT(safeText(name).size(), 2000U);
}

TEST(SafeText, cutsBetweenCharactersNeverInsideOne) {
  std::string name;
  for (int i = 0; i < 200; ++i)
    name += "订🔒é";
  for (std::size_t most = 3; most < 60; ++most) {
    const auto shown = safeText(name, most);
    EXPECT_TRUE(isUtf8(shown)) << most;
    EXPECT_EQ(shown.find("\\x"), std::string::npos) << most << ": " << shown;
    EXPECT_LE(codePoints(shown).size(), most);
  }
}

RC_GTEST_PROP(SafeText, whateverComesInWhatGoesOutIsHarmless, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  RC_ASSERT(isHarmless(safeText(bytes)));
}

RC_GTEST_PROP(SafeText, whatIsShownWholeTellsTheBytes, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::oneOf(rc::gen::arbitrary<char>(), rc::gen::elementOf(std::string("\\nrtxu{}0a\n\x85\xc2"))));
  RC_ASSERT(bytesShownAs(safeText(bytes, bytes.size())) == std::optional(bytes));
}

TEST(SafeText, whatNoBytesAreShownAsTellsNone) {
  for (const auto *text : {"\\x41", "\\u{41}", "\\u{d800}", "\\u{110000}", "\\xzz", "\\u{}", "\\u{2028", "\n", "\xff", "\\x0a"})
    EXPECT_EQ(bytesShownAs(text), std::nullopt) << text;
}

RC_GTEST_PROP(SafeText, textWithoutAnythingSpecialIsUnchanged, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc:/{}<>&%*[]$ 0123")));
  RC_PRE(text.size() <= 256);
  RC_ASSERT(safeText(text) == text);
}

} // namespace
} // namespace lockhouse
