// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/node_session.h"
#include "core/lab/demo/demo_node.h"

#include <deque>
#include <string>
#include <vector>

namespace lockhouse {

/// A client of the demo. It uses one lock for hours with the commands of the library that it imitates, and it reacts as that library's client
/// does when a person releases its lock in the console. Loop thread only; begin() when the node is open.
class DemoClient {
public:
  virtual ~DemoClient() = default;
  virtual void begin() = 0;
};

/// A service on our own locks: takes one `depth` times over, holds it, gives it back, thinks.
class DemoUser : public DemoClient {
public:
  struct Habits {
    int depth = 1;
    milliseconds holdLeast{0}, holdMost{0};
    milliseconds thinkLeast{0}, thinkMost{0};
  };
  DemoUser(DemoNode &node, std::unique_ptr<OwnerSession> session, const Habits &habits);
  void begin() override;

private:
  void acquire();
  void release();
  void think();

  DemoNode &m_node;
  const Habits m_habits;
  Timer m_timer;
  std::unique_ptr<OwnerSession> m_session; // last: it ends with a call to its handler
};

/// A latch of ours, and two services that wait until three parts are done; then it is closed again.
class DemoLatch : public DemoClient {
public:
  DemoLatch(DemoNode &node, NodeDriver &driver, std::string name);
  void begin() override;

private:
  void wait(NodeSession &waiter);
  void countDown();

  DemoNode &m_node;
  const LockName m_name;
  Timer m_timer;
  std::deque<NodeSession> m_waiters; // last, as DemoUser's
};

/// Lets the replica of a node come, and nobody else: its node listens on a port for that, which is closed as soon as the replica is there.
class DemoReplica : public DemoClient {
public:
  explicit DemoReplica(DemoNode &node) : m_node(node), m_timer(node.loop()) {}
  void begin() override;

private:
  DemoNode &m_node;
  Timer m_timer;
};

/// A Redisson fair lock whose queue moves on every few seconds and fills up again.
class DemoFairQueue : public DemoClient {
public:
  DemoFairQueue(DemoNode &node, std::string name);
  void begin() override;

private:
  void join();
  void tryTake(const std::string &owner);
  void taken(const std::string &owner);
  void give();
  void keepUp();
  std::string channel(const std::string &owner) const;

  DemoNode &m_node;
  const std::string m_name, m_queue, m_deadlines;
  std::deque<std::string> m_waiting;
  std::string m_holder;
  Timer m_turn, m_join, m_net;
};

/// A Redisson read-write lock: readers come and go, a writer waits until they let it in.
class DemoReaders : public DemoClient {
public:
  DemoReaders(DemoNode &node, std::string name);
  void begin() override;

private:
  struct Reader {
    std::string owner;
    Timer timer;
  };
  void read(Reader &reader);
  void leave(Reader &reader);
  void await();
  void tryWrite();
  void written();
  std::string leaseKey(const Reader &reader) const;

  DemoNode &m_node;
  const std::string m_name, m_channel;
  std::vector<Reader> m_readers;
  std::string m_writer;
  bool m_writing = false;
  bool m_closing = false; // the writer has waited long enough: no reader comes in any more
  Timer m_patience, m_net, m_write;
};

/// A Redisson lock whose holder renews a few times and then falls silent while another client waits.
class DemoSilentHolder : public DemoClient {
public:
  DemoSilentHolder(DemoNode &node, std::string name);
  void begin() override;

private:
  void take(bool healthy);
  void renew(int left, milliseconds lease, bool healthy);

  DemoNode &m_node;
  const std::string m_name, m_channel;
  Timer m_timer;
};

/// A string lock taken over and over with a fixed lease and never given back; without a lease it stays for good.
class DemoForgetful : public DemoClient {
public:
  enum class Token { Uuid1Hex, Base64 }; ///< as redis-py and redsync write it
  DemoForgetful(DemoNode &node, std::string name, Token token, std::optional<milliseconds> lease);
  void begin() override;

private:
  DemoNode &m_node;
  const std::string m_name;
  const Token m_token;
  const std::optional<milliseconds> m_lease;
  Timer m_timer;
};

/// Sessions, counters and documents: what a watcher must not take for locks.
class DemoForeignData : public DemoClient {
public:
  explicit DemoForeignData(DemoNode &node);
  void begin() override;

private:
  void touch();

  DemoNode &m_node;
  std::int64_t m_turn = 0;
  Timer m_timer;
};

} // namespace lockhouse
