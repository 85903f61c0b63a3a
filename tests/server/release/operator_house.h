// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/release/release_service.h"
#include "core/lab/sandbox/sandbox.h"
#include "core/net/connection/subscriber.h"
#include "core/net/resp/reply_reader.h"
#include "core/release/result/script_result.h"
#include "tests/support/socket_fd.h"

#include <gmock/gmock.h>

namespace lockhouse::test {

inline constexpr auto owner = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1";
inline constexpr auto other = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:5";
inline constexpr auto third = "c3d2e1f0-9b8a-4776-a554-332211009f03:6";
inline constexpr auto token = "3f786850e387550fdab836ed7e6dc881";

/// Commands to one server, one at a time, blocking.
class RawRedis {
public:
  explicit RawRedis(const Uri &uri);
  ~RawRedis();
  Reply operator()(std::initializer_list<std::string_view> words);
  Result<Reply> send(Command command);

private:
  Loop m_loop;
  std::unique_ptr<Connection> m_connection;
};

/// A server, a watcher and an operator with an audit log of its own, all private to one test.
class OperatorHouse : public testing::Test {
protected:
  explicit OperatorHouse(Sandbox::Options server = {});
  ~OperatorHouse() override;

  /// Watches with these credentials; the first call of read, plan or apply does so as the default user.
  void enter(std::string user = {}, std::string password = {});
  LockId id(std::string key) const;
  LockRecordPtr read(const std::string &key);
  ReleaseResult plan(const std::string &key, const std::string &holder);
  ReleaseResult apply(const std::string &key, const std::string &holder, std::optional<std::int64_t> count = {});
  ReleaseResult shorten(const std::string &key, const std::string &holder, milliseconds to);
  /// The plan for a lock as it is now, to be sent later with run().
  ReleasePlan planNow(const std::string &key, const std::string &holder, std::optional<milliseconds> shortenTo = {});
  ScriptResult run(const ReleasePlan &plan);

  void fairLock(const std::string &key, const std::vector<std::string> &waiters, std::int64_t firstDeadline = 300'000);
  void readLock(const std::string &key, const std::vector<std::string> &readers, std::string_view lease = "30000");
  std::int64_t serverNow();
  /// How often the server ran a command of this name since it started.
  std::int64_t calls(std::string_view command);
  std::string auditPath() const { return m_server.folder() + "/audit.sqlite"; }
  std::vector<AuditRecord> audited() const;

  Sandbox m_server;
  Uri m_uri;
  RawRedis redis;
  ConnectionOptions m_options;
  std::shared_ptr<const FamilyRegistry> m_families; ///< that enter() watches for; null: the built-in ones
  std::string m_auditPath;
  Loop m_loop;
  std::unique_ptr<Watcher> m_watcher;
  std::unique_ptr<ReleaseService> m_keeper;
  ReleaseResult ask(bool isApply, ReleaseIntent intent);
};

/// Messages of one channel, as one client hears them.
class Listener {
public:
  Listener(const Uri &uri, const std::string &channel);
  ~Listener();
  /// Everything heard so far, after a barrier.
  std::vector<std::string> heard();

private:
  Loop m_loop;
  std::vector<std::string> m_messages; // loop's thread
  std::unique_ptr<Subscriber> m_subscriber;
};

/// Messages of one sharded channel (SSUBSCRIBE), as a client of a cluster hears them.
class ShardListener {
public:
  ShardListener(const Uri &uri, std::string_view channel);
  /// Everything heard so far, after a barrier.
  std::vector<std::string> heard();

private:
  Reply next();

  SocketFd m_socket;
  ReplyReader m_reader;
  std::string m_bytes;
};

} // namespace lockhouse::test
