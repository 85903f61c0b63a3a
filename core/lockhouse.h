// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything that a user of the library needs to take locks: one include.
#include "core/client/client.h"
#include "core/client/count_down_latch.h"
#include "core/client/fallback_lock.h"
#include "core/client/lock.h"
#include "core/client/lock_handle.h"
#include "core/client/log_event.h"
#include "core/client/metrics.h"
#include "core/client/node_group.h"
#include "core/client/quorum.h"
#include "core/client/striped_lock.h"
#include "core/client/timed_lock.h"
#include "core/lock/composition.h"
#include "core/lock/fence_check.h"
#include "core/lock/primitive_info.h"
#include "core/lock/topic_info.h"
