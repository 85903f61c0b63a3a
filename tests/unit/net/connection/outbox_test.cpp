// SPDX-License-Identifier: Apache-2.0
#include "core/net/connection/outbox.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockhouse {
namespace {

/// A stream that takes as many bytes at once as a test allows, and ends a longer write when it is told to.
class ScriptedStream final : public Stream {
public:
  void read(ReadDone) override {}
  std::size_t writeNow(std::string_view bytes, std::error_code &error) override {
    error = failure;
    const auto size = error ? 0 : std::min(room, bytes.size());
    taken += bytes.substr(0, size);
    ++writes;
    return size;
  }
  void write(std::string bytes, WriteDone done) override {
    taken += bytes;
    waiting = std::move(done);
  }
  void close() override {}

  std::string taken;
  std::size_t room = std::string::npos;
  std::error_code failure;
  WriteDone waiting;
  int writes = 0;
};

constexpr std::string_view ping = "*1\r\n$4\r\nPING\r\n";

TEST(Outbox, writesWhatWasAppendedInOne) {
  Traffic traffic;
  Outbox outbox(traffic);
  ScriptedStream stream;
  outbox.flush(stream, [] {});
  EXPECT_EQ(stream.writes, 0) << "nothing waits";
  for (int i = 0; i < 3; ++i)
    outbox.append({"PING"});
  outbox.flush(stream, [] {});
  EXPECT_EQ(stream.taken.size(), 3 * ping.size());
  EXPECT_EQ(stream.writes, 1);
  EXPECT_EQ(traffic.counters().commands, 3U);
  EXPECT_EQ(traffic.counters().bytesOut, 3 * ping.size());
}

TEST(Outbox, holdsWhatIsAppendedWhileAWriteWaits) {
  Traffic traffic;
  Outbox outbox(traffic);
  ScriptedStream stream;
  int ended = 0;
  stream.room = 5;
  outbox.append({"PING"});
  outbox.flush(stream, [&] { ++ended; });
  EXPECT_EQ(stream.taken, ping) << "what did not fit waits in the stream";
  outbox.append({"PING"});
  outbox.flush(stream, [&] { ++ended; });
  EXPECT_EQ(stream.taken, ping) << "two writes at a time would mix";
  stream.waiting({});
  EXPECT_EQ(ended, 1);
  outbox.written();
  stream.room = std::string::npos;
  outbox.flush(stream, [] {});
  EXPECT_EQ(stream.taken.size(), 2 * ping.size());
}

TEST(Outbox, knowsWhatHasCertainlyNotLeft) {
  Traffic traffic;
  Outbox outbox(traffic);
  ScriptedStream stream;
  const auto first = outbox.append({"PING"});
  EXPECT_FALSE(outbox.mayHaveLeft(first));
  outbox.flush(stream, [] {});
  const auto second = outbox.append({"PING"});
  EXPECT_TRUE(outbox.mayHaveLeft(first));
  EXPECT_FALSE(outbox.mayHaveLeft(second));
}

TEST(Outbox, doesNotCountAsLeftWhatAFailedWriteDropped) {
  Traffic traffic;
  Outbox outbox(traffic);
  ScriptedStream stream;
  stream.failure = std::make_error_code(std::errc::broken_pipe);
  const auto place = outbox.append({"PING"});
  outbox.flush(stream, [] {});
  EXPECT_FALSE(outbox.mayHaveLeft(place));
  EXPECT_EQ(stream.taken, "");
}

TEST(Outbox, isBounded) {
  Traffic traffic;
  Outbox outbox(traffic);
  EXPECT_TRUE(outbox.hasRoomFor(1 << 20));
  EXPECT_FALSE(outbox.isHeavy());
  const std::string large(60 << 20, 'x');
  outbox.append(Command{"SET", "k", large});
  EXPECT_TRUE(outbox.isHeavy());
  EXPECT_FALSE(outbox.hasRoomFor(5 << 20));
  outbox.reset();
  EXPECT_TRUE(outbox.hasRoomFor(5 << 20));
}

} // namespace
} // namespace lockhouse
