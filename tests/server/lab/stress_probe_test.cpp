// SPDX-License-Identifier: Apache-2.0
#include "core/lab/stress/stress_probe.h"

#include "tests/server/lab/stress_fixture.h"

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

struct ProbeOnServer : StressOnServer {
  ~ProbeOnServer() override {
    loop.call([&] { probe.reset(); });
  }
  void open(const ConnectionOptions &options) {
    std::promise<bool> opened;
    loop.call([&] {
      probe.emplace(loop, std::vector{server.unixUri()}, options);
      probe->open([&opened](const Result<void> &result) { opened.set_value(result.has_value()); });
    });
    ASSERT_TRUE(opened.get_future().get());
  }
  bool answers() {
    std::promise<bool> told;
    loop.call([&] { probe->ask([&told](std::optional<std::uint64_t> calls) { told.set_value(calls.has_value()); }); });
    return told.get_future().get();
  }
  void clear(const std::vector<std::string> &keys) {
    std::promise<void> done;
    loop.call([&] { probe->clear(keys, [&done] { done.set_value(); }); });
    done.get_future().wait();
  }

  Loop loop;
  std::optional<StressProbe> probe;
};

} // namespace

TEST_F(ProbeOnServer, aNodeThatIsJustBackIsClearedToo) {
  open({.backoffBase = 2000ms, .backoffCap = 2000ms}); // the server is back before the connection
  server.kill();
  waitUntil([&] { return !answers(); });
  ASSERT_TRUE(server.restart());
  RawRedis back(server.unixUri().path);
  back({"MSET", "a", "1", "b", "1", "stays", "1"});
  clear({"a", "b"});
  EXPECT_EQ(back({"KEYS", "*"}), "stays");
}

TEST_F(ProbeOnServer, aNodeThatStaysAwayIsNotWaitedFor) {
  open({});
  server.kill();
  waitUntil([&] { return !answers(); });
  clear({"a"});
  clear({});
}
