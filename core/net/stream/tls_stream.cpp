// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/tls_stream.h"

#include "core/base/safe_text.h"

#include <asio/buffer.hpp>
#include <asio/ip/address.hpp>
#include <asio/ssl/context.hpp>
#include <asio/ssl/error.hpp>
#include <asio/ssl/stream.hpp>
#include <asio/write.hpp>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <array>

namespace lockhouse {
namespace {

constexpr auto checkTls = LH_MESSAGE("ErrorWords", "check that this port speaks TLS, and the certificates in the URL");

Error rejected(Message what, const Uri &uri, Message next) { return {ErrorCode::TlsRejected, std::move(what), uri.address(), std::move(next)}; }

Message nextStepFor(long verdict, const Uri &uri) {
  switch (verdict) {
  case X509_V_ERR_HOSTNAME_MISMATCH:
  case X509_V_ERR_IP_ADDRESS_MISMATCH: return LH_MESSAGE("ErrorWords", "connect by a name that the certificate holds instead of '%1'")(safeText(uri.host, 100));
  case X509_V_ERR_CERT_HAS_EXPIRED:
  case X509_V_ERR_CERT_NOT_YET_VALID: return LH_MESSAGE("ErrorWords", "renew the server's certificate, or set this machine's clock");
  default: return LH_MESSAGE("ErrorWords", "name the authority that signed it with ?cacert=FILE");
  }
}

class TlsStream final : public Stream {
public:
  TlsStream(StreamSocket socket, const Uri &uri)
      : m_context(asio::ssl::context::tls_client), m_uri(uri), m_executor(socket.get_executor()), m_raw(std::move(socket)) {}

  void handshake(std::move_only_function<void(Result<void>)> done) {
    if (auto prepared = prepare(); !prepared)
      return done(std::move(prepared));
    m_ssl->async_handshake(asio::ssl::stream_base::client, [self = shared_from_this(), this, done = std::move(done)](const std::error_code &error) mutable {
      const long verdict = SSL_get_verify_result(m_ssl->native_handle());
      if (!error)
        done({});
      else if (verdict != X509_V_OK)
        done(std::unexpected(
            rejected(LH_MESSAGE("ErrorWords", "the server's certificate was refused: %1")(systemMessage(X509_verify_cert_error_string(verdict))), m_uri,
                     nextStepFor(verdict, m_uri))));
      else
        done(std::unexpected(tlsRejection(error, m_uri)));
    });
  }

  void read(ReadDone done) override {
    m_ssl->async_read_some(asio::buffer(m_buffer),
                           [self = shared_from_this(), this, done = std::move(done)](const std::error_code &error, std::size_t size) mutable {
                             done(error, std::string_view(m_buffer.data(), size));
                           });
  }

  std::size_t writeNow(std::string_view, std::error_code &) override { return 0; }

  void write(std::string bytes, WriteDone done) override {
    m_writing = std::move(bytes);
    asio::async_write(*m_ssl, asio::buffer(m_writing),
                      [self = shared_from_this(), done = std::move(done)](const std::error_code &error, std::size_t) mutable { done(error); });
  }

  // Without close_notify: the replies are framed, and waiting for the peer to answer it could take for ever.
  void close() override {
    std::error_code ignored;
    (m_ssl ? m_ssl->next_layer() : m_raw).close(ignored);
  }

private:
  asio::ssl::context m_context;
  Uri m_uri;
  StreamSocket::executor_type m_executor;
  StreamSocket m_raw; // until the handshake begins
  std::unique_ptr<asio::ssl::stream<StreamSocket>> m_ssl;
  std::string m_writing;
  std::array<char, 64 * 1024> m_buffer;

  Result<void> load(const std::string &file, Message what, const std::error_code &error) const {
    if (error)
      return fail(ErrorCode::TlsRejected, LH_MESSAGE("ErrorWords", "%1 cannot be read: %2")(std::move(what), systemMessage(error)), safeText(file),
                  LH_MESSAGE("ErrorWords", "check the file that the URL names"));
    return {};
  }

