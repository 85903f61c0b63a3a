// SPDX-License-Identifier: Apache-2.0
#include "core/net/connection/connection.h"

#include "core/net/connection/link.h"
#include "core/net/connection/outcome_queue.h"
#include "core/net/loop/ring.h"

#include <unordered_map>

namespace lockhouse {

Command evalOf(const Command &command) {
  Command eval{"EVAL", command.script()->body};
  for (std::size_t i = 2; i < command.size(); ++i)
    eval.arg(command[i]);
  return eval;
}

class Connection::Core final : public Link {
public:
  Core(Loop &loop, Uri uri, ConnectionOptions options) : Link(loop, std::move(uri), std::move(options), false) {}

  void onState(StateHandler handler) { m_onState = std::move(handler); }
  void beforeWrite(std::move_only_function<void()> handler) { m_beforeWrite = std::move(handler); }
  void onScriptsFlushed(std::move_only_function<void()> handler) { m_onScriptsFlushed = std::move(handler); }
  using Link::flushThisTurn;
  void end();
  void send(Command command, milliseconds timeout, Handler handler);

protected:
  void connecting() override { tell(State::Connecting, nullptr); }
  void ready(std::int64_t) override { tell(State::Ready, nullptr); }
  void down(const Error &why) override;
  void closing(const Error &why) override;
  Result<void> take(Reply reply) override;
  SteadyTime deadline() const override { return m_pending.empty() ? never : m_pending.front().deadline; }
  void late() override;
  void idle() override;
  void beforeWrite() override;

private:
  struct Pending {
    Handler handler; // none for our own PING
    SteadyTime deadline{};
    std::uint64_t place = 0;
    bool isScript = false; // its command is the oldest in m_scripts
  };
  struct Sent {
    Command command;
    milliseconds timeout{};
  };

  StateHandler m_onState;
  std::move_only_function<void()> m_beforeWrite;
  std::move_only_function<void()> m_onScriptsFlushed;
  Ring<Pending> m_pending;                                     // in the order sent, which is the order of the replies
  Ring<Sent> m_scripts;                                        // the EVALSHA commands among them, for the fallback
  std::unordered_map<std::string_view, std::uint64_t> m_evals; // scripts by SHA-1, and the place of their EVAL
  OutcomeQueue<Handler, Result<Reply>> m_outcomes;
  bool m_isOutcomePosted = false;

  void enqueue(const Command &command, milliseconds timeout, Handler handler, bool isScript);
  Error notConnected() const;
  void refuse(Handler handler, Error why);
  void fallBack(const Sent &script, Pending pending);
  void tell(State state, const Error *why);
};

void Connection::Core::send(Command command, milliseconds timeout, Handler handler) {
  if (command.size() == 0)
    return refuse(std::move(handler), {ErrorCode::Usage, LH_MESSAGE("ErrorWords", "a command without a name"), uri().address(), {}});
  if (state() != State::Ready) {
    return refuse(std::move(handler), notConnected());
  }
  if (!hasRoomFor(command.bytes()))
    return refuse(std::move(handler), {ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "too much waits to be written to the server"), uri().address(),
                                       LH_MESSAGE("ErrorWords", "send less, or wait for answers")});
  const bool isScript = command.script() != nullptr;
  enqueue(command, timeout, std::move(handler), isScript);
  if (isScript)
    m_scripts.push({std::move(command), timeout});
}

// The reason of the loss may have a code (Timeout, Protocol) that would say of this command that it may have run.
Error Connection::Core::notConnected() const {
  if (why() == nullptr)
    return {ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "not connected"), uri().address(), waitForConnection};
  auto error = *why();
  if (error.code != ErrorCode::AuthFailed && error.code != ErrorCode::TlsRejected && error.code != ErrorCode::Cancelled)
    error.code = ErrorCode::Unreachable;
  return error;
}

void Connection::Core::enqueue(const Command &command, milliseconds timeout, Handler handler, bool isScript) {
  auto deadline = deadlineAfter(timeout);
  if (!m_pending.empty())
    deadline = std::max(deadline, m_pending.back().deadline);
  const auto place = write(command, deadline);
  m_pending.push({std::move(handler), deadline, place, isScript});
}

