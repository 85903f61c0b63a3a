// SPDX-License-Identifier: Apache-2.0
#include "core/net/address/uri.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

Uri parsed(std::string_view text) {
  auto uri = parseUri(text);
  EXPECT_TRUE(uri.has_value()) << text << ": " << (uri ? "" : uri.error().sentence());
  return uri.value_or(Uri{});
}

TEST(Uri, takesAHostAloneWithTheDefaults) {
  const Uri expected{.host = "example.org"};
  EXPECT_EQ(parsed("redis://example.org"), expected);
  EXPECT_EQ(parsed("redis://example.org/"), expected);
  EXPECT_EQ(expected.port, 6379);
  EXPECT_EQ(expected.db, 0);
}

TEST(Uri, takesEveryPartOfATcpUri) {
  const Uri expected{.host = "10.0.0.1", .port = 7000, .db = 3, .user = "ann", .password = "s3cret"};
  EXPECT_EQ(parsed("redis://ann:s3cret@10.0.0.1:7000/3"), expected);
}

TEST(Uri, takesAPasswordOfTheDefaultUser) {
  const auto uri = parsed("redis://:s3cret@h");
  EXPECT_EQ(uri.user, "");
  EXPECT_EQ(uri.password, "s3cret");
}

TEST(Uri, decodesEscapesInUserPasswordAndPaths) {
  const auto uri = parsed("redis://a%40b:p%3A%2f%3F%25@h");
  EXPECT_EQ(uri.user, "a@b");
  EXPECT_EQ(uri.password, "p:/?%");
  EXPECT_EQ(parsed("unix:///a%20b.sock").path, "/a b.sock");
}

TEST(Uri, letsTheLastAtSignEndThePassword) {
  const auto uri = parsed("redis://u:p@ss@h:1");
  EXPECT_EQ(uri.password, "p@ss");
  EXPECT_EQ(uri.address(), "h:1");
}

TEST(Uri, takesIpv6InBrackets) {
  const auto uri = parsed("redis://[fe80::1]:7001/2");
  EXPECT_EQ(uri.host, "fe80::1");
  EXPECT_EQ(uri.port, 7001);
  EXPECT_EQ(uri.address(), "[fe80::1]:7001");
}

TEST(Uri, takesCertificatesOverTls) {
  const Uri expected{.kind = Uri::Kind::Tls, .host = "h", .caCert = "/a b/ca.pem", .cert = "c.pem", .key = "k.pem"};
  EXPECT_EQ(parsed("rediss://h?cacert=/a%20b/ca.pem&cert=c.pem&key=k.pem"), expected);
}

TEST(Uri, takesAUnixSocketWithLoginAndDatabase) {
  const Uri expected{.kind = Uri::Kind::Unix, .path = "/run/redis.sock", .db = 5, .user = "u", .password = "p"};
  EXPECT_EQ(parsed("unix://u:p@/run/redis.sock?db=5"), expected);
  EXPECT_EQ(expected.address(), "/run/redis.sock");
}

TEST(Uri, hidesThePasswordWhenShown) {
  EXPECT_EQ(parsed("redis://ann:s3cret@h:1/2").shown(), "redis://ann:***@h:1/2");
  EXPECT_EQ(parsed("redis://:s3cret@h").shown(), "redis://:***@h:6379");
  EXPECT_EQ(parsed("unix://:s3cret@/s?db=1").shown(), "unix://:***@/s?db=1");
  EXPECT_EQ(parsed("rediss://ann@h?cacert=ca.pem").shown(), "rediss://ann@h:6379?cacert=ca.pem");
}

class WrongUris : public testing::TestWithParam<const char *> {};

TEST_P(WrongUris, areRefusedAsUsage) {
  const auto uri = parseUri(GetParam());
  ASSERT_FALSE(uri.has_value());
  EXPECT_EQ(uri.error().code, ErrorCode::Usage);
  EXPECT_FALSE(uri.error().next.empty());
}

INSTANTIATE_TEST_SUITE_P(, WrongUris,
                         testing::Values("", "localhost", "http://h", "redis:/h", "redis://", "redis://:6379", "redis://h:", "redis://h:0", "redis://h:65536",
                                         "redis://h:6379x", "redis://h:+1", "redis://h/x", "redis://h/-1", "redis://h/1/2", "redis://::1", "redis://[::1",
                                         "redis://[::1]x", "redis://h h", "redis://u:%4@h", "redis://u:%zz@h", "redis://u:%00@h", "redis://h?db=1",
                                         "redis://h?cacert=x", "rediss://h?ca=x", "rediss://h?cacert", "rediss://h?cert=x", "rediss://h?key=x", "unix://",
                                         "unix:///", "unix://path/s", "unix:///s?db=x", "unix:///s?cacert=x"));

TEST(Uris, nameEveryDatabaseOnce) {
  EXPECT_EQ(parseUris(std::vector<std::string>{"redis://h", "redis://h/1", "unix:///h"}).value().size(), 3U);
  for (const auto *twin : {"redis://h", "redis://h:6379/0", "rediss://u:s3cret@h"}) {
    const auto uris = parseUris(std::vector<std::string>{"redis://h", twin});
    ASSERT_FALSE(uris) << twin;
    EXPECT_EQ(uris.error().code, ErrorCode::Usage);
    EXPECT_EQ(uris.error().sentence().find("s3cret"), std::string::npos) << uris.error().sentence();
  }
}

TEST(Uri, neverRepeatsAPasswordInAnError) {
  for (const char *text : {"redis://u:s3cret@", "redis://u:s3cret@h:x", "redis://u:s3cret/@h", "redis://u:?s3cret=1@h", "redis://u:x?s3cret@h",
                           "redis://u:s3cret%zz@h", "htt://u:s3cret@h"}) {
    const auto uri = parseUri(text);
    ASSERT_FALSE(uri.has_value()) << text;
    EXPECT_EQ(uri.error().sentence().find("s3cret"), std::string::npos) << uri.error().sentence();
  }
}

} // namespace
} // namespace lockhouse
