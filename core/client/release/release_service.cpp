// SPDX-License-Identifier: Apache-2.0
#include "core/client/release/release_service.h"

#include "core/client/release/bulk_release.h"
#include "core/client/release/single_release.h"
#include "core/client/release/unwatched_masters.h"

#include <utility>

namespace lockhouse {

ReleaseService::ReleaseService(Loop &loop, Watcher &watcher, std::vector<Uri> nodes, ConnectionOptions options, std::string auditPath)
    : m_core(std::make_shared<Core>(loop, watcher, std::move(nodes), std::move(options), std::move(auditPath))) {}

ReleaseService::~ReleaseService() { m_core->close(); }

bool ReleaseService::isUnlocked() const { return m_core->unlocked; }

void ReleaseService::unlock() { m_core->unlocked = true; }

void ReleaseService::lock() { m_core->unlocked = false; }

Message ReleaseService::auditTrouble() const { return m_core->auditTrouble(); }

void ReleaseService::plan(ReleaseIntent intent, Done done) {
  m_core->loop.post([run = std::make_shared<Run>(m_core, std::move(intent), false, std::move(done))] { run->start(); });
}

void ReleaseService::apply(ReleaseIntent intent, Done done) {
  m_core->loop.post([run = std::make_shared<Run>(m_core, std::move(intent), true, std::move(done))] { run->start(); });
}

void ReleaseService::planMany(std::vector<ReleaseIntent> intents, std::stop_token stop, ProgressHandler progress, ManyDone done) {
  m_core->loop.post([many = std::make_shared<PlanMany>(m_core, std::move(intents), std::move(stop), std::move(progress), std::move(done))] { many->start(); });
}

void ReleaseService::applyMany(std::vector<ReleaseResult> planned, std::string reason, std::stop_token stop, ProgressHandler progress, ManyDone done) {
  m_core->loop.post([many = std::make_shared<ApplyMany>(m_core, std::move(planned), std::move(reason), std::move(stop), std::move(progress), std::move(done))] {
    many->start();
  });
}

void ReleaseService::findUnwatchedMasters(std::move_only_function<void(std::vector<std::string>)> done) {
  m_core->loop.post([look = std::make_shared<MastersLook>(m_core, std::move(done))] { look->start(); });
}

} // namespace lockhouse
