// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/loop/engine.h"

#include <asio/ip/tcp.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lockhouse {

/// Looks a host name up without holding up anyone. The C library's look-up blocks and cannot be stopped, so it runs on a thread of
/// its own that nobody waits for (Asio's resolver joins its thread, and a dead name server would then delay the loop's end).
class Resolver {
public:
  using Endpoints = std::vector<asio::ip::tcp::endpoint>;
  using Done = std::move_only_function<void(std::error_code, Endpoints)>;

  explicit Resolver(Loop &loop) : m_loop(loop) {}
  ~Resolver() { cancel(); }
  Resolver(const Resolver &) = delete;
  Resolver &operator=(const Resolver &) = delete;

  /// Every address of `host`, in the system's order of preference. `done` on the loop, never inside this call. Numbers need no
  /// look-up and no thread.
  void resolve(const std::string &host, std::uint16_t port, Done done);
  void cancel(); ///< `done` is not called any more

private:
  struct Question;
  Loop &m_loop;
  std::shared_ptr<Question> m_question;
};

} // namespace lockhouse
