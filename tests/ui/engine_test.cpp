// SPDX-License-Identifier: Apache-2.0
// The bridge on a real server.
#include "core/base/command.h"
#include "core/lab/sandbox/sandbox.h"
#include "core/net/connection/connection.h"
#include "ui/bridge/engine.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <gmock/gmock.h>

#include <future>
#include <map>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

constexpr int ceiling = 15'000;

/// Sends commands of its own, as an application would.
class Application {
public:
  explicit Application(const Uri &node) : m_connection(m_loop, node, {}) {
    std::promise<void> ready;
    m_loop.call([&] {
      m_connection.onState([&ready, told = false](Connection::State state, const Error *) mutable {
        if (state == Connection::State::Ready && !std::exchange(told, true))
          ready.set_value();
      });
      m_connection.open();
    });
    ready.get_future().wait_for(std::chrono::milliseconds(ceiling));
    m_loop.call([this] { m_connection.onState({}); });
  }
  ~Application() {
    m_loop.call([this] { m_connection.close(); });
  }

  void send(std::initializer_list<std::string_view> words) {
    std::promise<void> answered;
    m_loop.call([&] { m_connection.send(Command(words), [&](Result<Reply>) { answered.set_value(); }); });
    answered.get_future().wait_for(std::chrono::milliseconds(ceiling));
  }

private:
  Loop m_loop;
  Connection m_connection;
};

class EngineOnAServer : public ::testing::Test {
protected:
  QTemporaryDir m_folder;
  std::optional<Sandbox> m_server;
  std::unique_ptr<Application> m_application;
  std::unique_ptr<Engine> m_engine;
  LockSnapshotPtr m_snapshot;

  void SetUp() override {
    auto server = Sandbox::start({});
    ASSERT_TRUE(server) << server.error().sentence();
    m_server.emplace(std::move(*server));
    m_application = std::make_unique<Application>(m_server->unixUri());
    m_engine = std::make_unique<Engine>(Engine::Options{{m_server->unixUri()}, false, m_folder.filePath(u"audit.sqlite"_s).toStdString()});
    QObject::connect(m_engine.get(), &Engine::snapshotReady, m_engine.get(), [this](const LockSnapshotPtr &snapshot) {
      EXPECT_EQ(QThread::currentThread(), qApp->thread());
      EXPECT_TRUE(!m_snapshot || snapshot->revision >= m_snapshot->revision);
      m_snapshot = snapshot;
    });
    m_engine->start();
  }

  LockRecordPtr seen(const char *key) const {
    if (!m_snapshot)
      return nullptr;
    for (const LockRecordPtr &lock : m_snapshot->locks)
      if (lock->id.key.bytes() == key)
        return lock;
    return nullptr;
  }
  bool waitFor(auto condition) { return QTest::qWaitFor(condition, ceiling); }
};

TEST_F(EngineOnAServer, bringsUpSnapshotsAndChanges) {
  ASSERT_TRUE(waitFor([&] { return m_snapshot && !m_snapshot->nodes.empty() && m_snapshot->nodes.front().state == NodeState::Live; }));
  std::vector<LockChange> changes;
  QObject::connect(m_engine.get(), &Engine::changesReady, m_engine.get(),
                   [&](const std::vector<LockChange> &more, quint64) { changes.insert(changes.end(), more.begin(), more.end()); });
  m_application->send({"HSET", "stock", "8743c9c0-0795-4907-87fd-6c719a6b4586:31", "1"});
  m_application->send({"PEXPIRE", "stock", "30000"});
  EXPECT_TRUE(waitFor([&] { return seen("stock") != nullptr; }));
  EXPECT_TRUE(waitFor([&] { return !changes.empty(); }));
  m_application->send({"DEL", "stock"});
  EXPECT_TRUE(waitFor([&] { return seen("stock") == nullptr; }));
}

