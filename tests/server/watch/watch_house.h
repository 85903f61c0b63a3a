// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/watcher/watcher.h"
#include "core/lab/sandbox/sandbox.h"
#include "tests/support/eventually.h"

#include <gmock/gmock.h>

#include <future>
#include <map>
#include <mutex>

namespace lockhouse::test {

inline constexpr std::string_view uuid1 = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", uuid2 = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02";
inline constexpr std::string_view hex32 = "3f786850e387550fdab836ed7e6dc881";
inline constexpr std::string_view otherHex32 = "9e107d9d372bb6826bd81d3542a419d6"; // one under two keys is told of
inline const std::string owner1 = std::string(uuid1) + ":1", owner2 = std::string(uuid2) + ":5";

/// Commands to one server, blocking, by a connection that is no part of what is tested.
class RawRedis {
public:
  explicit RawRedis(const Uri &uri);
  ~RawRedis();
  Reply operator()(std::initializer_list<std::string_view> words);
  Reply send(Command command);
  std::vector<Reply> pipeline(std::vector<Command> commands);

private:
  Loop m_loop;
  std::unique_ptr<Connection> m_connection;
};

/// A Watcher of some nodes and everything it says.
class Watched {
public:
  explicit Watched(std::vector<Uri> nodes, WatcherOptions options = {});
  ~Watched();

  LockSnapshotPtr snapshot() const { return m_watcher.snapshot(); }
  NodeStatus status(std::size_t node = 0) const;
  bool isLive(std::size_t node = 0) const { return status(node).state == NodeState::Live; }
  bool becomesLive() const;
  LockRecordPtr lock(std::string_view key) const; ///< of any node
  std::vector<std::string> keys() const;          ///< of records above 0.5
  /// The changes so far of one key: "appeared, count, vanished (deleted)".
  std::string story(std::string_view key) const;
  bool tells(std::string_view key, std::string_view story) const; ///< sooner or later
  std::vector<LockChange> changes() const;
  Watcher &watcher() { return m_watcher; }
  /// True when everything that had happened when this was called is in the snapshot.
  bool catchesUp() const;

private:
  mutable std::mutex m_mutex;
  std::vector<LockChange> m_changes;
  Loop m_loop;
  Watcher m_watcher;
};

/// Options of a one-shot listing.
WatcherOptions onceOnly();

/// One private server, and a way to speak to it.
class WatchHouse : public testing::Test {
protected:
  WatchHouse() : WatchHouse(Sandbox::Options{}) {}
  explicit WatchHouse(Sandbox::Options options);
  Uri uri(std::string user = {}, std::string password = {}) const;
  void fairLock(const std::string &name, const std::vector<std::string> &waiters);
  std::map<std::string, std::uint64_t> calls(); ///< INFO commandstats, by command
  std::uint64_t bytesSent();                    ///< by the server since CONFIG RESETSTAT

  Sandbox m_server;
  std::unique_ptr<RawRedis> m_redis;
  Reply redis(std::initializer_list<std::string_view> words) { return (*m_redis)(words); }
};

Sandbox startServer(Sandbox::Options options = {});

} // namespace lockhouse::test
