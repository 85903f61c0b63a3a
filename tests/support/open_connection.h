// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/connection.h"
#include "core/net/loop/loop.h"

#include <future>
#include <memory>
#include <utility>

namespace lockhouse::test {

/// A connection of `loop`, made from outside its thread and ready to send. To be destroyed on the loop's thread.
inline std::unique_ptr<Connection> openConnection(Loop &loop, const Uri &uri) {
  std::unique_ptr<Connection> connection;
  std::promise<void> ready;
  loop.call([&] {
    connection = std::make_unique<Connection>(loop, uri, ConnectionOptions{});
    connection->onState([&ready](Connection::State state, const Error *) {
      if (state == Connection::State::Ready)
        ready.set_value();
    });
    connection->open();
  });
  ready.get_future().wait();
  loop.call([&] { connection->onState([](Connection::State, const Error *) {}); }); // `ready` goes
  return connection;
}

} // namespace lockhouse::test
