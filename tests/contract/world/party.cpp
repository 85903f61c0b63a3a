// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/world/party.h"

#include <utility>

namespace lockhouse::test {

Owner::Owner(Loop &loop, PlaceDriver &driver, const Primitive &primitive, LockName name, LockOptions options) : m_loop(loop) {
  m_loop.call([&] {
    m_session = driver.session(primitive, std::move(name), std::move(options));
    m_session->onLost([this](LossReason reason) {
      m_lostAt = SteadyClock::now();
      m_loss = static_cast<int>(reason);
    });
  });
}

Owner::~Owner() { destroy(); }

std::future<AcquireOutcome> Owner::start() {
  auto answer = std::make_shared<std::promise<AcquireOutcome>>();
  m_loop.call([&] { m_session->acquire([answer](const AcquireOutcome &outcome) { answer->set_value(outcome); }); });
  return answer->get_future();
}

std::future<AcquireOutcome> Owner::start(AcquirePolicy policy, std::optional<milliseconds> waitLimit) {
  auto answer = std::make_shared<std::promise<AcquireOutcome>>();
  m_loop.call([&] { m_session->acquire(policy, waitLimit, [answer](const AcquireOutcome &outcome) { answer->set_value(outcome); }); });
  return answer->get_future();
}

std::future<ReleaseOutcome> Owner::startRelease() {
  auto answer = std::make_shared<std::promise<ReleaseOutcome>>();
  m_loop.call([&] { m_session->release([answer](ReleaseOutcome outcome) { answer->set_value(outcome); }); });
  return answer->get_future();
}

void Owner::cancel() {
  m_loop.call([&] { m_session->cancel(); });
}

bool Owner::becomesReader() {
  bool does = false;
  m_loop.call([&] { does = m_session->becomeReader(); });
  return does;
}

std::future<AcquireOutcome> Owner::startUpgrade(std::optional<milliseconds> waitLimit, bool cancelled) {
  auto answer = std::make_shared<std::promise<AcquireOutcome>>();
  m_loop.call([&] {
    m_session->becomeWriter(waitLimit, [answer](const AcquireOutcome &outcome) { answer->set_value(outcome); });
    if (cancelled)
      m_session->cancel();
  });
  return answer->get_future();
}

std::future<AcquireOutcome> Owner::startToAndFro() {
  auto answer = std::make_shared<std::promise<AcquireOutcome>>();
  m_loop.call([&] {
    m_session->becomeReader();
    m_session->becomeWriter({}, [answer](const AcquireOutcome &outcome) { answer->set_value(outcome); });
  });
  return answer->get_future();
}

std::future<AcquireOutcome> Owner::startCancelled(AcquirePolicy policy) {
  auto answer = std::make_shared<std::promise<AcquireOutcome>>();
  m_loop.call([&] {
    m_session->acquire(policy, {}, [answer](const AcquireOutcome &outcome) { answer->set_value(outcome); });
    m_session->cancel();
  });
  return answer->get_future();
}

bool Owner::isHeld() {
  bool held = false;
  m_loop.call([&] { held = m_session->isHeld(); });
  return held;
}

std::int64_t Owner::count() {
  std::int64_t count = 0;
  m_loop.call([&] { count = m_session->count(); });
  return count;
}

SteadyTime Owner::validUntil() {
  SteadyTime until{};
  m_loop.call([&] { until = m_session->validUntil(); });
  return until;
}

std::optional<LossReason> Owner::loss() const {
  const int loss = m_loss;
  return loss < 0 ? std::nullopt : std::optional(static_cast<LossReason>(loss));
}

void Owner::destroy() {
  m_loop.call([&] { m_session.reset(); });
}

Party::Party(Loop &loop, Place place, NodeDriver::Options options) : m_loop(loop) {
  m_loop.call([&] { m_driver = PlaceDriver::open(m_loop, std::move(place), std::move(options)); });
}

Party::~Party() {
  m_owners.clear();
  m_loop.call([&] { m_driver.reset(); });
}

Owner &Party::owner(const Primitive &primitive, std::string name, LockOptions options) {
  return m_owners.emplace_back(m_loop, *m_driver, primitive, LockName(std::move(name)), std::move(options));
}

bool Party::isReady() {
  return eventually([&] {
    bool ready = false;
    m_loop.call([&] { ready = m_driver->isReady(); });
    return ready;
  });
}

bool Party::isSettled() {
  bool settled = false;
  m_loop.call([&] { settled = m_driver->isSettled(); });
  return settled;
}

std::uint64_t Party::commandsSent() { return m_driver->commandsSent(); }

void Party::turn(int times) {
  for (int i = 0; i < times; ++i)
    m_loop.call([] {});
}

} // namespace lockhouse::test
