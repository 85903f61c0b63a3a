// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/plain_stream.h"

#include <asio/buffer.hpp>
#include <asio/write.hpp>

#include <array>

namespace lockhouse {
namespace {

class PlainStream final : public Stream {
public:
  explicit PlainStream(StreamSocket socket) : m_socket(std::move(socket)) {
    std::error_code ignored;
    m_socket.non_blocking(true, ignored);
  }

  void read(ReadDone done) override {
    m_socket.async_read_some(asio::buffer(m_buffer),
                             [self = shared_from_this(), this, done = std::move(done)](const std::error_code &error, std::size_t size) mutable {
                               done(error, std::string_view(m_buffer.data(), size));
                             });
  }

  std::size_t writeNow(std::string_view bytes, std::error_code &error) override {
    const auto size = m_socket.write_some(asio::buffer(bytes.data(), bytes.size()), error);
    if (error == asio::error::would_block || error == asio::error::try_again)
      error.clear();
    return size;
  }

  void write(std::string bytes, WriteDone done) override {
    m_writing = std::move(bytes);
    asio::async_write(m_socket, asio::buffer(m_writing),
                      [self = shared_from_this(), done = std::move(done)](const std::error_code &error, std::size_t) mutable { done(error); });
  }

  void close() override {
    std::error_code ignored;
    m_socket.close(ignored);
  }

private:
  StreamSocket m_socket;
  std::string m_writing;
  std::array<char, 64 * 1024> m_buffer; // not cleared: 64 KB a connection, filled by the kernel
};

} // namespace

std::shared_ptr<Stream> makePlainStream(StreamSocket socket) { return std::make_shared<PlainStream>(std::move(socket)); }

} // namespace lockhouse
