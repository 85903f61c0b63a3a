// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/net/address/uri.h"
#include "core/net/stream/plain_stream.h"

#include <functional>
#include <memory>

namespace lockhouse {

/// Secures `socket` for `uri`: TLS 1.2 or newer, the chain checked against ?cacert= or the system's trust store, the certificate's
/// name against the host (or its IP address entry, when the host is a number), SNI for names, ?cert= and ?key= shown if asked.
/// There is no way to switch a check off. `done` gets the stream, or TlsRejected with the reason; never inside this call unless a
/// file of `uri` cannot be read. Closing the returned stream ends the handshake.
std::shared_ptr<Stream> secureStream(StreamSocket socket, const Uri &uri, std::move_only_function<void(Result<void>)> done);

/// True for an error of the TLS layer, as opposed to the socket's.
bool isTlsError(const std::error_code &error);

/// What went wrong in TLS with `uri`'s node, in words a person can act on.
Error tlsRejection(const std::error_code &error, const Uri &uri);

} // namespace lockhouse
