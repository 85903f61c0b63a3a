// SPDX-License-Identifier: Apache-2.0
// A server that has a command for compare and delete: Valkey 9, which Debian 12 and 13 do not have.
#include "tests/contract/world/lock_world.h"

#include <filesystem>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

/// From the package that the drivers' Python environment has; empty if it is not there.
std::string valkey() {
  std::error_code ignored;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(LOCKHOUSE_DRIVERS "/python", ignored))
    if (entry.path().filename() == "valkey-server") {
      std::filesystem::permissions(entry.path(), std::filesystem::perms::owner_exec, std::filesystem::perm_options::add, ignored);
      return entry.path();
    }
  return {};
}

} // namespace

class OnValkey : public LockContract {
protected:
  void SetUp() override {
    ASSERT_FALSE(valkey().empty()) << "no valkey-server below " LOCKHOUSE_DRIVERS "/python: build the target interop_drivers";
    LockContract::SetUp();
  }
  std::string serverProgram() override { return valkey(); }
};
INSTANTIATE_TEST_SUITE_P(Every, OnValkey, testing::Combine(testing::ValuesIn(primitiveNames()), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(OnValkey, aLockIsTakenWaitedForAndHandedOn) { takeWaitAndHandOn("k"); }

using MutexOnValkey = OnValkey;
INSTANTIATE_TEST_SUITE_P(Mutex, MutexOnValkey, testing::Combine(testing::Values("Mutex"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(MutexOnValkey, isReleasedByTheServersOwnCommandAndByNoScript) {
  auto &one = party().owner(primitive(), "k");
  ASSERT_TRUE(std::holds_alternative<Acquired>(one.acquire())); // who does not wait asks by a script, which tells him the holder
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_FALSE(keyExists("k"));
  EXPECT_EQ(probe().calls("delifeq"), 1U);
  EXPECT_EQ(probe().calls("evalsha") + probe().calls("eval"), 0U);
}

TEST_P(MutexOnValkey, ofSomebodyElseIsLeftAlone) {
  auto &one = party().owner(primitive(), "k", {.lease = 60s});
  ASSERT_TRUE(one.takes());
  probe()({"SET", "k", "another"});
  EXPECT_EQ(one.release(), ReleaseOutcome::NotOwner);
  EXPECT_EQ(probe().text({"GET", "k"}), "another");
  probe()({"DEL", "k"});
  ASSERT_TRUE(one.takes());
  probe()({"DEL", "k"});
  probe()({"RPUSH", "k", "a list"});
  EXPECT_EQ(one.release(), ReleaseOutcome::NotOwner);
  EXPECT_EQ(probe().number({"LLEN", "k"}), 1);
  probe()({"DEL", "k"});
}

TEST_P(MutexOnValkey, isReleasedByAScriptWhereTheUserMayNotUseTheCommand) {
  auto &client = party();
  auto &one = client.owner(primitive(), "k");
  auto &two = client.owner(primitive(), "other");
  ASSERT_TRUE(one.takes());
  ASSERT_TRUE(two.takes());
  probe()({"ACL", "SETUSER", "default", "-delifeq"});
  auto first = one.startRelease();
  auto second = two.startRelease();
  EXPECT_EQ(first.get(), ReleaseOutcome::Released);
  EXPECT_EQ(second.get(), ReleaseOutcome::Released);
  EXPECT_FALSE(keyExists("k") || keyExists("other"));
}
