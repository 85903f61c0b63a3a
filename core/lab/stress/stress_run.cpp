// SPDX-License-Identifier: Apache-2.0
#include "core/lab/stress/stress_run.h"

#include "core/base/random.h"
#include "core/lab/stress/stress_runner.h"

#include <future>
#include <string>
#include <utility>

namespace lockhouse {

class StressRun::Core {
public:
  Core(std::vector<Uri> nodes, StressOptions options, std::string runId, ProgressHandler progress, DoneHandler done) {
    auto whenDone = [this, done = std::move(done)](Result<StressReport> report) mutable {
      if (done)
        done(std::move(report));
      m_reported.set_value();
    };
    m_loop.call([&] {
      m_runner = std::make_unique<StressRunner>(m_loop, std::move(nodes), std::move(options), std::move(runId), std::move(progress), std::move(whenDone));
      m_runner->begin();
    });
  }

  ~Core() {
    stop();
    m_reported.get_future().wait();
    m_loop.call([&] { m_runner.reset(); });
  }
  Core(const Core &) = delete;
  Core &operator=(const Core &) = delete;

  void stop() {
    m_loop.post([this] { m_runner->stop(); });
  }

private:
  std::promise<void> m_reported;
  std::unique_ptr<StressRunner> m_runner; // the loop's
  Loop m_loop{Loop::Wait::Awake};         // as a Client has it
};

Result<std::unique_ptr<StressRun>> StressRun::start(Uri node, StressOptions options, ProgressHandler progress, DoneHandler done) {
  return start(std::vector<Uri>{std::move(node)}, std::move(options), std::move(progress), std::move(done));
}

Result<std::unique_ptr<StressRun>> StressRun::start(std::vector<Uri> nodes, StressOptions options, ProgressHandler progress, DoneHandler done) {
  auto checked = completed(std::move(options));
  if (!checked)
    return std::unexpected(std::move(checked).error());
  if (auto fitting = checkNodes(nodes, *checked); !fitting)
    return std::unexpected(std::move(fitting).error());
  auto token = randomToken();
  if (!token)
    return std::unexpected(std::move(token).error());
  auto core = std::make_unique<Core>(std::move(nodes), std::move(*checked), token->bytes().substr(0, 8), std::move(progress), std::move(done));
  return std::unique_ptr<StressRun>(new StressRun(std::move(core)));
}

StressRun::StressRun(std::unique_ptr<Core> core) : m_core(std::move(core)) {}
StressRun::~StressRun() = default;
void StressRun::stop() { m_core->stop(); }

} // namespace lockhouse
