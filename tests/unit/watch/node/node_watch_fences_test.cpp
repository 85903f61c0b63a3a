// SPDX-License-Identifier: Apache-2.0
// A fence that a family of one's own counts in a key beside its lock, by a command of its own: the watcher shows what is there.
#include "core/watch/detect/family_registry.h"
#include "tests/unit/watch/desk.h"

#include <gtest/gtest.h>

namespace lockhouse::test {
namespace {

const std::string fencedLock = "acme:fl:job", counter = "acme:fl:job:fence";

NodeWatcher::Options withFences() {
  auto options = Desk::defaults();
  options.families =
      *FamilyRegistry::with("[[family]]\nslug = \"acme-fenced\"\nrelease = \"A\"\n[[family.form]]\ntype = \"string\"\nkey = \"acme:fl:{name}\"\n"
                            "value = \"{id:uuid4}\"\nconfidence = 0.9\n[[family.beside]]\nkey = \"{lock}:fence\"\ntype = \"string\"\nrole = \"fence\"\n",
                            "families.toml");
  return options;
}

class NodeWatchFences : public testing::Test {
protected:
  Desk desk = Desk(withFences());

  void write(const std::string &key, const std::string &value) {
    desk.string(key, value, key == counter ? std::optional<milliseconds>() : seconds(60));
    desk.hint({key});
    desk.serve();
  }
  std::optional<Fence> fence() const { return desk.lock(fencedLock) ? desk.lock(fencedLock)->fence : std::nullopt; }
};

TEST_F(NodeWatchFences, countedBeforeTheLockIsTakenAreKnownWithIt) {
  desk.connect();
  write(counter, "1");
  EXPECT_FALSE(desk.lock(fencedLock)) << "a counter alone is no lock";
  write(fencedLock, uuid1);
  EXPECT_EQ(fence(), Fence{1});
  EXPECT_EQ(desk.story(), "appeared acme:fl:job");
}

TEST_F(NodeWatchFences, thatLayThereBeforeTheWatcherCameAreKnownWithTheNextHold) {
  desk.string(counter, "7");
  desk.connect();
  write(fencedLock, uuid1);
  EXPECT_EQ(fence(), Fence{7});
  desk.remove(fencedLock);
  desk.hint({fencedLock});
  desk.serve();
  EXPECT_FALSE(desk.lock(fencedLock));
  write(fencedLock, uuid2);
  EXPECT_EQ(fence(), Fence{7});
}

TEST_F(NodeWatchFences, countedAfterwardsAreTold) {
  desk.connect();
  write(fencedLock, uuid1);
  EXPECT_EQ(desk.story(), "appeared acme:fl:job");
  write(counter, "1");
  EXPECT_EQ(fence(), Fence{1});
  EXPECT_EQ(desk.story(), "count acme:fl:job");
  write(counter, "2");
  EXPECT_EQ(desk.story(), "count acme:fl:job");
  EXPECT_EQ(fence(), Fence{2});
}

} // namespace
} // namespace lockhouse::test
