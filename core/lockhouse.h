// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything that a user of the library needs to take locks: one include.
#include "core/client/api/client.h"
#include "core/client/api/count_down_latch.h"
#include "core/client/api/lock.h"
#include "core/client/api/lock_handle.h"
#include "core/client/api/node_group.h"
#include "core/client/api/quorum.h"
#include "core/client/api/striped_lock.h"
#include "core/client/api/timed_lock.h"
#include "core/client/fallback/fallback_lock.h"
#include "core/client/support/log_event.h"
#include "core/client/support/metrics.h"
#include "core/lock/fencing/fence_check.h"
#include "core/lock/pages/composition.h"
#include "core/lock/pages/primitive_info.h"
#include "core/lock/pages/topic_info.h"
