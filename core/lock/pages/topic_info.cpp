// SPDX-License-Identifier: Apache-2.0
#include "core/lock/pages/topic_info.h"

#include "core/lock/pages/fences.toml.h"
#include "core/lock/pages/outcomes.toml.h"
#include "core/lock/pages/owners.toml.h"
#include "core/lock/pages/replicas.toml.h"

namespace lockhouse {

std::span<const TopicInfo> topicInfos() {
  static constexpr std::array topics{pages::outcomes, pages::owners, pages::replicas, pages::fences};
  return topics;
}

} // namespace lockhouse
