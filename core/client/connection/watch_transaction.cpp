// SPDX-License-Identifier: Apache-2.0
#include "core/client/connection/watch_transaction.h"

#include <utility>

namespace lockhouse {
namespace {

void ignore(const Result<Reply> &) {}

} // namespace

void WatchTransaction::run(std::string key, std::string value, Command command, Connection::Handler handler) {
  m_jobs.push_back({std::move(key), std::move(value), std::move(command), std::move(handler)});
  if (m_jobs.size() == 1)
    readValue();
}

void WatchTransaction::readValue() {
  m_connection.send({"WATCH", m_jobs.front().key},
                    [this](const Result<Reply> &reply) { m_refusal = reply && reply->isFailure() ? std::optional(*reply) : std::nullopt; });
  m_connection.send({"GET", m_jobs.front().key}, [this](const Result<Reply> &reply) { compared(reply); });
}

void WatchTransaction::compared(const Result<Reply> &reply) {
  const auto &job = m_jobs.front();
  if (!reply)
    return finish(reply);
  if (m_refusal) // without WATCH the key could change owners between the two
    return finish(*std::exchange(m_refusal, std::nullopt));
  if (reply->text() != job.value) {
    m_connection.send({"UNWATCH"}, ignore);
    return finish(reply->isNil() ? Reply(std::int64_t{-1}) : reply->isFailure() ? *reply : Reply(std::int64_t{0}));
  }
  m_connection.send({"MULTI"}, ignore);
  m_connection.send(job.command, ignore);
  m_connection.send({"EXEC"}, [this](const Result<Reply> &done) {
    if (done && done->isNil()) // it was changed meanwhile, perhaps by a renewal of ours
      return readValue();
    finish(done && done->isArray() ? Reply(std::int64_t{1}) : done);
  });
}

void WatchTransaction::finish(Result<Reply> answer) {
  auto handler = std::move(m_jobs.front().handler);
  m_jobs.pop_front();
  if (!m_jobs.empty())
    readValue();
  handler(std::move(answer));
}

} // namespace lockhouse
