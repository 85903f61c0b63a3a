// SPDX-License-Identifier: Apache-2.0
#include "core/lab/demo/demo_workload.h"

#include <array>

namespace lockhouse {
namespace {

using namespace std::chrono_literals;
using Habits = DemoUser::Habits;

constexpr LockMode reader{.shared = true};
constexpr LockMode oneOfTwo{.permits = 1, .capacity = 2};
constexpr LockMode twoOfFour{.permits = 2, .capacity = 4};
constexpr Habits brief{1, 300ms, 1200ms, 100ms, 700ms};
constexpr Habits steady{1, 800ms, 2500ms, 200ms, 1200ms};
constexpr Habits reading{1, 1200ms, 3500ms, 300ms, 1500ms};
constexpr Habits writing{1, 500ms, 1200ms, 1500ms, 4s};

// The same key more than once: they contend for it.
constexpr std::array roles{
    DemoRole{0, 0, "ReentrantLock", "stock:sku-204", {3, 90s, 150s, 500ms, 900ms}},
    DemoRole{0, 0, "ReentrantLock", "cache:warm:home", {1, 900ms, 2500ms, 100ms, 500ms}},
    DemoRole{0, 1, "ReentrantLock", "cache:warm:home", {1, 900ms, 2500ms, 100ms, 500ms}},
    DemoRole{0, 2, "ReentrantLock", "cache:warm:home", {1, 900ms, 2500ms, 100ms, 500ms}},
    DemoRole{0, 3, "ReentrantLock", "cache:warm:home", {1, 900ms, 2500ms, 100ms, 500ms}},
    DemoRole{0, 0, "Mutex", "lock:coupon:{9}:redeem", {1, 120ms, 500ms, 100ms, 900ms}},
    DemoRole{0, 1, "Mutex", "lock:coupon:{9}:redeem", {1, 120ms, 500ms, 100ms, 900ms}},
    DemoRole{0, 2, "Mutex", "lock:coupon:{9}:redeem", {1, 120ms, 500ms, 100ms, 900ms}},
    DemoRole{0, 2, "Mutex", "lock:geo:tile:881", {1, 200ms, 1200ms, 200ms, 1500ms}},
    DemoRole{0, 3, "Mutex", "lock:库存:同步", {1, 1500ms, 4000ms, 300ms, 900ms}},
    DemoRole{1, 0, "Mutex", "lock:seat:K-12", {1, 100ms, 600ms, 100ms, 700ms}},
    DemoRole{1, 1, "Mutex", "lock:seat:K-12", {1, 100ms, 600ms, 100ms, 700ms}},
    DemoRole{1, 2, "Mutex", "lock:order:8843:ship", {1, 300ms, 1500ms, 200ms, 1200ms}},
    DemoRole{1, 3, "Mutex", "lock:order:8850:ship", {1, 300ms, 1500ms, 200ms, 1200ms}},
    DemoRole{1, 0, "Mutex", "lock:mail:digest", {1, 5s, 12s, 500ms, 2s}},
    DemoRole{1, 1, "ReentrantLock", "config:reload", {1, 2s, 5s, 500ms, 2s}},
    DemoRole{1, 2, "ReentrantLock", "config:reload", {1, 2s, 5s, 500ms, 2s}},
    DemoRole{1, 3, "ReentrantLock", "search:index:zh", {2, 20s, 60s, 1s, 3s}},
    // Redisson's formats.
    DemoRole{1, 0, "FairLock", "till:{3}:payout", steady},
    DemoRole{1, 1, "FairLock", "till:{3}:payout", steady},
    DemoRole{1, 2, "FairLock", "till:{3}:payout", steady},
    DemoRole{1, 1, "FencedLock", "ledger:close", steady},
    DemoRole{1, 3, "FencedLock", "ledger:close", steady},
    DemoRole{0, 0, "ReadWriteLock", "catalogue:prices", reading, reader},
    DemoRole{0, 1, "ReadWriteLock", "catalogue:prices", reading, reader},
    DemoRole{0, 2, "ReadWriteLock", "catalogue:prices", writing},
    DemoRole{1, 0, "Semaphore", "licence:cad", steady, oneOfTwo},
    DemoRole{1, 2, "Semaphore", "licence:cad", steady, oneOfTwo},
    DemoRole{1, 3, "Semaphore", "licence:cad", steady, oneOfTwo},
    DemoRole{0, 0, "ExpirablePermits", "uplink:berlin", steady, twoOfFour},
    DemoRole{0, 2, "ExpirablePermits", "uplink:berlin", steady, twoOfFour},
    DemoRole{0, 3, "ExpirablePermits", "uplink:berlin", steady, twoOfFour},
    // Our own.
    DemoRole{0, 0, "HandoffLock", "ride:dispatch", brief},
    DemoRole{0, 1, "HandoffLock", "ride:dispatch", brief},
    DemoRole{0, 2, "HandoffLock", "ride:dispatch", brief},
    DemoRole{0, 3, "HandoffLock", "ride:dispatch", brief},
    DemoRole{1, 0, "HandoffLock", "auction:lot-31", brief, {}, "cohort"},
    DemoRole{1, 0, "HandoffLock", "auction:lot-31", brief, {}, "cohort"},
    DemoRole{1, 2, "HandoffLock", "auction:lot-31", brief, {}, "cohort"},
    DemoRole{1, 0, "ListFairLock", "print:floor-4", steady},
    DemoRole{1, 1, "ListFairLock", "print:floor-4", steady},
    DemoRole{1, 3, "ListFairLock", "print:floor-4", steady},
    DemoRole{0, 1, "ZsetFairLock", "crane:dock-7", steady},
    DemoRole{0, 2, "ZsetFairLock", "crane:dock-7", steady},
    DemoRole{0, 3, "ZsetFairLock", "crane:dock-7", steady},
    DemoRole{1, 0, "FairReadWriteLock", "wiki:page:17", reading, reader},
    DemoRole{1, 1, "FairReadWriteLock", "wiki:page:17", reading, reader},
    DemoRole{1, 2, "FairReadWriteLock", "wiki:page:17", writing, {}, "writers-first"},
    DemoRole{0, 0, "LeasedSemaphore", "gpu:pool", steady, oneOfTwo},
    DemoRole{0, 1, "LeasedSemaphore", "gpu:pool", steady, oneOfTwo},
    DemoRole{0, 3, "LeasedSemaphore", "gpu:pool", steady, oneOfTwo},
    // python-redis-lock's, and the oldest.
    DemoRole{1, 1, "BlockingLock", "lock:nightly-export", steady},
    DemoRole{1, 2, "BlockingLock", "lock:nightly-export", steady},
    DemoRole{0, 2, "SetnxLock", "lock:cron:cleanup", steady},
    DemoRole{0, 3, "SetnxLock", "lock:cron:cleanup", steady},
    // Put together from Mutexes.
    DemoRole{0, 0, "MultiLock", "lock:{basket:5}:paid lock:{basket:5}:stock", steady},
    DemoRole{0, 1, "MultiLock", "lock:{basket:5}:stock lock:{basket:5}:gift", steady},
    DemoRole{1, 0, "StripedLock", "account:4711", brief},
    DemoRole{1, 3, "StripedLock", "account:4711", brief},
    DemoRole{0, 0, "RedLock", "lock:payout:daily", steady},
    DemoRole{0, 2, "RedLock", "lock:payout:daily", steady},
    // Held only when the replica has it.
    DemoRole{2, 0, "Mutex", "lock:transfer:7", steady, {}, "pubsub", ReplicaAck::by(1)},
    DemoRole{2, 3, "Mutex", "lock:transfer:7", steady, {}, "pubsub", ReplicaAck::by(1)},
};

} // namespace

std::span<const DemoRole> demoRoles() { return roles; }

} // namespace lockhouse
