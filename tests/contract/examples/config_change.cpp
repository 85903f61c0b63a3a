// SPDX-License-Identifier: Apache-2.0
// Usage: example_config_change redis://127.0.0.1:6379
// Editors on several machines change one configuration: every change is made to what the one before left. The change calls a step that
// takes the lock again, and its writes carry a fence, so that an editor who fell asleep cannot overwrite newer work.
#include "core/lockhouse.h"

#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

// The store of the configuration. It keeps its own memory in order, and refuses who is too late; it knows nothing of locks.
class Store {
public:
  struct Version {
    std::uint64_t number = 0;
    std::vector<std::string> lines;
  };
  Version read() const {
    const std::scoped_lock guard(m_mutex);
    return m_current;
  }
  FenceVerdict write(Version version, Fence fence) {
    const std::scoped_lock guard(m_mutex);
    const auto verdict = m_fences.check("config", fence);
    if (verdict == FenceVerdict::Admitted)
      m_current = std::move(version);
    return verdict;
  }

private:
  mutable std::mutex m_mutex; // guards both below
  Version m_current;
  FenceCheck m_fences;
};

bool validate(LockHandle &held, const Store::Version &version) {
  if (!std::holds_alternative<Acquired>(held.acquireAgain())) // it may be called alone, so it takes the lock itself
    return false;
  const bool good = version.number == version.lines.size();
  return held.release() == ReleaseOutcome::StillHeld && good;
}

bool change(const Client &client, Store &store, const std::string &line) {
  auto held = client.reentrantLock(LockName("example:config"), {.waitLimit = 20s}).acquire();
  if (!held) {
    std::fputs((held.error().sentence() + "\n").c_str(), stderr);
    return false;
  }
  auto version = store.read();
  std::this_thread::yield();
  version.lines.push_back(line);
  ++version.number; // grows with every holder, so it serves as the fence
  return validate(*held, version) && store.write(version, {version.number}) == FenceVerdict::Admitted;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  Store store;
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> editors;
    for (int editor = 0; editor < 4; ++editor)
      editors.emplace_back([&, editor] {
        auto client = Client::connect(argv[1]);
        if (!client) {
          failures += 1;
          if (editor == 0)
            std::fputs((client.error().sentence() + "\n").c_str(), stderr);
          return;
        }
        for (int n = 0; n < 10; ++n)
          failures += change(*client, store, std::to_string(editor) + ":" + std::to_string(n)) ? 0 : 1;
      });
  }
  const auto last = store.read();
  std::printf("version %llu, %zu changes kept\n", static_cast<unsigned long long>(last.number), last.lines.size());
  const bool isStale = store.write({.number = 1, .lines = {}}, {1}) == FenceVerdict::Stale; // an editor from long ago wakes up
  return failures == 0 && last.lines.size() == 40 && isStale ? 0 : 1;
}
