// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/timed_lock.h"

#include "core/client/support/thread_number.h"

#include <system_error>

namespace lockhouse {
namespace {

std::errc codeOf(const Error &error) {
  switch (error.code) {
  case ErrorCode::Unreachable: return std::errc::not_connected;
  case ErrorCode::Timeout: return std::errc::timed_out;
  case ErrorCode::AuthFailed:
  case ErrorCode::NotPermitted: return std::errc::permission_denied;
  case ErrorCode::Usage: return std::errc::invalid_argument;
  case ErrorCode::Deadlock: return std::errc::resource_deadlock_would_occur;
  default: return std::errc::io_error;
  }
}

[[noreturn]] void refuse(const NotAcquired &why) {
  const auto *failed = std::get_if<Failed>(&why.outcome);
  const auto code = failed != nullptr ? codeOf(failed->error) : std::errc::operation_canceled;
  throw std::system_error(std::make_error_code(code), why.sentence());
}

} // namespace

void TimedLock::lock() {
  if (const auto again = lockAgain(std::nullopt)) {
    if (std::holds_alternative<Acquired>(*again))
      return;
    if (!m_lock.primitive().isReentrant())
      throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur), NotAcquired{*again, m_lock.name()}.sentence());
    refuse({*again, m_lock.name()});
  }
  while (true) {
    auto result = m_lock.acquireFor(std::nullopt);
    if (!result && result.error().is<InDoubt>())
      continue; // it is given back; what stands between us and the node shows at the next ask
    if (!result) {
      noteRefusal(result.error());
      refuse(result.error());
    }
    keep(std::move(result));
    return;
  }
}

bool TimedLock::try_lock() {
  if (const auto again = lockAgain(std::nullopt))
    return std::holds_alternative<Acquired>(*again);
  return keep(m_lock.tryAcquire());
}

bool TimedLock::tryLockFor(milliseconds limit) {
  if (const auto again = lockAgain(limit))
    return std::holds_alternative<Acquired>(*again);
  return keep(m_lock.acquireFor(limit));
}

std::shared_ptr<LockHandle> TimedLock::mine() const {
  const std::scoped_lock guard(m_mutex);
  const auto found = m_held.find(threadNumber());
  return found != m_held.end() ? found->second : nullptr;
}

std::optional<AcquireOutcome> TimedLock::lockAgain(std::optional<milliseconds> limit) {
  const auto handle = mine();
  if (!handle)
    return std::nullopt;
  auto outcome = handle->acquireAgainFor(limit);
  if (!std::holds_alternative<Acquired>(outcome))
    noteRefusal({outcome, m_lock.name()});
  return outcome;
}

bool TimedLock::keep(LockResult result) {
  if (!result) {
    noteRefusal(result.error());
    return false;
  }
  const std::scoped_lock guard(m_mutex);
  m_held.insert_or_assign(threadNumber(), std::make_shared<LockHandle>(std::move(*result)));
  return true;
}

void TimedLock::noteRefusal(const NotAcquired &why) {
  const std::scoped_lock guard(m_mutex);
  m_refusal = why.sentence();
}

void TimedLock::unlock() noexcept {
  const auto handle = mine();
  if (!handle)
    return;
  if (handle->count() <= 1) { // the last one, or lost: this thread holds nothing from here on, whatever the answer
    const std::scoped_lock guard(m_mutex);
    m_held.erase(threadNumber());
  }
  handle->release();
}

bool TimedLock::takeOver(TimedLock &other) {
  const std::scoped_lock guard(m_mutex, other.m_mutex);
  auto handle = other.m_held.extract(threadNumber());
  if (!handle)
    return false;
  m_held.insert_or_assign(handle.key(), std::move(handle.mapped()));
  return true;
}

bool TimedLock::becomeWriterFor(milliseconds limit) {
  const auto handle = mine();
  auto outcome = handle ? handle->becomeWriterFor(limit)
                        : AcquireOutcome(Failed{Error{ErrorCode::Usage, LH_ENGLISH("this thread does not hold it"), {}, LH_ENGLISH("lock it first")}});
  if (std::holds_alternative<Acquired>(outcome))
    return true;
  noteRefusal({std::move(outcome), m_lock.name()});
  return false;
}

void TimedLock::becomeReader() {
  if (const auto handle = mine())
    handle->becomeReader();
}

bool TimedLock::isHeld() const {
  const auto handle = mine();
  return handle && handle->isHeld();
}

std::stop_token TimedLock::stopToken() const {
  const auto handle = mine();
  return handle ? handle->stopToken() : std::stop_token{};
}

std::string TimedLock::lastRefusal() const {
  const std::scoped_lock guard(m_mutex);
  return m_refusal;
}

void SharedTimedLock::unlock_and_lock_shared() {
  m_writers.becomeReader();
  m_readers.takeOver(m_writers);
}

bool SharedTimedLock::becomeWriter(milliseconds limit) { return m_readers.becomeWriterFor(limit) && m_writers.takeOver(m_readers); }

} // namespace lockhouse
