// SPDX-License-Identifier: Apache-2.0
#include "core/client/release/operator.h"

#include "core/client/release/operator_many.h"
#include "core/client/release/operator_masters.h"
#include "core/client/release/operator_run.h"

#include <utility>

namespace lockhouse {

Operator::Operator(Loop &loop, Watcher &watcher, std::vector<Uri> nodes, ConnectionOptions options, std::string auditPath)
    : m_core(std::make_shared<Core>(loop, watcher, std::move(nodes), std::move(options), std::move(auditPath))) {}

Operator::~Operator() { m_core->close(); }

bool Operator::isUnlocked() const { return m_core->unlocked; }

void Operator::unlock() { m_core->unlocked = true; }

void Operator::lock() { m_core->unlocked = false; }

std::string Operator::auditTrouble() const { return m_core->auditTrouble(); }

void Operator::plan(ReleaseIntent intent, Done done) {
  m_core->loop.post([run = std::make_shared<Run>(m_core, std::move(intent), false, std::move(done))] { run->start(); });
}

void Operator::apply(ReleaseIntent intent, Done done) {
  m_core->loop.post([run = std::make_shared<Run>(m_core, std::move(intent), true, std::move(done))] { run->start(); });
}

void Operator::planMany(std::vector<ReleaseIntent> intents, std::stop_token stop, ProgressHandler progress, ManyDone done) {
  m_core->loop.post([many = std::make_shared<PlanMany>(m_core, std::move(intents), std::move(stop), std::move(progress), std::move(done))] { many->start(); });
}

void Operator::applyMany(std::vector<ReleaseResult> planned, std::string reason, std::stop_token stop, ProgressHandler progress, ManyDone done) {
  m_core->loop.post([many = std::make_shared<ApplyMany>(m_core, std::move(planned), std::move(reason), std::move(stop), std::move(progress), std::move(done))] {
    many->start();
  });
}

void Operator::findUnwatchedMasters(std::move_only_function<void(std::vector<std::string>)> done) {
  m_core->loop.post([look = std::make_shared<MastersLook>(m_core, std::move(done))] { look->start(); });
}

} // namespace lockhouse