TEST_F(EngineOnAServer, refusesToWriteWhileReadOnlyAndReleasesWhenUnlocked) {
  m_application->send({"HSET", "stock", "8743c9c0-0795-4907-87fd-6c719a6b4586:31", "1"});
  m_application->send({"PEXPIRE", "stock", "30000"});
  ASSERT_TRUE(waitFor([&] { return seen("stock") != nullptr; }));
  const ReleaseIntent intent{seen("stock")->id, seen("stock")->holders.front().id, {}, "tested"};
  std::optional<ReleaseResult> result;
  quint64 answered = 0;
  QObject::connect(m_engine.get(), &Engine::applied, m_engine.get(), [&](quint64 request, const ReleaseResult &given) {
    answered = request;
    result = given;
  });

  quint64 asked = m_engine->apply(intent);
  ASSERT_TRUE(waitFor([&] { return answered == asked; }));
  EXPECT_EQ(result->verdict, Verdict::ReadOnly);

  m_engine->unlock();
  EXPECT_TRUE(m_engine->isUnlocked());
  asked = m_engine->apply(intent);
  ASSERT_TRUE(waitFor([&] { return answered == asked; }));
  EXPECT_EQ(result->verdict, Verdict::Released);
  EXPECT_TRUE(waitFor([&] { return seen("stock") == nullptr; }));

  QSignalSpy audit(m_engine.get(), &Engine::auditLoaded);
  m_engine->loadAudit(10);
  ASSERT_TRUE(waitFor([&] { return audit.count() == 1; }));
  EXPECT_FALSE(audit.at(0).at(1).value<std::optional<Error>>());
  const auto records = audit.at(0).at(0).value<std::vector<AuditRecord>>();
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records.front().reason, "tested");
}

TEST_F(EngineOnAServer, whatIsAllowedOnceUnlocksNothingElseAndEndsWithALock) {
  std::map<quint64, Verdict> verdicts;
  QObject::connect(m_engine.get(), &Engine::applied, m_engine.get(), [&](quint64 request, const ReleaseResult &given) { verdicts[request] = *given.verdict; });
  ASSERT_TRUE(waitFor([&] { return m_snapshot && !m_snapshot->nodes.empty() && m_snapshot->nodes.front().state == NodeState::Live; }));
  const ReleaseIntent intent{{m_snapshot->nodes.front().id, 0, LockName("stock")}, "nobody", {}, "tested"};
  const auto comesTo = [&](Verdict verdict) {
    const quint64 asked = m_engine->apply(intent);
    EXPECT_TRUE(waitFor([&] { return verdicts.contains(asked); }));
    return verdicts[asked] == verdict;
  };
  QSignalSpy unlocked(m_engine.get(), &Engine::unlockedChanged);
  const quint64 one = m_engine->allowOnce(), two = m_engine->allowOnce();
  EXPECT_FALSE(m_engine->isUnlocked()) << "for whatever else is asked a person has not agreed";
  EXPECT_EQ(unlocked.count(), 0);
  EXPECT_TRUE(comesTo(Verdict::AlreadyFree));
  m_engine->endOnce(one);
  EXPECT_TRUE(comesTo(Verdict::AlreadyFree)) << "the other is still under way";
  m_engine->endOnce(two);
  EXPECT_TRUE(comesTo(Verdict::ReadOnly));

  const quint64 three = m_engine->allowOnce();
  m_engine->lock();
  EXPECT_TRUE(comesTo(Verdict::ReadOnly)) << "at once, for all";
  const quint64 four = m_engine->allowOnce();
  m_engine->endOnce(four);
  EXPECT_TRUE(comesTo(Verdict::ReadOnly)) << "the one that the lock ended keeps nothing open";
  m_engine->unlock();
  m_engine->endOnce(three);
  EXPECT_TRUE(comesTo(Verdict::AlreadyFree)) << "a person has unlocked it";
}

TEST_F(EngineOnAServer, stressNeedsPermissionOnAServerThatIsNotTheDemos) {
  std::optional<Result<StressReport>> report;
  QObject::connect(m_engine.get(), &Engine::stressFinished, m_engine.get(), [&](const StressOutcome &outcome) { report = outcome.report; });
  StressOptions options;
  options.count = 50;
  options.clients = 4;
  m_engine->startStress(0, options);
  ASSERT_TRUE(waitFor([&] { return report.has_value(); }));
  ASSERT_FALSE(*report);
  EXPECT_EQ(report->error().code, ErrorCode::ReadOnly);

  report.reset();
  m_engine->unlock();
  m_engine->startStress(0, options);
  ASSERT_TRUE(waitFor([&] { return report.has_value(); }));
  ASSERT_TRUE(*report) << report->error().sentence();
  EXPECT_EQ((*report)->pairs, 50U);
  EXPECT_EQ((*report)->violations, 0U);

  report.reset();
  m_engine->startStress(7, options);
  ASSERT_TRUE(waitFor([&] { return report.has_value(); }));
  EXPECT_EQ(report->error().code, ErrorCode::Usage);
}