Result<void> Connection::Core::take(Reply reply) {
  if (m_pending.empty())
    return std::unexpected(protocolError(LH_MESSAGE("ErrorWords", "a reply that nobody asked for")));
  auto pending = m_pending.pop();
  if (pending.isScript) {
    const auto script = m_scripts.pop();
    if (reply.failureWord() == "NOSCRIPT") {
      fallBack(script, std::move(pending));
      return {};
    }
  }
  if (pending.handler)
    pending.handler(std::move(reply));
  return {};
}

// Only once: an EVAL is no EVALSHA.
void Connection::Core::fallBack(const Sent &script, Pending pending) {
  const auto sha1 = script.command.script()->sha1;
  // The script could not be there yet for a command that was sent before the EVAL.
  if (const auto sent = m_evals.find(sha1); sent != m_evals.end() && sent->second < pending.place) {
    m_evals.clear();
    if (m_onScriptsFlushed)
      m_onScriptsFlushed();
  }
  enqueue(evalOf(script.command), script.timeout, std::move(pending.handler), false);
  m_evals.insert_or_assign(sha1, m_pending.back().place);
}

void Connection::Core::late() {
  auto pending = m_pending.pop();
  if (pending.isScript)
    m_scripts.pop();
  if (pending.handler)
    pending.handler(fail(ErrorCode::Timeout, LH_MESSAGE("ErrorWords", "the server did not answer in time"), uri().address(),
                         LH_MESSAGE("ErrorWords", "check whether it is overloaded or stopped")));
}

void Connection::Core::idle() { enqueue(Command{"PING"}, options().commandTimeout, {}, false); }

void Connection::Core::beforeWrite() {
  if (m_beforeWrite && state() == State::Ready)
    m_beforeWrite();
}

void Connection::Core::down(const Error &why) {
  const Error inDoubt{ErrorCode::InDoubt, LH_MESSAGE("ErrorWords", "the connection was lost before the answer: %1")(why.what), why.where,
                      LH_MESSAGE("ErrorWords", "look whether the command ran")};
  const Error unsent{ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "the connection was lost before the command left: %1")(why.what), why.where, why.next};
  m_scripts = {};
  m_evals.clear();
  while (!m_pending.empty()) {
    auto one = m_pending.pop();
    m_outcomes.add(std::move(one.handler), std::unexpected(mayHaveLeft(one.place) ? inDoubt : unsent));
  }
  m_outcomes.callPresent();
  if (!isClosed())
    tell(State::Down, &why);
}

void Connection::Core::closing(const Error &why) {
  m_scripts = {};
  while (!m_pending.empty())
    m_outcomes.add(m_pending.pop().handler, std::unexpected(why));
  m_outcomes.callAll();
}

void Connection::Core::end() {
  close();
  m_outcomes.callAll(); // what was sent after an earlier close()
}

void Connection::Core::refuse(Handler handler, Error why) {
  m_outcomes.add(std::move(handler), std::unexpected(std::move(why)));
  if (std::exchange(m_isOutcomePosted, true))
    return;
  loop().post([self = std::static_pointer_cast<Core>(shared_from_this())] {
    self->m_isOutcomePosted = false;
    self->m_outcomes.callPresent();
  });
}

void Connection::Core::tell(State state, const Error *why) {
  if (m_onState)
    m_onState(state, why);
}

Connection::Connection(Loop &loop, Uri uri, ConnectionOptions options) : m_core(std::make_shared<Core>(loop, std::move(uri), std::move(options))) {}

Connection::~Connection() { m_core->end(); }

void Connection::onState(StateHandler handler) { m_core->onState(std::move(handler)); }

void Connection::beforeWrite(std::move_only_function<void()> handler) { m_core->beforeWrite(std::move(handler)); }

void Connection::onScriptsFlushed(std::move_only_function<void()> handler) { m_core->onScriptsFlushed(std::move(handler)); }

void Connection::flushThisTurn() { m_core->flushThisTurn(); }

void Connection::open() { m_core->open(); }

void Connection::close() { m_core->close(); }

void Connection::send(Command command, Handler handler) { m_core->send(std::move(command), m_core->options().commandTimeout, std::move(handler)); }

void Connection::send(Command command, milliseconds timeout, Handler handler) { m_core->send(std::move(command), timeout, std::move(handler)); }

Connection::State Connection::state() const { return m_core->state(); }

const Error *Connection::why() const { return m_core->why(); }

const Uri &Connection::uri() const { return m_core->uri(); }

Connection::Counters Connection::counters() const { return m_core->counters(); }

} // namespace lockhouse
