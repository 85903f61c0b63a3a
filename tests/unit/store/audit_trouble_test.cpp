// SPDX-License-Identifier: Apache-2.0
#include "core/store/database.h"
#include "tests/unit/store/scratch.h"

#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <optional>
#include <sys/resource.h>
#include <sys/stat.h>

namespace lockhouse {
namespace {

using test::sample;
using testing::HasSubstr;

class AuditTrouble : public test::Scratch {
protected:
  static Error refused(const std::string &path) {
    const auto log = AuditLog::open(path, sha256);
    EXPECT_FALSE(log) << path;
    return log ? Error{} : log.error();
  }
};

TEST_F(AuditTrouble, saysThatAPathCannotBeWritten) {
  const auto error = refused("/proc/lockhouse/audit.sqlite"); // refused to root as well
  EXPECT_EQ(error.code, ErrorCode::Storage);
  EXPECT_THAT(error.sentence(), HasSubstr("/proc/lockhouse"));
  EXPECT_FALSE(error.next.empty());
}

TEST_F(AuditTrouble, takesNoFolderAndNoFileOfAnotherKind) {
  EXPECT_EQ(refused(folder()).code, ErrorCode::Storage);
  ASSERT_EQ(mkfifo((folder() + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(refused(folder() + "/pipe").what.english(), "not a regular file");
}

TEST_F(AuditTrouble, followsNoSymbolicLink) {
  std::ofstream(folder() + "/target") << "";
  std::filesystem::create_symlink(folder() + "/target", folder() + "/link");
  EXPECT_EQ(refused(folder() + "/link").code, ErrorCode::Storage);
}

TEST_F(AuditTrouble, takesNoFolderUnderAFile) {
  std::ofstream(folder() + "/file") << "";
  EXPECT_EQ(refused(folder() + "/file/audit.sqlite").code, ErrorCode::Storage);
}

TEST_F(AuditTrouble, saysThatAFileIsNoDatabase) {
  std::ofstream(folder() + "/text") << std::string(5000, 'x');
  const auto error = refused(folder() + "/text");
  EXPECT_THAT(error.what.english(), HasSubstr("not a database"));
  EXPECT_THAT(error.next.english(), HasSubstr("evidence"));
}

TEST_F(AuditTrouble, leavesADatabaseOfSomethingElseAlone) {
  const auto path = folder() + "/else.sqlite";
  std::ofstream(path).close();
  auto database = Database::open(path);
  ASSERT_TRUE(database);
  ASSERT_TRUE(database->run("CREATE TABLE theirs (x)"));
  EXPECT_THAT(refused(path).what.english(), HasSubstr("something else"));
  EXPECT_EQ(database->number("SELECT count(*) FROM sqlite_schema"), 1);
}

TEST_F(AuditTrouble, losesNothingToAJournalOfSomethingElseThatWasLaidBesideIt) {
  ASSERT_TRUE(opened().append(sample()));
  const auto other = folder() + "/else.sqlite", journal = path() + "-wal";
  std::ofstream(other).close();
  auto database = Database::open(other);
  ASSERT_TRUE(database && database->run("PRAGMA journal_mode = WAL") && database->run("CREATE TABLE theirs (x)"));
  ASSERT_FALSE(std::filesystem::exists(journal));
  std::filesystem::copy_file(other + "-wal", journal);
  EXPECT_THAT(refused(path()).what.english(), HasSubstr("something else"));
  for (const auto *end : {"-wal", "-shm"})
    std::filesystem::remove(path() + end);
  const auto end = opened().verify();
  ASSERT_TRUE(end) << end.error().sentence();
  EXPECT_EQ(end->records, 1U);
}

TEST_F(AuditTrouble, leavesALogOfANewerVersionAlone) {
  (void)opened();
  auto database = Database::open(path());
  ASSERT_TRUE(database && database->run("PRAGMA user_version = 2"));
  EXPECT_THAT(refused(path()).what.english(), HasSubstr("version 2"));
}

TEST_F(AuditTrouble, saysThatTheFileIsCorruptAndKeepsNothingHalfWritten) {
  {
    auto log = opened();
    for (int i = 0; i < 50; ++i)
      ASSERT_TRUE(log.append(sample()));
  }
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  const auto size = std::filesystem::file_size(path());
  for (std::uintmax_t at = 4096; at < size; at += 4096) {
    file.seekp(static_cast<std::streamoff>(at));
    file << std::string(512, '\xa5');
  }
  file.close();
  auto log = AuditLog::open(path(), sha256);
  const bool foundOut = !log || !log->verify();
  EXPECT_TRUE(foundOut);
  if (log) {
    EXPECT_TRUE(log->isDamaged());
    EXPECT_FALSE(log->append(sample()));
  }
}

// A limit on the size of files stands for a full disk: the write fails half-way, as it would there.
TEST_F(AuditTrouble, writesNothingWhenTheDiskIsFullAndGoesOnLater) {
  auto log = opened();
  ASSERT_TRUE(log.append(sample()));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto limit = std::filesystem::file_size(path() + "-wal");
  rlimit tight = before;
  tight.rlim_cur = limit + 100;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  const auto refused = log.append(sample());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Storage);
  EXPECT_EQ(log.latest(10)->size(), 1U);
  EXPECT_TRUE(log.append(sample()));
  EXPECT_EQ(log.verify()->records, 2U);
}

TEST_F(AuditTrouble, saysThatATriggerOfSomebodyElsesSwallowsARecord) {
  auto log = opened();
  ASSERT_TRUE(log.append(sample("a")));
  auto file = Database::open(path());
  ASSERT_TRUE(file && file->run("CREATE TRIGGER swallow BEFORE INSERT ON record WHEN NEW.key = CAST('b' AS BLOB) BEGIN SELECT RAISE(IGNORE); END"));
  for (const auto &keys : {std::vector{"b"}, std::vector{"b", "c"}, std::vector{"c", "b"}}) {
    std::vector<AuditRecord> records;
    for (const auto *key : keys)
      records.push_back(sample(key));
    const auto written = log.append(records);
    ASSERT_FALSE(written);
    const auto *told = records.back().key == "b" ? "trigger" : "new records only"; // behind one that is missing none is taken
    EXPECT_THAT(written.error().what.english(), HasSubstr(told));
    EXPECT_EQ(log.latest(9)->size(), 1U) << "all of them or none";
  }
  ASSERT_TRUE(log.append(sample("c")));
  EXPECT_EQ(log.latest(9)->size(), 2U);
}

TEST_F(AuditTrouble, appendsNothingToAFileThatNobodyCanOpenAnyMore) {
  auto log = opened();
  ASSERT_TRUE(log.append(sample("a")));
  EXPECT_TRUE(log.isThere());
  const auto away = folder() + "/away.sqlite";
  std::filesystem::rename(path(), away);
  EXPECT_FALSE(log.isThere());
  EXPECT_THAT(log.append(sample("b")).error().what.english(), HasSubstr("removed, renamed or replaced"));
  EXPECT_THAT(AuditLog::open(path(), sha256).error().what.english(), HasSubstr("is not there, and records of it lie in its -wal file"));
  for (const auto *end : {"-wal", "-shm"})
    std::filesystem::rename(path() + end, away + end);
  { auto other = opened(); } // a new one in its place
  EXPECT_FALSE(log.isThere());
  EXPECT_EQ(AuditLog::open(away, sha256)->latest(9)->size(), 1U);
  EXPECT_FALSE(log.append(sample("c")));
}

TEST_F(AuditTrouble, appendsNothingWhereItsRecordsAreCutOffOrTheJournalIsTakenAway) {
  const auto refused = [this](auto harm) {
    auto log = opened();
    EXPECT_TRUE(log.append(sample("a")));
    harm();
    EXPECT_TRUE(log.isThere()) << "it is the same file";
    const auto written = log.append(sample("b"));
    return written ? std::string("written") : written.error().what.english();
  };
  const auto journal = path() + "-wal";
  EXPECT_THAT(refused([&] { std::filesystem::rename(journal, journal + ".away"); }), HasSubstr("taken away"));
  for (const auto *end : {"", "-shm"})
    std::filesystem::remove(path() + end);
  EXPECT_THAT(refused([&] { std::filesystem::resize_file(path(), 100); }), HasSubstr("cut short"));
}

// What is written behind the cut would come into the file itself, with holes for pages.
TEST_F(AuditTrouble, appendsNothingBehindACutJournal) {
  for (const auto size : {0, 100, 12'000}) {
    {
      auto log = opened();
      ASSERT_TRUE(log.append(std::vector<AuditRecord>(20, sample("a"))));
    }
    {
      auto log = opened();
      ASSERT_TRUE(log.append(sample("b")));
      std::filesystem::resize_file(path() + "-wal", static_cast<std::uintmax_t>(size));
      EXPECT_THAT(log.append(sample("c")).error().what.english(), HasSubstr("cut short")) << size;
    }
    EXPECT_TRUE(opened().verify()) << size;
    EXPECT_GE(opened().latest(100)->size(), 20U) << size << ": what was in the file itself stays";
    for (const auto *end : {"", "-wal", "-shm"})
      std::filesystem::remove(path() + end);
  }
}

TEST_F(AuditTrouble, findsDamageThatTheWalkComesBy) {
  auto record = sample("a");
  record.before = std::string(20'000, 'x'); // as of many: it goes on in pages of its own
  {
    auto log = opened();
    for (int i = 0; i < 50; ++i)
      ASSERT_TRUE(log.append(record));
  }
  const auto size = std::filesystem::file_size(path());
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  for (std::uintmax_t at = size / 2 / 4096 * 4096; at < size / 2 + 5 * 4096; at += 4096) { // a run of such pages
    file.seekp(static_cast<std::streamoff>(at));
    file << std::string(4, '\x7f'); // where the next one is
  }
  file.close();
  auto log = opened();
  EXPECT_FALSE(log.verifyNewest(1'000));
  EXPECT_TRUE(log.isDamaged());
  EXPECT_FALSE(log.verify());
}

TEST_F(AuditTrouble, findsAnIndexThatIsDamagedAndADatabaseThatIsNoNumber) {
  {
    auto log = opened();
    for (int i = 0; i < 6; ++i)
      ASSERT_TRUE(log.append(sample("a")));
  }
  tamper("UPDATE record SET db = db + 4294967296 WHERE seq = 2");
  EXPECT_EQ(opened().verify().error().what.english(), "record 2 was altered after it was written");
  tamper("UPDATE record SET db = db - 4294967296 WHERE seq = 2");
  EXPECT_TRUE(opened().verify());
  auto raw = Database::open(path());
  const auto root = raw->number("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_record_1'");
  raw = std::unexpected(Error{}); // closed
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>((*root - 1) * 4096));
  file << std::string(4096, '\0');
  file.close();
  EXPECT_FALSE(opened().verify());
}

TEST_F(AuditTrouble, beginsNoNewChainBesideAJournalThatHasRecords) {
  auto log = opened();
  ASSERT_TRUE(log.append(sample("a")));
  std::filesystem::resize_file(path(), 0);
  const auto journal = std::filesystem::file_size(path() + "-wal");
  ASSERT_GT(journal, 0U);
  EXPECT_THAT(AuditLog::open(path(), sha256).error().what.english(), HasSubstr("lie in its -wal file"));
  EXPECT_THAT(AuditLog::openIfThere(path(), sha256).error().what.english(), HasSubstr("lie in its -wal file"));
  EXPECT_EQ(std::filesystem::file_size(path() + "-wal"), journal);
}

TEST_F(AuditTrouble, noticesThatAFileWhichHasGrownSinceIsCutShort) {
  auto log = opened();
  const auto atFirst = std::filesystem::file_size(path());
  while (std::filesystem::file_size(path()) <= 2 * atFirst) // what it appends comes into the file now and then
    ASSERT_TRUE(log.append(std::vector<AuditRecord>(2'000, sample("a"))));
  ASSERT_TRUE(log.append(sample("b")));
  std::filesystem::resize_file(path(), atFirst + 4'096);
  EXPECT_THAT(log.append(sample("c")).error().what.english(), HasSubstr("cut short"));
}

// Whoever cuts the end off and sets the highest number back leaves no trace but that.
TEST_F(AuditTrouble, goesOnNamingACutEndWhoseNumbersWereSetBack) {
  {
    auto log = opened();
    for (const auto *key : {"a", "b", "c"})
      ASSERT_TRUE(log.append(sample(key)));
  }
  auto raw = Database::open(path());
  ASSERT_TRUE(raw && raw->run("DROP TRIGGER record_delete; DELETE FROM record WHERE seq = 3; DELETE FROM sqlite_sequence; "
                              "CREATE TRIGGER record_delete BEFORE DELETE ON record BEGIN SELECT RAISE(ABORT, 'the audit log takes no removals'); END"));
  auto log = opened();
  EXPECT_THAT(log.verify().error().what.english(), HasSubstr("set back"));
  ASSERT_TRUE(log.append(sample("d")));
  EXPECT_THAT(log.verify().error().what.english(), HasSubstr("record 3 is missing"));
  ASSERT_TRUE(log.append(sample("e")));
  EXPECT_THAT(log.verify().error().what.english(), HasSubstr("record 3 is missing"));
}

TEST_F(AuditTrouble, givesUpOnALockedFileInsteadOfWaitingForEver) {
  auto log = opened();
  auto other = Database::open(path());
  ASSERT_TRUE(other && other->run("BEGIN IMMEDIATE"));
  const auto refused = log.append(sample());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().next.english(), HasSubstr("another process"));
  ASSERT_TRUE(other->run("ROLLBACK"));
  EXPECT_TRUE(log.append(sample()));
}

TEST_F(AuditTrouble, saysWhatIsThereButCannotBeRead) {
  std::ofstream(folder() + "/text") << std::string(5000, 'x');
  const auto log = AuditLog::openIfThere(folder() + "/text", sha256);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().what.english(), HasSubstr("not a database"));
  EXPECT_FALSE(AuditLog::openIfThere("/proc/self/status", sha256)) << "whose size is 0 whatever it holds";
}

class DefaultAuditPath : public testing::Test {
protected:
  ~DefaultAuditPath() override {
    for (const auto &[name, value] : m_before)
      value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  }
  static std::optional<std::string> variable(const char *name) {
    const char *value = ::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
  }

private:
  std::map<const char *, std::optional<std::string>> m_before{{"XDG_STATE_HOME", variable("XDG_STATE_HOME")}, {"HOME", variable("HOME")}};
};

TEST_F(DefaultAuditPath, followsTheXdgSpecification) {
  ::setenv("XDG_STATE_HOME", "/somewhere/state", 1);
  EXPECT_EQ(defaultAuditPath(), "/somewhere/state/lockhouse/audit.sqlite");
  ::setenv("XDG_STATE_HOME", "relative", 1);
  ::setenv("HOME", "/home/keeper", 1);
  EXPECT_EQ(defaultAuditPath(), "/home/keeper/.local/state/lockhouse/audit.sqlite");
  ::unsetenv("XDG_STATE_HOME");
  EXPECT_EQ(defaultAuditPath(), "/home/keeper/.local/state/lockhouse/audit.sqlite");
}

TEST_F(DefaultAuditPath, isNowhereWithoutAHomeAndTheLogSaysWhatToSet) {
  ::unsetenv("XDG_STATE_HOME");
  for (const char *home : {"", "relative"}) {
    ::setenv("HOME", home, 1);
    EXPECT_EQ(defaultAuditPath(), "");
  }
  ::unsetenv("HOME");
  const auto path = defaultAuditPath();
  EXPECT_EQ(path, "");
  const auto log = AuditLog::open(path, sha256);
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::Storage);
  EXPECT_THAT(log.error().sentence(), testing::AllOf(HasSubstr("audit log"), HasSubstr("HOME"), HasSubstr("XDG_STATE_HOME")));
  const auto read = AuditLog::openIfThere(path, sha256);
  ASSERT_FALSE(read) << "nobody knows whether there is one";
  EXPECT_EQ(read.error(), log.error());
}

} // namespace
} // namespace lockhouse