TEST_F(EngineOnAServer, closesSoonWhileTheServerIsStopped) {
  ASSERT_TRUE(waitFor([&] { return m_snapshot != nullptr; }));
  m_server->pause();
  const auto before = SteadyClock::now();
  m_engine.reset();
  EXPECT_LT(SteadyClock::now() - before, seconds(10));
  m_server->resume();
}

TEST(EngineAlone, namesANodeByTheUrlThatItWasGivenWithoutItsPassword) {
  const QTemporaryDir folder;
  const std::vector<std::string> urls{"redis://127.0.0.1:7001", "rediss://eye:pw@[::1]:7002/3?cacert=/ca.pem", "unix:///tmp/r.sock?db=3", "redis://h:7003/1",
                                      "redis://h:7003/2"};
  const Engine engine({.nodes = parseUris(urls).value(), .demo = false, .auditPath = (folder.path() + u"/audit.db"_s).toStdString()});
  EXPECT_EQ(engine.urlOf({NodeId("127.0.0.1:7001"), 0, {}}), "redis://127.0.0.1:7001");
  EXPECT_EQ(engine.urlOf({NodeId("[::1]:7002"), 3, {}}), "rediss://[::1]:7002/3?cacert=/ca.pem");
  EXPECT_EQ(engine.urlOf({NodeId("/tmp/r.sock"), 3, {}}), "unix:///tmp/r.sock?db=3");
  EXPECT_EQ(engine.urlOf({NodeId("h:7003/2"), 2, {}}), "redis://h:7003/2");
  EXPECT_EQ(engine.urlOf({NodeId("elsewhere:1"), 0, {}}), "");
}

TEST_F(EngineOnAServer, knowsTheFamiliesThatItWasGiven) {
  const auto families = FamilyRegistry::with("[[family]]\nslug = \"acme-gate\"\n[[family.form]]\ntype = \"string\"\nkey = \"acme:{name}\"\n"
                                             "value = \"{host:word}/{pid:digits}\"\nconfidence = 0.9\nevidence = \"a gate\"\n",
                                             "families.toml");
  ASSERT_TRUE(families) << families.error().sentence();
  m_engine.reset();
  m_snapshot.reset();
  m_application->send({"SET", "acme:7", "web-1/4711", "PX", "60000"});
  m_engine = std::make_unique<Engine>(Engine::Options{{m_server->unixUri()}, false, m_folder.filePath(u"audit.sqlite"_s).toStdString(), *families});
  QObject::connect(m_engine.get(), &Engine::snapshotReady, m_engine.get(), [this](const LockSnapshotPtr &snapshot) { m_snapshot = snapshot; });
  m_engine->start();
  ASSERT_TRUE(waitFor([&] { return seen("acme:7") != nullptr; }));
  EXPECT_EQ(seen("acme:7")->family, "acme-gate");
  EXPECT_NE(m_engine->families().find("acme-gate"), nullptr);
}

TEST(EngineAlone, saysWhyANodeCannotBeReached) {
  QTemporaryDir folder;
  Uri nowhere;
  nowhere.kind = Uri::Kind::Unix;
  nowhere.path = folder.filePath(u"nobody.sock"_s).toStdString();
  Engine engine({{nowhere}, false, folder.filePath(u"audit.sqlite"_s).toStdString()});
  LockSnapshotPtr last;
  QObject::connect(&engine, &Engine::snapshotReady, &engine, [&](const LockSnapshotPtr &snapshot) { last = snapshot; });
  engine.start();
  ASSERT_TRUE(QTest::qWaitFor([&] { return last && !last->nodes.empty() && last->nodes.front().state == NodeState::Down; }, ceiling));
  ASSERT_TRUE(last->nodes.front().error);
  EXPECT_EQ(last->nodes.front().error->code, ErrorCode::Unreachable);
}

} // namespace
} // namespace lockhouse::ui
