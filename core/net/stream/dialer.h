// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/net/address/uri.h"
#include "core/net/stream/plain_stream.h"
#include "core/net/stream/resolver.h"

#include <memory>
#include <optional>

namespace lockhouse {

/// One attempt to get a stream to a node: name look-up, connect to each address in turn (each may take an equal share of the time
/// that is left, so that a first address which swallows packets leaves time for a second), TLS. Loop thread only.
class Dialer : public std::enable_shared_from_this<Dialer> {
public:
  using Done = std::move_only_function<void(Result<std::shared_ptr<Stream>>)>;

  Dialer(Loop &loop, const Uri &uri, milliseconds timeout);

  /// `done` once, never inside this call, at the latest when the time is over. The dialer keeps itself alive until then.
  void start(Done done);
  void cancel(); ///< `done` is not called any more

private:
  Loop &m_loop;
  Uri m_uri;
  milliseconds m_timeout;
  SteadyTime m_deadline{};
  Resolver m_resolver;
  Timer m_limit; // of the whole attempt
  Timer m_turn;  // of the address at hand
  Done m_done;
  Resolver::Endpoints m_addresses;
  std::size_t m_tried = 0;
  std::optional<StreamSocket> m_socket;
  std::shared_ptr<Stream> m_stream;
  Error m_last;

  void connectUnix();
  void tryNext();
  void connected(const std::error_code &error);
  void tune();
  void secure();
  void finish(Result<std::shared_ptr<Stream>> result);
  Error timedOut() const;
  Error failure(const std::error_code &error) const;
};

} // namespace lockhouse
