// SPDX-License-Identifier: Apache-2.0
#include "core/store/database.h"
#include "tests/unit/store/scratch.h"

#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockhouse {
namespace {

using test::sample;
using testing::HasSubstr;

class AuditLogTest : public test::Scratch {
protected:
  void fill(int records) const {
    auto log = opened();
    for (int i = 1; i <= records; ++i)
      ASSERT_TRUE(log.append(sample("lock:" + std::to_string(i))));
  }
  std::string verdict() const {
    const auto sound = opened().verify();
    return sound ? std::to_string(sound->records) + " sound" : sound.error().what.english();
  }
};

TEST_F(AuditLogTest, givesBackEveryFieldByteForByte) {
  auto log = opened();
  const auto stored = log.append(sample());
  ASSERT_TRUE(stored) << stored.error().sentence();
  EXPECT_EQ(stored->seq, 1);
  EXPECT_THAT(stored->id, testing::MatchesRegex("a-000001-[0-9a-f]{8}"));
  EXPECT_EQ(stored->previousHash, std::string(64, '0'));
  const auto read = opened().latest(10);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1U);
  const auto &record = read->front();
  const auto expected = sample();
  EXPECT_EQ(std::tie(record.at, record.who, record.node, record.db, record.key, record.family, record.holder, record.count),
            std::tie(expected.at, expected.who, expected.node, expected.db, expected.key, expected.family, expected.holder, expected.count));
  EXPECT_EQ(std::tie(record.action, record.reason, record.script, record.before, record.verdict, record.subject),
            std::tie(expected.action, expected.reason, expected.script, expected.before, expected.verdict, expected.subject));
  EXPECT_EQ(record.hash, stored->hash);
}

TEST_F(AuditLogTest, chainsEachRecordToTheOneBefore) {
  auto log = opened();
  const auto first = log.append(sample());
  const auto second = log.append(sample());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->seq, 2);
  EXPECT_EQ(second->previousHash, first->hash);
  EXPECT_NE(second->hash, first->hash);
  EXPECT_EQ(verdict(), "2 sound");
}

TEST_F(AuditLogTest, givesTheNewestRecordsOldestFirst) {
  fill(5);
  const auto newest = opened().latest(2);
  ASSERT_TRUE(newest);
  ASSERT_EQ(newest->size(), 2U);
  EXPECT_EQ((*newest)[0].key, "lock:4");
  EXPECT_EQ((*newest)[1].key, "lock:5");
  EXPECT_EQ(opened().latest(0)->size(), 0U);
}

TEST_F(AuditLogTest, isSoundWhileEmpty) { EXPECT_EQ(verdict(), "0 sound"); }

TEST_F(AuditLogTest, refusesChangesRemovalsAndRenumbering) {
  fill(2);
  auto database = Database::open(path());
  ASSERT_TRUE(database);
  for (const char *sql :
       {"UPDATE record SET reason = 'x' WHERE seq = 1", "DELETE FROM record", "REPLACE INTO record SELECT * FROM record WHERE seq = 1",
        "INSERT INTO record SELECT 9, 'x', at_us, who, node, db, key, family, holder, count, action, reason, script, before, verdict, subject, "
        "previous_hash, hash FROM record WHERE seq = 1"})
    EXPECT_FALSE(database->run(sql)) << sql;
  EXPECT_EQ(verdict(), "2 sound");
}

TEST_F(AuditLogTest, findsAnAlteredField) {
  for (const char *field :
       {"at_us = at_us + 1", "who = x'00'", "node = x'00'", "db = 9", "key = x'00'", "family = x'00'", "holder = x'00'", "count = 9", "action = x'00'",
        "reason = x'00'", "script = x'00'", "before = x'00'", "verdict = x'00'", "subject = x'00'", "previous_hash = x'00'", "hash = x'00'", "id = x'00'"}) {
    std::filesystem::remove_all(folder() + "/state");
    fill(3);
    tamper(std::string("UPDATE record SET ") + field + " WHERE seq = 2");
    EXPECT_EQ(verdict(), "record 2 was altered after it was written") << field;
  }
}

TEST_F(AuditLogTest, namesTheRecordThatDoesNotFit) {
  fill(3);
  auto log = opened();
  EXPECT_TRUE(log.verify());
  EXPECT_EQ(log.misfit(), std::nullopt);
  tamper("UPDATE record SET reason = x'00' WHERE seq = 2");
  EXPECT_FALSE(log.verify());
  EXPECT_EQ(log.misfit(), 2);
}

