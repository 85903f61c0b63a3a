// SPDX-License-Identifier: Apache-2.0
#include "core/client/operator.h"

#include "core/base/safe_text.h"
#include "core/client/operator_audit.h"
#include "core/net/digest.h"
#include "core/release/plan_release.h"
#include "core/release/release_answer.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace lockhouse {
namespace {

Command releaseCommand(const ReleasePlan &plan) {
  const std::vector<std::string_view> keys(plan.keys.begin(), plan.keys.end());
  const std::vector<std::string_view> args(plan.args.begin(), plan.args.end());
  return Command::evalsha(*plan.script, keys, args);
}

// A fresh read knows the lock of this instant; what was watched of the same hold before tells whether its holder is alive.
LockRecordPtr withHistory(LockRecordPtr fresh, const LockRecordPtr &watched) {
  if (!watched || watched->holders != fresh->holders)
    return fresh;
  auto whole = std::make_shared<LockRecord>(*fresh);
  whole->heldSince = watched->heldSince;
  whole->heldSinceExact = watched->heldSinceExact;
  whole->renewals = watched->renewals;
  whole->renewedAt = watched->renewedAt;
  whole->renewalPeriod = watched->renewalPeriod;
  return whole;
}

// A release is not tried again by itself, even where its connection would be.
Error forOneRelease(Error error) {
  if (error.next == "it is dialled again")
    error.next = "look at the lock again";
  return error;
}

constexpr unsigned mostRereads = 5; // of a key that holds something, but no lock: what is taken and freed all the time is met then

bool isBlank(const std::string &text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

} // namespace

/// What all requests share: the gate, the audit file, and which of them are under way. Loop thread, except where told.
class Operator::Core {
public:
  Core(Loop &onLoop, Watcher &ofLocks, std::vector<Uri> nodes, ConnectionOptions options, std::string auditPath)
      : loop(onLoop), watcher(ofLocks), m_nodes(std::move(nodes)), m_options(std::move(options)), m_auditPath(std::move(auditPath)) {
    m_options.reconnect = false;
  }

  Loop &loop;
  Watcher &watcher;
  std::atomic<bool> unlocked = false; // any thread
  std::set<std::shared_ptr<Run>> runs;

  const Uri *uriOf(const LockId &id) const {
    const auto isHome = [&id](const Uri &uri) {
      const auto address = uri.address();
      return uri.db == id.db && (id.node.bytes() == address || id.node.bytes() == address + "/" + std::to_string(uri.db));
    };
    const auto found = std::ranges::find_if(m_nodes, isHome);
    return found == m_nodes.end() ? nullptr : &*found;
  }
  std::unique_ptr<Connection> connect(const Uri &uri) { return std::make_unique<Connection>(loop, uri, m_options); }

  /// Appends on the file's thread, then goes on with `next` on the loop.
  void record(AuditRecord audit, std::move_only_function<void(Result<AuditRecord>)> next) {
    m_files.post([this, audit = std::move(audit), next = std::move(next)]() mutable {
      auto written = append(std::move(audit));
      loop.post([next = std::move(next), written = std::move(written)]() mutable { next(std::move(written)); });
    });
  }
  /// Any thread but the two.
  void close();

private:
  Result<AuditRecord> append(AuditRecord audit) {
    if (!m_audit) {
      auto opened = AuditLog::open(m_auditPath, sha256);
      if (!opened)
        return std::unexpected(opened.error());
      m_audit.emplace(std::move(*opened));
    }
    return m_audit->append(std::move(audit));
  }

  std::vector<Uri> m_nodes;
  ConnectionOptions m_options;
  std::string m_auditPath;
  std::optional<AuditLog> m_audit; // thread of m_files only
  Loop m_files;
};

/// One request from its start to its answer. Loop thread; kept alive by Core::runs, every step checks that it still is one.
class Operator::Run : public std::enable_shared_from_this<Operator::Run> {
public:
  Run(std::shared_ptr<Core> core, ReleaseIntent intent, bool isApply, Done done)
      : m_core(std::move(core)), m_intent(std::move(intent)), m_isApply(isApply), m_done(std::move(done)) {
    m_result.lock = m_intent.lock;
  }

