// SPDX-License-Identifier: Apache-2.0
#include "core/net/connection.h"

#include "core/net/command_format.h"
#include "core/net/link.h"
#include "core/net/ring.h"

namespace lockhouse {

class Connection::Core final : public Link {
public:
  Core(Loop &loop, Uri uri, ConnectionOptions options) : Link(loop, std::move(uri), std::move(options), false) {}

  void onState(StateHandler handler) { m_onState = std::move(handler); }
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

private:
  struct Pending {
    Handler handler; // none for our own PING
    SteadyTime deadline{};
    std::uint64_t place = 0;
    bool isScript = false; // its command is the oldest in m_scripts
  };
  struct Refused {
    Handler handler;
    Error why;
  };

  StateHandler m_onState;
  Ring<Pending> m_pending; // in the order sent, which is the order of the replies
  Ring<Command> m_scripts; // the EVALSHA commands among them, for the fallback
  std::vector<Refused> m_refused;

  void enqueue(const Command &command, milliseconds timeout, Handler handler, bool isScript);
  void refuse(Handler handler, Error why);
  void tellRefused();
  void fallBack(const Command &command, Handler handler);
  void tell(State state, const Error *why);
};

void Connection::Core::send(Command command, milliseconds timeout, Handler handler) {
  if (command.size() == 0)
    return refuse(std::move(handler), {ErrorCode::Usage, "a command without a name", uri().address(), {}});
  if (state() != State::Ready) {
    Error error{ErrorCode::Unreachable, "not connected", uri().address(), "wait for the connection"};
    return refuse(std::move(handler), why() != nullptr ? *why() : std::move(error));
  }
  if (!hasRoomFor(command.bytes()))
    return refuse(std::move(handler),
                  {ErrorCode::Unreachable, "too much waits to be written to the server", uri().address(), "send less, or wait for answers"});
  const bool isScript = command.script() != nullptr;
  enqueue(command, timeout, std::move(handler), isScript);
  if (isScript)
    m_scripts.push(std::move(command));
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
    return std::unexpected(protocolError("a reply that nobody asked for"));
  auto pending = m_pending.pop();
  if (pending.isScript) {
    const auto command = m_scripts.pop();
    if (reply.failureWord() == "NOSCRIPT") {
      fallBack(command, std::move(pending.handler));
      return {};
    }
  }
  if (pending.handler)
    pending.handler(std::move(reply));
  return {};
}

// Once: the EVAL is no EVALSHA any more.
void Connection::Core::fallBack(const Command &command, Handler handler) { enqueue(evalOf(command), options().commandTimeout, std::move(handler), false); }

void Connection::Core::late() {
  auto pending = m_pending.pop();
  if (pending.isScript)
    m_scripts.pop();
  if (pending.handler)
    pending.handler(fail(ErrorCode::Timeout, "the server did not answer in time", uri().address(), "check whether it is overloaded or stopped"));
}

void Connection::Core::idle() { enqueue(Command{"PING"}, options().commandTimeout, {}, false); }

void Connection::Core::down(const Error &why) {
  auto pending = std::exchange(m_pending, {});
  m_scripts = {};
  const Error inDoubt{ErrorCode::InDoubt, "the connection was lost before the answer: " + why.what, why.where, "look whether the command ran"};
  const Error unsent{ErrorCode::Unreachable, "the connection was lost before the command left: " + why.what, why.where, why.next};
  while (!pending.empty()) {
    auto one = pending.pop();
    if (one.handler)
      one.handler(std::unexpected(mayHaveLeft(one.place) ? inDoubt : unsent));
  }
  if (!isClosed())
    tell(State::Down, &why);
}

void Connection::Core::closing(const Error &why) {
  auto pending = std::exchange(m_pending, {});
  m_scripts = {};
  while (!pending.empty())
    if (auto one = pending.pop(); one.handler)
      one.handler(std::unexpected(why));
  for (auto &refused : std::exchange(m_refused, {}))
    refused.handler(std::unexpected(why));
}

void Connection::Core::refuse(Handler handler, Error why) {
  m_refused.push_back({std::move(handler), std::move(why)});
  if (m_refused.size() == 1)
    loop().post([self = std::static_pointer_cast<Core>(shared_from_this())] { self->tellRefused(); });
}

void Connection::Core::tellRefused() {
  for (auto &refused : std::exchange(m_refused, {}))
    refused.handler(std::unexpected(std::move(refused.why)));
}

void Connection::Core::tell(State state, const Error *why) {
  if (m_onState)
    m_onState(state, why);
}

Connection::Connection(Loop &loop, Uri uri, ConnectionOptions options) : m_core(std::make_shared<Core>(loop, std::move(uri), std::move(options))) {}

Connection::~Connection() { m_core->close(); }

void Connection::onState(StateHandler handler) { m_core->onState(std::move(handler)); }

void Connection::open() { m_core->open(); }

void Connection::close() { m_core->close(); }

void Connection::send(Command command, Handler handler) { m_core->send(std::move(command), m_core->options().commandTimeout, std::move(handler)); }

void Connection::send(Command command, milliseconds timeout, Handler handler) { m_core->send(std::move(command), timeout, std::move(handler)); }

Connection::State Connection::state() const { return m_core->state(); }

const Error *Connection::why() const { return m_core->why(); }

const Uri &Connection::uri() const { return m_core->uri(); }

Connection::Counters Connection::counters() const { return m_core->counters(); }

} // namespace lockhouse