  Result<void> loadFiles() {
    std::error_code error;
    SSL_CTX_set_min_proto_version(m_context.native_handle(), TLS1_2_VERSION);
    m_context.set_verify_mode(asio::ssl::verify_peer, error);
    if (m_uri.caCert.empty())
      m_context.set_default_verify_paths(error);
    else
      m_context.load_verify_file(m_uri.caCert, error);
    if (auto loaded = load(m_uri.caCert, LH_MESSAGE("ErrorWords", "the trusted certificates"), error); !loaded || m_uri.cert.empty())
      return loaded;
    m_context.use_certificate_chain_file(m_uri.cert, error);
    if (auto loaded = load(m_uri.cert, LH_MESSAGE("ErrorWords", "the client certificate"), error); !loaded)
      return loaded;
    m_context.use_private_key_file(m_uri.key, asio::ssl::context::pem, error);
    return load(m_uri.key, LH_MESSAGE("ErrorWords", "the private key"), error);
  }

  Result<void> prepare() {
    ERR_clear_error();
    if (auto loaded = loadFiles(); !loaded)
      return loaded;
    m_ssl = std::make_unique<asio::ssl::stream<StreamSocket>>(std::move(m_raw), m_context);
    auto *ssl = m_ssl->native_handle();
    std::error_code notANumber;
    asio::ip::make_address(m_uri.host, notANumber);
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    // SSL_set_tlsext_host_name() is a macro with a cast of the old style.
    const auto announce = [&] { return SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, const_cast<char *>(m_uri.host.c_str())) == 1; };
    const bool named =
        notANumber ? SSL_set1_host(ssl, m_uri.host.c_str()) == 1 && announce() : X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), m_uri.host.c_str()) == 1;
    if (!named)
      return std::unexpected(rejected(LH_MESSAGE("ErrorWords", "the host's name cannot be checked against a certificate"), m_uri,
                                      LH_MESSAGE("ErrorWords", "check the host in the URL")));
    return {};
  }
};

} // namespace

std::shared_ptr<Stream> secureStream(StreamSocket socket, const Uri &uri, std::move_only_function<void(Result<void>)> done) {
  auto stream = std::make_shared<TlsStream>(std::move(socket), uri);
  stream->handshake(std::move(done));
  return stream;
}

bool isTlsError(const std::error_code &error) {
  return error.category() == asio::error::get_ssl_category() || error.category() == asio::ssl::error::get_stream_category();
}

Error tlsRejection(const std::error_code &error, const Uri &uri) {
  const auto packed = static_cast<unsigned long>(error.value());
  if (error.category() == asio::error::get_ssl_category() && ERR_GET_REASON(packed) == SSL_R_WRONG_VERSION_NUMBER)
    return rejected(LH_MESSAGE("ErrorWords", "the server does not speak TLS on this port"), uri,
                    LH_MESSAGE("ErrorWords", "use redis:// instead of rediss://, or the server's TLS port"));
  if (error.category() == asio::error::get_ssl_category() && ERR_GET_REASON(packed) == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED)
    return rejected(LH_MESSAGE("ErrorWords", "the server wants a client certificate"), uri, LH_MESSAGE("ErrorWords", "name one with ?cert=FILE&key=FILE"));
  if (error == asio::error::eof || error == asio::ssl::error::stream_truncated || error == asio::error::connection_reset)
    return rejected(LH_MESSAGE("ErrorWords", "the server ended the TLS handshake"), uri, checkTls);
  const char *reason = error.category() == asio::error::get_ssl_category() ? ERR_reason_error_string(packed) : nullptr;
  return rejected(LH_MESSAGE("ErrorWords", "TLS failed: %1")(systemMessage(safeText(reason != nullptr ? reason : error.message()))), uri, checkTls);
}

} // namespace lockhouse
