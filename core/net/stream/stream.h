// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace lockhouse {

/// One connected two-way byte stream: TCP, Unix or TLS. Loop thread only. Owns the buffers of its operations and stays alive
/// until they have ended; an operation ended by close() still calls its handler, with an error.
class Stream : public std::enable_shared_from_this<Stream> {
public:
  using ReadDone = std::move_only_function<void(std::error_code, std::string_view)>;
  using WriteDone = std::move_only_function<void(std::error_code)>;

  virtual ~Stream() = default;
  /// Waits for bytes and hands them on; they are valid during the call. One at a time.
  virtual void read(ReadDone done) = 0;
  /// Writes what goes out without waiting; returns how much that was, maybe nothing.
  virtual std::size_t writeNow(std::string_view bytes, std::error_code &error) = 0;
  /// Writes all of `bytes`, waiting as needed. One at a time, and no writeNow() meanwhile.
  virtual void write(std::string bytes, WriteDone done) = 0;
  virtual void close() = 0;
};

} // namespace lockhouse
