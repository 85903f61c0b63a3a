// SPDX-License-Identifier: Apache-2.0
// Two clients at the same nodes, each with a machine of its own, against servers that obey the rules and a network that does not.
#include "core/lock/machines/quorum_machine.h"
#include "core/lock/options/lock_options.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

using namespace lockhouse;
using namespace lockhouse::test;

using Kind = QuorumEvent::Kind;

namespace {

constexpr milliseconds lease{200};

/// At full size from the first test on: small ones would nearly always take the first case of each choice.
int below(int most) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, most)); }

/// One node: who has the key, and until when.
struct Node {
  int holder = -1;
  SteadyTime ends{};
  int holderAt(SteadyTime now) const { return now < ends ? holder : -1; }
};

struct Client {
  QuorumMachine machine{{}};
  SteadyTime alarm = QuorumActions::never;
  bool stopped = true;
};

/// Something that arrives: at a node (a command) or at a client (an answer).
struct Letter {
  int client;
  int token;
  std::size_t node;
  Kind kind; // Start = ask, Alarm = renew, Stop = release; else an answer
  bool toNode;
};

class World {
public:
  explicit World(std::size_t nodes) : m_nodes(nodes) {}

  void run() {
    for (int step = 0; step < 300; ++step) {
      if (m_letters.empty() || below(4) == 0)
        somethingElse();
      else
        deliver();
      check();
    }
  }

private:
  void somethingElse() {
    auto &client = m_clients[static_cast<std::size_t>(below(2))];
    const int index = &client == m_clients.data() ? 0 : 1;
    const int dice = below(6);
    if (client.stopped && dice < 4)
      begin(client, index);
    else if (!client.stopped && dice == 0)
      stop(client, index);
    else if (client.alarm != QuorumActions::never && dice < 5) {
      m_now = std::max(m_now, client.alarm);
      act(client, index, client.machine.on({Kind::Alarm}, m_now));
    } else
      m_now += std::chrono::milliseconds(below(60));
    ringAll();
  }

  void begin(Client &client, int index) {
    m_tokens[static_cast<std::size_t>(index)] = ++m_lastToken;
    client = {.machine = QuorumMachine({.members = m_nodes.size(), .lease = lease, .nodeTime = 40ms, .renew = true, .seed = 3}),
              .alarm = QuorumActions::never,
              .stopped = false};
    act(client, index, client.machine.on({Kind::Start}, m_now));
  }

  void stop(Client &client, int index) {
    client.machine.on({Kind::Stop}, m_now);
    end(client, index);
  }

  void end(Client &client, int index) {
    client.stopped = true;
    client.alarm = QuorumActions::never;
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
      if (client.machine.mayHave().test(i))
        post({index, m_tokens[static_cast<std::size_t>(index)], i, Kind::Stop, true});
  }

  void act(Client &client, int index, const QuorumActions &actions) {
    client.alarm = actions.alarm;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
      if (actions.ask.test(i))
        post({index, m_tokens[static_cast<std::size_t>(index)], i, Kind::Start, true});
      if (actions.renew.test(i))
        post({index, m_tokens[static_cast<std::size_t>(index)], i, Kind::Alarm, true});
    }
    if (actions.report == QuorumActions::Report::Failed || actions.report == QuorumActions::Report::Lost)
      end(client, index);
  }

  // Letters of one client and one node keep their order, as on one connection; otherwise they pass each other as they like.
  void post(Letter letter) { m_letters.push_back(letter); }

  void deliver() {
    const auto place = static_cast<std::size_t>(below(static_cast<int>(m_letters.size())));
    const auto first = std::ranges::find_if(m_letters, [&](const Letter &letter) {
      return letter.client == m_letters[place].client && letter.node == m_letters[place].node && letter.toNode == m_letters[place].toNode;
    });
    const auto letter = *first;
    m_letters.erase(first);
    m_now += std::chrono::milliseconds(below(8));
    ringAll();
    if (letter.toNode)
      return atNode(letter);
    auto &client = m_clients[static_cast<std::size_t>(letter.client)];
    if (letter.token == m_tokens[static_cast<std::size_t>(letter.client)] && !client.stopped)
      act(client, letter.client, client.machine.on({letter.kind, letter.node}, m_now));
  }

  void atNode(Letter letter) {
    auto &node = m_nodes[letter.node];
    const auto answer = run(node, letter);
    if (letter.kind == Kind::Stop)
      return;
    letter.toNode = false;
    letter.kind = below(8) == 0 ? Kind::Unanswered : answer;
    post(letter);
  }

  Kind run(Node &node, const Letter &letter) {
    const int holder = node.holderAt(m_now);
    switch (letter.kind) {
    case Kind::Start:
      if (holder == -1)
        node = {letter.token, m_now + lease};
      return node.holder == letter.token ? Kind::Granted : Kind::Refused;
    case Kind::Alarm:
      if (holder != letter.token)
        return holder == -1 ? Kind::Gone : Kind::TakenOver;
      node.ends = m_now + lease;
      return Kind::Renewed;
    default:
      if (holder == letter.token)
        node.holder = -1;
      return Kind::Stop;
    }
  }

  /// Alarms are on time.
  void ringAll() {
    for (int index = 0; index < 2; ++index)
      if (auto &client = m_clients[static_cast<std::size_t>(index)]; client.alarm <= m_now)
        act(client, index, client.machine.on({Kind::Alarm}, m_now));
  }

  void check() {
    const bool one = m_clients[0].machine.isHeld(m_now) && !m_clients[0].stopped;
    const bool two = m_clients[1].machine.isHeld(m_now) && !m_clients[1].stopped;
    RC_ASSERT(!(one && two));
  }

  std::vector<Node> m_nodes;
  std::array<Client, 2> m_clients;
  std::array<int, 2> m_tokens{};
  std::vector<Letter> m_letters;
  int m_lastToken = 0;
  SteadyTime m_now = t(0ms);
};

} // namespace

/// Never two at once, whatever is late, lost or overtaken, healed or given up.
RC_GTEST_PROP(QuorumProperty, neverHasTwoHolders, ()) { World(*rc::gen::element<std::size_t>(1, 3, 5)).run(); }
