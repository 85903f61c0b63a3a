// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/engine.h"

#include "core/client/release/release_service.h"
#include "core/client/watcher/watcher.h"
#include "core/net/address/digest.h"
#include "core/store/audit_files.h"
#include "ui/bridge/mailbox.h"

#include <QString>

#include <algorithm>
#include <array>
#include <set>
#include <sys/stat.h>
#include <tuple>
#include <utility>

namespace lockhouse::ui {
namespace {

Result<std::vector<AuditRecord>> newestAudit(const std::string &path, std::size_t most) {
  const auto log = AuditLog::openIfThere(path, sha256);
  if (!log)
    return std::unexpected(log.error());
  if (*log)
    return (*log)->latest(most);
  if (auto none = AuditFiles::noLogAt(path); none.why == AuditFiles::NoLog::Why::Barred)
    return std::unexpected(std::move(*none.error));
  return std::vector<AuditRecord>{};
}

AuditCheck walkAudit(const std::string &path) {
  const auto log = AuditLog::openIfThere(path, sha256);
  const auto none = log && !*log ? AuditFiles::noLogAt(path) : AuditFiles::NoLog();
  const auto end = [&]() -> Result<AuditLog::End> {
    if (!log || none.error)
      return std::unexpected(!log ? log.error() : *none.error);
    return *log ? (*log)->verify() : AuditLog::End{};
  };
  const auto sound = end();
  return {wallNow(),
          sound ? sound->records : 0,
          sound ? std::nullopt : std::optional(sound.error()),
          !log || none.why == AuditFiles::NoLog::Why::Barred,
          log && *log ? (*log)->misfit() : std::nullopt,
          sound ? sound->unanswered.size() : 0};
}

// What tells one state of a file from the next: which it is, how long, and since when; empty and absent are one.
using FileMark = std::tuple<ino_t, off_t, time_t, long>;

FileMark markOf(const std::string &path) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0 || found.st_size == 0)
    return {};
  return {found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

WatcherOptions watchingFor(const Engine::Options &options) {
  WatcherOptions watching;
  watching.families = options.families;
  return watching;
}

} // namespace

/// The running parts, in the order they are ended: a stress run, the operator, the watcher, their loop, the disk's thread.
class Engine::Core {
public:
  Core(Engine &owner, Options given)
      : options(std::move(given)), watcher(loop, options.nodes, watchingFor(options)), hand(loop, watcher, options.nodes, {}, options.auditPath),
        m_owner(owner) {
    watcher.onSnapshot([this](LockSnapshotPtr snapshot) { deliverIf(mailbox.put(std::move(snapshot))); });
    watcher.onChanges([this](std::span<const LockChange> changes) { take(changes); });
  }

  /// Runs `task` on the GUI thread later; dropped when the engine is gone by then.
  template <class Task> void later(Task task) { QMetaObject::invokeMethod(&m_owner, std::move(task), Qt::QueuedConnection); }

  Options options;
  Mailbox mailbox;
  std::optional<std::array<FileMark, 2>> auditSeen; ///< of the audit log's files, on the disk's thread; nothing: not looked at yet
  Loop disk;                                        ///< reads of the audit file happen here
  Loop loop;
  Watcher watcher;
  ManyReleases many;
  ReleaseService hand;
  std::unique_ptr<StressRun> stress;
  quint64 lastRequest = 0;
  bool isUnlocked = false;   ///< by a person, for whatever comes; the gate of `hand` is open for what is allowed once as well
  std::set<quint64> allowed; ///< once, and under way
  quint64 lastAllowed = 0;
  bool isLooking = false; ///< for masters
  bool isChecking = false;
  bool checksAgain = false; ///< once the walk that is under way has ended

private:
  void deliverIf(bool first) {
    if (first)
      later([this] { deliver(); });
  }
  // Only of locks that the console shows.
  void take(std::span<const LockChange> changes) {
    std::vector<LockChange> shown;
    for (const auto &change : changes)
      if (auto seen = asShown(change))
        shown.push_back(std::move(*seen));
    if (!shown.empty())
      deliverIf(mailbox.put(shown));
  }
  void deliver() {
    const Mailbox::Mail mail = mailbox.take();
    if (!mail.changes.empty() || mail.dropped > 0)
      emit m_owner.changesReady(mail.changes, mail.dropped);
    if (mail.snapshot)
      emit m_owner.snapshotReady(mail.snapshot);
  }

