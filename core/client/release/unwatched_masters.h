// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/release/release_service_core.h"

#include <map>

namespace lockhouse {

/// Asks which masters of a cluster are not watched. Loop thread.
class ReleaseService::MastersLook : public Task, public std::enable_shared_from_this<ReleaseService::MastersLook> {
public:
  using Done = std::move_only_function<void(std::vector<std::string>)>;

  MastersLook(std::shared_ptr<Core> core, Done done) : m_core(std::move(core)), m_lanes(*m_core), m_done(std::move(done)) {}
  void start();
  void abandon() override { m_lanes.clear(); }

private:
  std::shared_ptr<Core> m_core;
  Lanes m_lanes;
  Done m_done;
  std::map<std::string, std::string> m_masters; ///< that serve slots: their addresses, by their ids
  std::vector<std::string> m_watched;           ///< ids
  std::size_t m_open = 0;
  bool m_isUnknown = false; ///< one of those that are watched did not say which it is

  void ask(const LockId &node, std::string_view question, void (MastersLook::*onAnswer)(const LockId &, const Result<Reply> &));
  void onSlots(const LockId &node, const Result<Reply> &slots);
  void onName(const LockId &node, const Result<Reply> &name);
  void finish();
};

} // namespace lockhouse
