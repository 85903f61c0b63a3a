// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/node_runtime.h"

namespace lockhouse {

/// The room of the locks of one node.
class Client::Core final : public NodeRuntime {
public:
  using NodeRuntime::NodeRuntime;
};

} // namespace lockhouse