  Engine &m_owner;
};

Engine::Engine(Options options, QObject *parent) : QObject(parent), m_core(std::make_unique<Core>(*this, std::move(options))) {
  connect(&m_core->many, &ManyReleases::progressed, this, &Engine::manyProgressed);
  connect(&m_core->many, &ManyReleases::planned, this, &Engine::manyPlanned);
  connect(&m_core->many, &ManyReleases::applied, this, &Engine::manyApplied);
}

Engine::~Engine() = default;

void Engine::start() { m_core->watcher.start(); }

bool Engine::isDemo() const { return m_core->options.demo; }

const FamilyRegistry &Engine::families() const { return m_core->watcher.families(); }

bool Engine::isUnlocked() const { return m_core->isUnlocked; }

Message Engine::auditTrouble() const { return m_core->hand.auditTrouble(); }

void Engine::unlock() {
  m_core->isUnlocked = true;
  m_core->hand.unlock();
  emit unlockedChanged(true);
}

void Engine::lock() {
  m_core->isUnlocked = false;
  m_core->allowed.clear();
  m_core->hand.lock();
  emit unlockedChanged(false);
}

quint64 Engine::allowOnce() {
  const quint64 allowed = ++m_core->lastAllowed;
  m_core->allowed.insert(allowed);
  m_core->hand.unlock();
  return allowed;
}

// Another that is under way keeps the operator's gate open until it is answered, too; one that lock() has ended does not.
void Engine::endOnce(quint64 allowed) {
  m_core->allowed.erase(allowed);
  if (m_core->allowed.empty() && !m_core->isUnlocked)
    m_core->hand.lock();
}

quint64 Engine::plan(const ReleaseIntent &intent) {
  const quint64 request = ++m_core->lastRequest;
  m_core->hand.plan(intent,
                    [this, request](ReleaseResult result) { m_core->later([this, request, result = std::move(result)] { emit planned(request, result); }); });
  return request;
}

quint64 Engine::apply(const ReleaseIntent &intent) {
  const quint64 request = ++m_core->lastRequest;
  m_core->hand.apply(intent,
                     [this, request](ReleaseResult result) { m_core->later([this, request, result = std::move(result)] { emit applied(request, result); }); });
  return request;
}

quint64 Engine::planMany(const std::vector<ReleaseIntent> &intents) {
  const quint64 request = ++m_core->lastRequest;
  m_core->many.plan(m_core->hand, request, intents);
  return request;
}

quint64 Engine::applyMany(const std::vector<ReleaseResult> &planned, const QString &reason) {
  const quint64 request = ++m_core->lastRequest;
  m_core->many.apply(m_core->hand, request, planned, reason.toStdString());
  return request;
}

void Engine::stopMany(quint64 request) { m_core->many.stop(request); }

void Engine::findUnwatched() {
  if (std::exchange(m_core->isLooking, true))
    return;
  m_core->hand.findUnwatchedMasters([this](std::vector<std::string> masters) {
    m_core->later([this, masters = std::move(masters)] {
      m_core->isLooking = false;
      emit unwatchedFound(masters);
    });
  });
}

void Engine::loadAudit(int most) {
  m_core->disk.post([this, path = m_core->options.auditPath, most = static_cast<std::size_t>(std::max(most, 0))] {
    auto records = newestAudit(path, most);
    m_core->later([this, records = std::move(records)] {
      emit auditLoaded(records.value_or(std::vector<AuditRecord>{}), records ? std::optional<Error>() : records.error());
    });
  });
}

void Engine::followAudit() {
  m_core->disk.post([this, path = m_core->options.auditPath] {
    const std::array now{markOf(path), markOf(path + "-wal")};
    const auto before = std::exchange(m_core->auditSeen, now);
    if (before && *before != now)
      m_core->later([this] { emit auditChanged(); });
  });
}

void Engine::checkAudit() {
  m_core->checksAgain = m_core->isChecking;
  if (std::exchange(m_core->isChecking, true))
    return;
  m_core->disk.post([this, path = m_core->options.auditPath] {
    m_core->later([this, check = walkAudit(path)] {
      m_core->isChecking = false;
      emit auditChecked(check);
      if (std::exchange(m_core->checksAgain, false))
        checkAudit();
    });
  });
}

std::string Engine::urlOf(const LockId &lock) const {
  const auto isIts = [&lock](const Uri &uri) {
    const auto address = uri.address();
    const auto &node = lock.node.bytes(); // the address, with the database behind it where one address is watched twice
    return uri.db == lock.db && (node == address || node == address + '/' + std::to_string(uri.db));
  };
  const auto uri = std::ranges::find_if(m_core->options.nodes, isIts);
  if (uri == m_core->options.nodes.end())
    return {};
  auto open = *uri;
  open.user.clear();
  open.password.clear();
  return open.shown();
}

void Engine::startStress(int nodeIndex, const StressOptions &options) {
  const auto refuse = [this](Error error) { m_core->later([this, error = std::move(error)] { emit stressFinished({std::unexpected(error)}); }); };
  if (m_core->stress)
    return refuse({ErrorCode::Usage, LH_MESSAGE("ErrorWords", "a stress run is already going"), {}, LH_MESSAGE("ErrorWords", "stop it first")});
  if (nodeIndex < 0 || static_cast<std::size_t>(nodeIndex) >= m_core->options.nodes.size())
    return refuse({ErrorCode::Usage, LH_MESSAGE("ErrorWords", "there is no such node"), {}, LH_MESSAGE("ErrorWords", "choose one of the list")});
  if (!isDemo() && !m_core->hand.isUnlocked())
    return refuse({ErrorCode::ReadOnly,
                   LH_MESSAGE("ErrorWords", "a stress run writes to its server, and this console is read-only"),
                   {},
                   LH_MESSAGE("ErrorWords", "allow changes first")});

  auto run = StressRun::start(
      m_core->options.nodes[static_cast<std::size_t>(nodeIndex)], options,
      [this](const StressProgress &progress) { m_core->later([this, progress] { emit stressProgressed(progress); }); },
      [this](Result<StressReport> report) {
        m_core->later([this, report = std::move(report)] {
          m_core->stress.reset();
          emit stressFinished({report});
        });
      });
  if (!run)
    return refuse(run.error());
  m_core->stress = std::move(*run);
}

void Engine::stopStress() {
  if (m_core->stress)
    m_core->stress->stop();
}

} // namespace lockhouse::ui
