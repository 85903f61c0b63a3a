// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/resolver.h"

#include <asio/error.hpp>
#include <asio/ip/address.hpp>

#include <netdb.h>

#include <algorithm>

namespace lockhouse {

// Shared with the thread that asks. `loop` is null once nobody wants the answer: the loop may be gone by then.
struct Resolver::Question {
  std::mutex mutex;
  Loop *loop = nullptr;
  Done done; // loop thread only
};

namespace {

bool isLocalhost(std::string_view host) {
  constexpr std::string_view name = "localhost";
  return std::ranges::equal(host, name, {}, [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
}

Resolver::Endpoints lookUp(const std::string &host, std::uint16_t port, std::error_code &error) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo *found = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); code != 0) {
    error = std::error_code(code, asio::error::get_addrinfo_category());
    return {};
  }
  Resolver::Endpoints endpoints;
  for (const addrinfo *entry = found; entry != nullptr; entry = entry->ai_next) {
    asio::ip::tcp::endpoint endpoint;
    if (entry->ai_addrlen > endpoint.capacity())
      continue;
    endpoint.resize(entry->ai_addrlen);
    std::memcpy(endpoint.data(), entry->ai_addr, entry->ai_addrlen);
    endpoint.port(port);
    endpoints.push_back(endpoint);
  }
  ::freeaddrinfo(found);
  return endpoints;
}

} // namespace

void Resolver::resolve(const std::string &host, std::uint16_t port, Done done) {
  cancel();
  m_question = std::make_shared<Question>();
  m_question->loop = &m_loop;
  m_question->done = std::move(done);
  const auto answer = [](const std::shared_ptr<Question> &question, std::error_code error, Endpoints endpoints) {
    const std::lock_guard hold(question->mutex);
    if (question->loop != nullptr)
      question->loop->post([question, error, endpoints = std::move(endpoints)]() mutable {
        if (auto then = std::exchange(question->done, nullptr))
          then(error, std::move(endpoints));
      });
  };
  if (isLocalhost(host)) // never asked for, RFC 6761: a bare machine has no /etc/hosts
    return answer(m_question, {}, {{asio::ip::address_v4::loopback(), port}, {asio::ip::address_v6::loopback(), port}});
  std::error_code notANumber;
  if (const auto address = asio::ip::make_address(host, notANumber); !notANumber)
    return answer(m_question, {}, {asio::ip::tcp::endpoint(address, port)});
  try {
    std::thread([question = m_question, host, port, answer] {
      std::error_code error;
      auto endpoints = lookUp(host, port, error);
      answer(question, error, std::move(endpoints));
    }).detach();
  } catch (const std::system_error &noThread) {
    answer(m_question, noThread.code(), {});
  }
}

void Resolver::cancel() {
  if (!m_question)
    return;
  m_question->done = nullptr;
  const std::lock_guard hold(m_question->mutex);
  m_question->loop = nullptr;
}

} // namespace lockhouse