TEST_F(AuditLogTest, namesATriggerThatIsNoneOfItsOwnAndSaysThatOneIsGone) {
  fill(2);
  tamper("");
  EXPECT_EQ(verdict(), "2 sound");
  auto database = Database::open(path());
  ASSERT_TRUE(database && database->run("CREATE TRIGGER quiet AFTER INSERT ON record BEGIN SELECT 1; END"));
  EXPECT_EQ(verdict(), "the file has a trigger that is none of Lockhouse's: quiet");
  ASSERT_TRUE(database->run("DROP TRIGGER quiet; DROP TRIGGER record_delete"));
  EXPECT_EQ(verdict(), "a trigger that keeps records from being changed or removed is gone from the file");
  ASSERT_TRUE(database->run("CREATE TRIGGER record_delete BEFORE DELETE ON record BEGIN SELECT 1; END"));
  EXPECT_EQ(verdict(), "the file has a trigger that is none of Lockhouse's: record_delete");
}

TEST_F(AuditLogTest, tellsWhatWasMeantAndHasNoOutcome) {
  auto log = opened();
  std::vector<std::string> ids;
  for (const auto *key : {"a", "b", "c"})
    ids.push_back(log.append(sample(key))->id);
  auto outcome = sample("b");
  outcome.subject = ids[1];
  ASSERT_TRUE(log.append(outcome));
  EXPECT_THAT(log.verify()->unanswered, testing::ElementsAre(ids[0], ids[2]));
}

TEST_F(AuditLogTest, findsAByteMovedFromOneFieldToTheNext) {
  fill(1);
  tamper("UPDATE record SET node = CAST(node || substr(key, 1, 1) AS BLOB), key = substr(key, 2)");
  EXPECT_EQ(verdict(), "record 1 was altered after it was written");
}

TEST_F(AuditLogTest, findsAMissingRecordAtTheStartInTheMiddleAndAtTheEnd) {
  for (const char *seq : {"1", "2", "3"}) {
    std::filesystem::remove_all(folder() + "/state");
    fill(3);
    tamper(std::string("DELETE FROM record WHERE seq = ") + seq);
    EXPECT_THAT(verdict(), HasSubstr(std::string("record ") + seq + " is missing"));
  }
}

