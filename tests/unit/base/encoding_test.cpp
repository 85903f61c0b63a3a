// SPDX-License-Identifier: Apache-2.0
#include "core/base/encoding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace lockhouse {
namespace {

std::string encodeUtf8(char32_t c) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  if (c < 0x80)
    return {byte(c)};
  if (c < 0x800)
    return {byte(0xc0U | (c >> 6U)), byte(0x80U | (c & 0x3fU))};
  if (c < 0x10000)
    return {byte(0xe0U | (c >> 12U)), byte(0x80U | ((c >> 6U) & 0x3fU)), byte(0x80U | (c & 0x3fU))};
  return {byte(0xf0U | (c >> 18U)), byte(0x80U | ((c >> 12U) & 0x3fU)), byte(0x80U | ((c >> 6U) & 0x3fU)), byte(0x80U | (c & 0x3fU))};
}

TEST(DecodeUtf8, readsEveryCodePointThatUnicodeHas) {
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    const auto bytes = encodeUtf8(c);
    const auto decoded = decodeUtf8(bytes);
    if (c >= 0xd800 && c < 0xe000) {
      ASSERT_EQ(decoded.length, 0U) << "surrogate " << static_cast<std::uint32_t>(c);
    } else {
      ASSERT_EQ(decoded.length, bytes.size()) << static_cast<std::uint32_t>(c);
      ASSERT_EQ(decoded.codePoint, c);
    }
  }
}

TEST(DecodeUtf8, readsOnlyTheFirstCharacter) {
  const auto decoded = decodeUtf8("\xe8\xae\xa2\xe5\x8d\x95"); // 订单
  EXPECT_EQ(decoded.length, 3U);
  EXPECT_EQ(decoded.codePoint, U'订');
}

TEST(DecodeUtf8, refusesWhatIsNotUtf8) {
  const std::vector<std::string_view> refused{
      "",                 // nothing
      "\x80",             // a continuation alone
      "\xbf\xbf",         //
      "\xc0\x80",         // overlong NUL
      "\xc1\xbf",         // overlong
      "\xe0\x80\x80",     // overlong
      "\xe0\x9f\xbf",     // overlong
      "\xf0\x80\x80\x80", // overlong
      "\xf0\x8f\xbf\xbf", // overlong
      "\xed\xa0\x80",     // first surrogate
      "\xed\xbf\xbf",     // last surrogate
      "\xf4\x90\x80\x80", // past U+10FFFF
      "\xf5\x80\x80\x80", // a lead byte that no character has
      "\xff",             //
      "\xfe\xfe\xff\xff", //
      "\xc3",             // cut short
      "\xe8\xae",         // cut short
      "\xf0\x9f\x94",     // cut short
      "\xc3(",            // second byte is no continuation
      "\xe8(\xa2",        //
      "\xf0\x9f(\x92",    //
  };
  for (const auto bytes : refused) {
    EXPECT_EQ(decodeUtf8(bytes).length, 0U) << hex(bytes);
    EXPECT_EQ(isUtf8(bytes), bytes.empty()) << hex(bytes);
  }
}

TEST(IsUtf8, findsABadByteAnywhere) {
  EXPECT_TRUE(isUtf8("lock:订单:🔒"));
  EXPECT_FALSE(isUtf8("lock:\xff"));
  EXPECT_FALSE(isUtf8("\xfflock"));
  EXPECT_FALSE(isUtf8("lock:订单\xe8\xae"));
  EXPECT_TRUE(isUtf8(std::string_view("\0", 1)));
}

TEST(Base64, matchesTheVectorsOfRfc4648) {
  const std::vector<std::pair<std::string_view, std::string_view>> vectors{
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
  for (const auto &[plain, coded] : vectors) {
    EXPECT_EQ(base64(plain), coded);
    EXPECT_EQ(fromBase64(coded), plain);
  }
  EXPECT_EQ(base64("\xfb\xff\xfe"), "+//+");
}

TEST(Base64, refusesWhatIsNotPaddedStandardBase64) {
  for (const std::string_view text : {"Z", "Zg", "Zg=", "Zg===", "====", "=g==", "Z===", "Zg=a", "Zg==Zg==", "Z g=", "Zm9v\n", "-_-_", "Zm\0v"})
    EXPECT_EQ(fromBase64(text), std::nullopt) << text;
}

TEST(Base64, refusesASecondSpellingOfTheSameBytes) {
  EXPECT_EQ(fromBase64("Zh=="), std::nullopt) << "bits under the padding must be zero, or two texts would name one key";
  EXPECT_EQ(fromBase64("Zm9="), std::nullopt);
}

RC_GTEST_PROP(Base64, comesBackAsItWas, (const std::string &bytes)) {
  const auto text = base64(bytes);
  RC_ASSERT(text.size() == (bytes.size() + 2) / 3 * 4);
  RC_ASSERT(fromBase64(text) == bytes);
}

RC_GTEST_PROP(Base64, whatDecodesEncodesToTheSameText, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("AQgwZ+/9=")));
  if (const auto bytes = fromBase64(text))
    RC_ASSERT(base64(*bytes) == text);
}

TEST(Hex, writesTwoLowerCaseDigitsAByte) {
  EXPECT_EQ(hex(std::string_view("\x00\x0f\xa0\xff", 4)), "000fa0ff");
  EXPECT_EQ(hex(""), "");
}

TEST(Hex, isToldFromOtherText) {
  EXPECT_TRUE(isHex("0123456789abcdefABCDEF"));
  for (const auto *text : {"", "g", "0x1", "12 "})
    EXPECT_FALSE(isHex(text)) << text;
}

TEST(Uuid, isToldByItsForm) {
  EXPECT_TRUE(isUuid("5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01"));
  EXPECT_TRUE(isUuid("5B1C0A3E-6F0D-4F1A-9C58-2F4F0E7A1B01"));
  for (const auto *text : {"", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b0", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b012", "5b1c0a3e06f0d-4f1a-9c58-2f4f0e7a1b01",
                           "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1bg1", "5b1c0a3-e6f0d-4f1a-9c58-2f4f0e7a1b01"})
    EXPECT_FALSE(isUuid(text)) << text;
}

} // namespace
} // namespace lockhouse