  void start() {
    m_core->runs.insert(shared_from_this());
    const Uri *uri = m_core->uriOf(m_intent.lock);
    if (m_isApply && !m_core->unlocked)
      return finish(Verdict::ReadOnly, "read-only: unlock this console before it may write");
    if (m_isApply && isBlank(m_intent.reason))
      return finish(Verdict::NotAllowed, "a reason is needed: it is kept in the audit log");
    if (uri == nullptr)
      return finish(Verdict::Unreachable, "no connection leads to this node and database");
    m_uri = *uri;
    read();
  }
  void abandon() { m_connection.reset(); }

private:
  void read() { m_core->watcher.read(m_intent.lock, step<Result<LockRecordPtr>>(&Run::onRead)); }

  void onRead(Result<LockRecordPtr> read) {
    if (!read)
      return finish(verdictOf(read.error()), forOneRelease(read.error()).sentence());
    if (!*read)
      return ask({"TYPE", m_intent.lock.key.bytes()}, &Run::onType);
    m_before = withHistory(std::move(*read), m_core->watcher.snapshot()->find(m_intent.lock));
    m_result.now = m_before;
    m_result.family = m_before->family;
    auto plan = planRelease(*m_before, m_intent, SteadyClock::now(), m_core->watcher.families());
    if (!plan)
      return finish(plan.error().verdict, std::move(plan.error().detail));
    m_plan = *plan;
    m_result.plan = std::move(*plan);
    if (m_isApply)
      m_core->record(intentRecord(m_plan, *m_before, m_intent.reason), step<Result<AuditRecord>>(&Run::onIntent));
    else if (m_plan.keys.size() > 1)
      ask({"TYPE", m_plan.keys[1]}, &Run::onBeside);
    else
      finish(std::nullopt, "nothing has been changed");
  }

  // What the script would look at besides the lock. Where that is closed to this user, nothing of it is known, and it would be refused.
  void onBeside(Result<Reply> reply) {
    if (reply && !reply->isFailure())
      return finish(std::nullopt, "nothing has been changed");
    auto error = reply ? errorOf(*reply, m_uri.address()) : forOneRelease(reply.error());
    if (error.code == ErrorCode::NotPermitted)
      error.what = fmt::format("this user may not read {}, which a release has to look at", safeText(m_plan.keys[1], 120));
    m_result.plan.reset();
    finish(verdictOf(error), error.sentence());
  }

  void onType(Result<Reply> reply) {
    const auto type = reply ? reply->text().value_or("") : std::string_view{};
    if (type == "none")
      return finish(Verdict::AlreadyFree, "already free: there is no such key");
    if (!type.empty() && m_rereads++ < mostRereads) // it may have been free for an instant, when it was read
      return read();
    finish(Verdict::NotALock, type.empty() ? std::string("no lock is there") : fmt::format("the key is a {} that is no lock", safeText(type, 20)));
  }

  void onIntent(Result<AuditRecord> written) {
    if (!written)
      return finish(Verdict::NotAllowed, "the audit log cannot be written, so nothing was sent: " + written.error().sentence());
    m_audit = std::move(*written);
    m_result.auditId = m_audit.id;
    m_core->watcher.expectRelease(m_intent.lock);
    ask(releaseCommand(m_plan), &Run::onAnswer);
  }

  void onAnswer(Result<Reply> reply) {
    if (!reply)
      reply = std::unexpected(forOneRelease(reply.error()));
    m_answer = answerOf(reply, m_plan, m_intent.lock.node.bytes());
    m_core->record(outcomeRecord(m_audit, m_answer), step<Result<AuditRecord>>(&Run::onOutcome));
  }

  void onOutcome(Result<AuditRecord> written) {
    if (!written)
      m_answer.detail += "; the outcome could not be recorded: " + written.error().sentence();
    m_core->watcher.read(m_intent.lock, step<Result<LockRecordPtr>>(&Run::onReread));
  }

