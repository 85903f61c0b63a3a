// SPDX-License-Identifier: Apache-2.0
// TLS against a real server: whoever is not the named host, with a certificate of a known authority, is not talked to.
#include "tests/server/net/net_house.h"
#include "tests/support/scripted_peer.h"
#include "tests/support/socket_fd.h"
#include "tests/support/test_authority.h"

namespace lockhouse::test {
namespace {

class Tls : public testing::Test {
protected:
  static void SetUpTestSuite() {
    s_authority = std::make_unique<TestAuthority>("Lockhouse test authority");
    s_good = s_authority->sign("good", "DNS:localhost,IP:127.0.0.1");
  }
  static void TearDownTestSuite() { s_authority.reset(); }

  // The port may be taken by another process between the look and the start: then another one is tried.
  Uri serve(const TestAuthority::Pair &pair, const std::string &clients = "no", std::vector<std::string> more = {}) {
    for (int tries = 0; tries < 5; ++tries) {
      m_port = SocketFd::listenOnLoopback().port();
      std::vector<std::string> config{
          "--tls-port",        std::to_string(m_port), "--bind", "127.0.0.1", "--tls-cert-file", pair.cert, "--tls-key-file", pair.key, "--tls-ca-cert-file",
          s_authority->cert(), "--tls-auth-clients",   clients};
      config.insert(config.end(), more.begin(), more.end());
      auto server = Sandbox::start({.tcp = false, .config = config});
      if (!server)
        continue;
      m_server.emplace(std::move(*server));
      Uri uri;
      uri.kind = Uri::Kind::Tls;
      uri.host = "127.0.0.1";
      uri.port = static_cast<std::uint16_t>(m_port);
      uri.caCert = s_authority->cert();
      return uri;
    }
    throw std::runtime_error("no TLS server");
  }

  static Error rejection(const Uri &uri, milliseconds patience = milliseconds(10000)) {
    auto options = hasty();
    options.connectTimeout = patience;
    Line line(uri, options);
    const auto why = line.whyDown();
    EXPECT_EQ(line.timesReady(), 0);
    return why;
  }