TEST_F(AuditLogTest, ofTheNewestNamesTheFirstBrokenLinkAndGoesOnBehindIt) {
  fill(6);
  EXPECT_TRUE(opened().verifyNewest(3));
  tamper("UPDATE record SET holder = x'00' WHERE seq IN (2, 4)");
  const auto newest = [this](std::size_t most) {
    const auto sound = opened().verifyNewest(most);
    return sound ? std::string("sound") : sound.error().what.english();
  };
  EXPECT_EQ(newest(2), "sound");
  EXPECT_EQ(newest(3), "record 4 was altered after it was written");
  EXPECT_EQ(newest(5), "record 2 was altered after it was written");
  EXPECT_EQ(newest(1'000), "record 2 was altered after it was written");
  fill(1);
  EXPECT_EQ(newest(1), "sound");
  EXPECT_EQ(newest(4), "record 4 was altered after it was written");
  EXPECT_EQ(verdict(), "record 2 was altered after it was written");
}

TEST_F(AuditLogTest, ofTheNewestFindsARecordThatIsMissingBeforeThem) {
  fill(4);
  tamper("DELETE FROM record WHERE seq = 2");
  EXPECT_TRUE(opened().verifyNewest(1));
  EXPECT_EQ(opened().verifyNewest(9).error().what.english(), "record 2 is missing");
}

TEST_F(AuditLogTest, findsARecordThatWasPutBeforeTheFirst) {
  fill(2);
  tamper("INSERT INTO record SELECT -1, x'00', at_us, who, node, db, key, family, holder, count, action, reason, script, before, verdict, subject, "
         "previous_hash, hash FROM record WHERE seq = 1");
  EXPECT_EQ(verdict(), "record 1 is missing");
}

TEST_F(AuditLogTest, findsRecordsInAnotherOrder) {
  fill(3);
  tamper("UPDATE record SET seq = -1 WHERE seq = 1; UPDATE record SET seq = 1 WHERE seq = 2; UPDATE record SET seq = 2 WHERE seq = -1");
  EXPECT_EQ(verdict(), "record 1 was altered after it was written") << "the number is part of what is sealed";
}

TEST_F(AuditLogTest, findsARecordReplacedByASoundOneOfAnotherLog) {
  const auto elsewhere = folder() + "/other.sqlite";
  auto other = AuditLog::open(elsewhere, sha256);
  ASSERT_TRUE(other);
  ASSERT_TRUE(other->append(sample("lock:other")));
  ASSERT_TRUE(other->append(sample("lock:forged")));
  fill(3);
  tamper("DELETE FROM record WHERE seq = 2; ATTACH '" + elsewhere + "' AS other; INSERT INTO record SELECT * FROM other.record WHERE seq = 2");
  EXPECT_EQ(verdict(), "record 2 does not follow record 1: one of them was replaced or moved");
}

TEST_F(AuditLogTest, keepsTheFileToItsOwner) {
  fill(1);
  struct stat info{};
  ASSERT_EQ(stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  ASSERT_EQ(stat((folder() + "/state/lockhouse").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  ASSERT_EQ(chmod(path().c_str(), 0644), 0);
  (void)opened();
  ASSERT_EQ(stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U) << "rights that were loosened are tightened";
}

// The lock by which SQLite keeps other processes from removing the log's write-ahead file. POSIX drops every lock that a process
// holds on a file as soon as that process closes any descriptor of it.
TEST_F(AuditLogTest, keepsItsLockOnTheFileWhenTheSameProcessOpensItAgain) {
  const auto isLocked = [this] {
    const pid_t other = fork(); // a process is never told of its own locks
    if (other == 0) {
      const int file = ::open(path().c_str(), O_RDWR | O_CLOEXEC);
      struct flock lock{};
      lock.l_type = F_WRLCK;
      _exit(file >= 0 && fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid == getppid() ? 1 : 0);
    }
    int status = 0;
    waitpid(other, &status, 0);
    return WEXITSTATUS(status) == 1;
  };
  auto log = opened();
  ASSERT_TRUE(log.append(sample()));
  ASSERT_TRUE(isLocked());
  EXPECT_EQ(opened().latest(1)->size(), 1U);
  EXPECT_TRUE(isLocked());
}

TEST_F(AuditLogTest, makesNoFileOnlyToReadIt) {
  auto nothing = AuditLog::openIfThere(path(), sha256);
  ASSERT_TRUE(nothing) << nothing.error().sentence();
  EXPECT_FALSE(*nothing);
  EXPECT_FALSE(std::filesystem::exists(folder() + "/state"));
  const auto emptied = folder() + "/emptied";
  std::ofstream(emptied).close();
  const auto cut = AuditLog::openIfThere(emptied, sha256);
  ASSERT_TRUE(cut) << cut.error().sentence();
  EXPECT_FALSE(*cut) << "a chain of no records is not one that was kept";
  fill(1);
  const auto log = AuditLog::openIfThere(path(), sha256);
  ASSERT_TRUE(log && *log);
  EXPECT_EQ((*log)->latest(9)->size(), 1U);
}

// A process loses its locks of a file with any close of it: those of SQLite, which makes a log of it just now.
TEST_F(AuditLogTest, whoseFileIsBeingMadeIsNotOpenedOnlyToReadIt) {
  const auto begun = folder() + "/begun";
  const int file = open(begun.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  struct flock lock{.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1, .l_pid = 0};
  ASSERT_EQ(fcntl(file, F_SETLK, &lock), 0);
  const auto read = AuditLog::openIfThere(begun, sha256);
  ASSERT_TRUE(read) << read.error().sentence();
  EXPECT_FALSE(*read);
  if (const auto other = fork(); other == 0)
    _exit(fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK ? 0 : 1); // as another process sees it
  int status = 0;
  wait(&status);
  EXPECT_EQ(status, 0) << "the lock has gone";
  close(file);
}

TEST_F(AuditLogTest, takesRecordsOfSeveralProcessesAtOnce) {
  constexpr int processes = 6;
  constexpr int each = 25;
  for (int p = 0; p < processes; ++p)
    if (fork() == 0) {
      auto log = AuditLog::open(path(), sha256);
      bool sound = log.has_value();
      for (int i = 0; i < each && sound; ++i)
        sound = log->append(sample()).has_value();
      _exit(sound ? 0 : 1);
    }
  for (int p = 0; p < processes; ++p) {
    int status = 0;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(verdict(), std::to_string(processes * each) + " sound");
}

TEST_F(AuditLogTest, tellsWhenOthersHaveWritten) {
  auto log = opened(), other = opened();
  EXPECT_FALSE(log.wasWrittenByOthers());
  ASSERT_TRUE(log.append(sample()));
  EXPECT_FALSE(log.wasWrittenByOthers());
  ASSERT_TRUE(other.append(sample()));
  EXPECT_TRUE(log.wasWrittenByOthers());
  EXPECT_FALSE(log.wasWrittenByOthers());
  tamper("UPDATE record SET reason = x'6e' WHERE seq = 1");
  EXPECT_TRUE(log.wasWrittenByOthers());
}

} // namespace
} // namespace lockhouse
