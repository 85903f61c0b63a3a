// SPDX-License-Identifier: Apache-2.0
#include "core/watch/server/cluster_info.h"

#include <utility>

namespace lockhouse {

bool ClusterInfo::take(Question question, const Result<Reply> &answer) {
  if (!answer)
    return false; // the connection is lost, which is reported separately
  if (question == Question::OwnSlots) {
    m_slots.take(*answer);
    return false;
  }
  m_mayAskMasters &= !answer->isFailure();
  if (question == Question::Name) {
    m_view.self = answer->bulk() ? *answer->bulk() : std::string();
    return false;
  }
  const auto before = std::exchange(m_view.masters, mastersIn(*answer));
  return before.size() != m_view.masters.size();
}

} // namespace lockhouse