  void onReread(Result<LockRecordPtr> read) {
    m_result.now = read ? std::move(*read) : nullptr;
    const bool isHeld = m_answer.verdict == Verdict::NotALock && m_result.now && m_result.now->isHeld();
    const bool otherLock = isHeld && (m_result.now->family != m_before->family || m_result.now->holders != m_before->holders);
    finish(otherLock ? Verdict::Changed : m_answer.verdict, std::move(m_answer.detail));
  }

  /// Sends one command over a connection of its own, as soon as that is ready.
  void ask(Command command, void (Run::*next)(Result<Reply>)) {
    m_connection = m_core->connect(m_uri);
    m_connection->onState([weak = weak_from_this(), command = std::move(command), next](Connection::State state, const Error *why) mutable {
      const auto self = weak.lock();
      if (!self || !self->m_connection || command.size() == 0 || state == Connection::State::Connecting)
        return;
      const auto once = std::exchange(command, Command());
      if (state == Connection::State::Down)
        return self->goOn(next, why == nullptr ? Error{} : *why);
      if (!self->m_core->unlocked && once.name() != "TYPE") // the only way to a write
        return self->goOn(next, Error{ErrorCode::ReadOnly, "locked again before the release was sent", self->m_uri.address(), {}});
      self->m_connection->send(once, self->step<Result<Reply>>(next));
    });
    m_connection->open();
  }

  // Not inside the connection's call: going on may end this run and its connection.
  void goOn(void (Run::*next)(Result<Reply>), Error error) {
    m_core->loop.post([then = step<Result<Reply>>(next), error = std::move(error)]() mutable { then(std::unexpected(std::move(error))); });
  }

  template <class Value> std::move_only_function<void(Value)> step(void (Run::*next)(Value)) {
    return [weak = weak_from_this(), next](Value value) {
      if (const auto self = weak.lock(); self && self->m_core->runs.contains(self))
        ((*self).*next)(std::move(value));
    };
  }

  void finish(std::optional<Verdict> verdict, std::string detail) {
    const auto self = shared_from_this();
    m_core->runs.erase(self);
    m_connection.reset();
    m_result.verdict = verdict;
    m_result.detail = std::move(detail);
    m_done(std::move(m_result));
  }

  std::shared_ptr<Core> m_core;
  ReleaseIntent m_intent;
  bool m_isApply;
  Done m_done;
  ReleaseResult m_result;
  Uri m_uri;
  LockRecordPtr m_before;
  ReleasePlan m_plan;
  AuditRecord m_audit;
  ReleaseAnswer m_answer;
  unsigned m_rereads = 0;
  std::unique_ptr<Connection> m_connection;
};

void Operator::Core::close() {
  const auto dropAll = [this] {
    for (const auto &run : std::exchange(runs, {}))
      run->abandon();
  };
  if (!loop.call(dropAll)) // where the loop has ended, nothing else touches them any more
    dropAll();
  m_files.stop();
}

Operator::Operator(Loop &loop, Watcher &watcher, std::vector<Uri> nodes, ConnectionOptions options, std::string auditPath)
    : m_core(std::make_shared<Core>(loop, watcher, std::move(nodes), std::move(options), std::move(auditPath))) {}

Operator::~Operator() { m_core->close(); }

bool Operator::isUnlocked() const { return m_core->unlocked; }

void Operator::unlock() { m_core->unlocked = true; }

void Operator::lock() { m_core->unlocked = false; }

void Operator::plan(ReleaseIntent intent, Done done) {
  m_core->loop.post([run = std::make_shared<Run>(m_core, std::move(intent), false, std::move(done))] { run->start(); });
}

void Operator::apply(ReleaseIntent intent, Done done) {
  m_core->loop.post([run = std::make_shared<Run>(m_core, std::move(intent), true, std::move(done))] { run->start(); });
}

} // namespace lockhouse
