// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/stream/stream.h"

#include <asio/generic/stream_protocol.hpp>

namespace lockhouse {

using StreamSocket = asio::generic::stream_protocol::socket; // TCP and Unix alike

/// A stream over a connected socket, as it is.
std::shared_ptr<Stream> makePlainStream(StreamSocket socket);

} // namespace lockhouse