  static inline std::unique_ptr<TestAuthority> s_authority;
  static inline TestAuthority::Pair s_good;
  std::optional<Sandbox> m_server;
  int m_port = 0;
};

TEST_F(Tls, talksToAServerOfTheNamedAuthority) {
  auto uri = serve(s_good);
  Line byNumber(uri);
  uri.host = "localhost";
  Line byName(uri);
  for (auto *line : {&byNumber, &byName}) {
    ASSERT_TRUE(line->isReady());
    const std::string value(300000, 'x');
    EXPECT_TRUE(line->ask(Command{"SET", "k", value})->isOk());
    EXPECT_EQ(*line->ask({"GET", "k"})->bulk(), value);
  }
}

TEST_F(Tls, losesAnEstablishedLineLikeAnyOther) {
  Line line(serve(s_good));
  ASSERT_TRUE(line.isReady());
  m_server->kill();                     // no goodbye: TLS calls that a truncated stream
  const auto why = line.whyFirstDown(); // the next try may meet a server that is not all gone
  EXPECT_EQ(why.code, ErrorCode::Unreachable) << why.sentence();
}

TEST_F(Tls, pipelinesAsWell) {
  Line line(serve(s_good));
  ASSERT_TRUE(line.isReady());
  std::vector<std::future<Result<Reply>>> answers;
  for (int i = 0; i < 5000; ++i)
    answers.push_back(line.send({"INCR", "n"}));
  for (std::size_t i = 0; i < answers.size(); ++i)
    ASSERT_EQ(answers[i].get()->integer(), static_cast<std::int64_t>(i) + 1);
}

TEST_F(Tls, carriesASubscriber) {
  const auto uri = serve(s_good);
  Line line(uri);
  Ear ear(uri, hasty(), {"c"});
  ear.open();
  ASSERT_TRUE(line.isReady() && ear.isUp());
  line.ask({"PUBLISH", "c", "x"});
  EXPECT_TRUE(ear.ping().has_value());
  EXPECT_EQ(ear.heard().size(), 1U);
}

TEST_F(Tls, refusesACertificateOfAnotherName) {
  auto uri = serve(s_authority->sign("elsewhere", "DNS:elsewhere.example"));
  uri.host = "localhost";
  const auto why = rejection(uri);
  EXPECT_EQ(why.code, ErrorCode::TlsRejected);
  EXPECT_NE(why.what.english().find("hostname mismatch"), std::string::npos) << why.sentence();
}

TEST_F(Tls, refusesACertificateOfAnotherAddress) {
  const auto uri = serve(s_authority->sign("address", "DNS:localhost,IP:127.0.0.2"));
  const auto why = rejection(uri);
  EXPECT_EQ(why.code, ErrorCode::TlsRejected);
  EXPECT_NE(why.what.english().find("IP address mismatch"), std::string::npos) << why.sentence();
}

TEST_F(Tls, refusesAnAuthorityThatItDoesNotKnow) {
  const TestAuthority other("another authority");
  auto uri = serve(s_good);
  uri.caCert = other.cert();
  const auto why = rejection(uri);
  EXPECT_EQ(why.code, ErrorCode::TlsRejected);
  EXPECT_NE(why.next.english().find("cacert"), std::string::npos) << why.sentence();
}

TEST_F(Tls, refusesAPrivateAuthorityWithoutCacert) {
  auto uri = serve(s_good);
  uri.caCert.clear();
  EXPECT_EQ(rejection(uri).code, ErrorCode::TlsRejected);
}

TEST_F(Tls, refusesASelfSignedCertificate) {
  const TestAuthority self("127.0.0.1");
  auto uri = serve({self.cert(), self.key()});
  EXPECT_EQ(rejection(uri).code, ErrorCode::TlsRejected);
}

TEST_F(Tls, refusesAnExpiredCertificate) {
  const auto why = rejection(serve(s_authority->sign("old", "DNS:localhost,IP:127.0.0.1", -1)));
  EXPECT_EQ(why.code, ErrorCode::TlsRejected);
  EXPECT_NE(why.what.english().find("expired"), std::string::npos) << why.sentence();
}

TEST_F(Tls, refusesAnythingOlderThanTls12) {
  const auto uri = serve(s_good, "no", {"--tls-protocols", "TLSv1.1", "--tls-ciphers", "ALL:@SECLEVEL=0"});
  EXPECT_EQ(rejection(uri).code, ErrorCode::TlsRejected);
}

TEST_F(Tls, showsTheClientCertificateThatTheServerWants) {
  auto uri = serve(s_good, "yes");
  const auto mine = s_authority->sign("keeper", "DNS:keeper");
  uri.cert = mine.cert;
  uri.key = mine.key;
  Line line(uri);
  EXPECT_TRUE(line.isReady());
}

TEST_F(Tls, saysThatTheServerWantsAClientCertificate) {
  const auto why = rejection(serve(s_good, "yes"));
  EXPECT_EQ(why.code, ErrorCode::TlsRejected);
  EXPECT_NE(why.sentence().find("client certificate"), std::string::npos) << why.sentence();
}

TEST_F(Tls, saysWhichFileCannotBeRead) {
  auto uri = serve(s_good);
  uri.caCert = "/no/such/file.pem";
  const auto why = rejection(uri);
  EXPECT_EQ(why.code, ErrorCode::TlsRejected);
  EXPECT_EQ(why.where, "/no/such/file.pem");
}

// It waits for the rest of what it takes for a command.
TEST_F(Tls, saysThatAPlainServerDoesNotAnswerTls) {
  const auto plain = startServer({}, true);
  auto uri = plain.tcpUri();
  uri.kind = Uri::Kind::Tls;
  const auto why = rejection(uri, milliseconds(300));
  EXPECT_EQ(why.code, ErrorCode::TlsRejected);
  EXPECT_NE(why.next.english().find("redis://"), std::string::npos) << why.sentence();
}

TEST_F(Tls, saysThatAServerThatSpeaksAtOnceDoesNotSpeakTls) {
  ScriptedPeer peer([](Conversation &conversation) {
    conversation.say("-ERR max number of clients reached\r\n");
    conversation.waitForHangUp();
  });
  auto uri = peer.uri();
  uri.kind = Uri::Kind::Tls;
  const auto why = rejection(uri);
  EXPECT_EQ(why.code, ErrorCode::TlsRejected);
  EXPECT_NE(why.what.english().find("does not speak TLS"), std::string::npos) << why.sentence();
}

TEST_F(Tls, saysThatATlsServerWantsTls) {
  auto uri = serve(s_good);
  uri.kind = Uri::Kind::Tcp;
  const auto why = rejection(uri);
  EXPECT_NE(why.sentence().find("rediss://"), std::string::npos) << why.sentence();
}

TEST_F(Tls, saysThatTheHandshakeWasCutShort) {
  ScriptedPeer peer([](Conversation &conversation) { conversation.say(std::string("\x16\x03\x03\x00\x7a", 5)); });
  auto uri = peer.uri();
  uri.kind = Uri::Kind::Tls;
  EXPECT_EQ(rejection(uri).code, ErrorCode::TlsRejected);
}

TEST_F(Tls, mayBeDestroyedInTheMiddleOfAHandshake) {
  ScriptedPeer peer([](Conversation &conversation) { conversation.waitForHangUp(); });
  auto uri = peer.uri();
  uri.kind = Uri::Kind::Tls;
  Line line(uri);
  EXPECT_TRUE(eventually([&] { return peer.accepted() == 1; }));
}

} // namespace
} // namespace lockhouse::test
